import { CopyOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { listOperators } from '@voltkeep/contract/operators'
import { previewPermissions } from '@voltkeep/contract/permissions'
import { Button } from 'antd'
import { formatCount } from '../../../lib/format.ts'
import { reading, readingRarely } from '../../../lib/wire/reading.ts'
import { copyText } from '../../../ui/CopyText.tsx'
import { organizationName } from '../../../ui/choices/choices.trees.ts'
import { useEquipTypes, useOrganizations, useRegions } from '../../../ui/choices/choices.ts'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { OnceDialog } from '../../../ui/OnceDialog.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { useRoles } from '../useRoles.ts'
import { userTexts } from '../users.texts.ts'
import { useOwnEntities } from './useOwnEntities.ts'
import { type HandedOver, handOverText, sightWords } from './users.handOver.ts'

const { handOver: words, fields } = userTexts
/** Narrow, so that the facts stand one below the other, as in the copied message. */
const width = 440
/** Facts that have to be typed exactly, shown in a monospaced font. */
const exact: readonly string[] = [fields.loginName, words.password]

/** The facts that a new user needs, copied as one message. The password is shown here for the last time. */
export default function HandOverDialog({ user, onClose }: { user: HandedOver; onClose: () => void }) {
  const roles = useRoles()
  const sight = useSight(user)
  const roleNames = user.roleIds.map((id) => roles.data?.find((role) => role.id === id)?.name ?? id)
  const password = (shown: string) => (user.mustChangePassword ? words.toChange(shown) : shown)
  const factsWith = (shown: string): [string, string][] => [
    [words.address, window.location.origin],
    [fields.loginName, user.loginName],
    [words.password, password(shown)],
    [fields.roles, roleNames.join('、')],
    [words.sight, sight],
  ]
  return (
    <OnceDialog
      title={words.title}
      warning={words.once}
      closeLabel={words.close}
      width={width}
      onClose={onClose}
      action={
        <Button
          type="primary"
          icon={<CopyOutlined />}
          onClick={() => void copyText(handOverText(factsWith(user.password)))}
        >
          {words.copy}
        </Button>
      }
    >
      {(shown) => (
        <Facts
          facts={factsWith(shown(user.password)).map(([name, value]) => [
            name,
            <span key={name} className={exact.includes(name) ? 'mono' : undefined}>
              {value}
            </span>,
          ])}
        />
      )}
    </OnceDialog>
  )
}

/** How many devices the user sees, and which; `…` while that is read. */
function useSight({ id, organizationId, authorityEntities }: HandedOver): string {
  const mayCount = usePermission(previewPermissions.access)
  const own = useOwnEntities()
  const counted = useQuery({ ...reading(previewPermissions, { userId: id }), enabled: mayCount })
  const organizations = useOrganizations()
  const regions = useRegions()
  const equipTypes = useEquipTypes()
  const operators = useQuery(readingRarely(listOperators, {}))
  const named = [organizations, regions, equipTypes, operators]
  if (named.some(({ isPending }) => isPending) || (mayCount && counted.isPending)) return '…'
  const limits = sightWords(authorityEntities ?? own, {
    regions: regions.data ?? [],
    operators: operators.data ?? [],
    equipTypes: equipTypes.data ?? [],
  })
  const everything = words.allOf(organizationName(organizations.data ?? [], organizationId))
  return [
    ...(counted.data ? [words.devices(formatCount(counted.data.count))] : []),
    ...(limits.length > 0 ? limits : [everything]),
  ].join(' · ')
}
