import type { OrganizationNode } from '@voltkeep/contract/organizations'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TallyLink } from '../../ui/tree/TallyLink.tsx'
import { organizationTexts } from './organizations.texts.ts'
import type { OrganizationSums } from './useOrganizationSums.ts'

const { tallies } = organizationTexts

/** What belongs to an organization and to those under it, and the page that lists it. */
export const organizationTallies = [
  { name: 'operators', ...tallies.operators, page: 'reference/operator', search: {} },
  { name: 'users', ...tallies.users, page: 'system/user', search: {} },
  { name: 'devices', ...tallies.devices, page: 'equipment/list', search: {} },
  { name: 'online', ...tallies.online, page: 'equipment/list', search: { isOnline: 1 } },
  { name: 'alarms', ...tallies.alarms, page: 'maintenance/exitWarning', search: {} },
  {
    name: 'shelved',
    ...tallies.shelved,
    page: 'maintenance/exitWarning',
    search: { tab: 'shelved', isShelved: '1' },
  },
] as const

export const tallyColumns = (
  sumsOf: (id: string) => OrganizationSums | undefined,
  hasUsers: boolean,
): Column<OrganizationNode>[] =>
  organizationTallies
    .filter(({ name }) => hasUsers || name !== 'users')
    .map(({ name, title, page, search }) => ({
      key: name,
      title,
      width: 80,
      align: 'right',
      render: ({ id }) => (
        <TallyLink count={sumsOf(id)?.[name]} page={page} search={{ ...search, organizationId: id }} />
      ),
    }))
