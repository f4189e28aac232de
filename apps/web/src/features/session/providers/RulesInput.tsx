// Who may come, as one field of the form of a provider.
import { useQuery } from '@tanstack/react-query'
import { listRoleNames } from '@voltkeep/contract/roles'
import { systemRoleId } from '@voltkeep/contract/users'
import { Button, Input } from 'antd'
import { reading } from '../../../lib/wire/reading.ts'
import OrganizationTree from '../../../ui/choices/OrganizationTree.tsx'
import { unread } from '../../../ui/choices/Unread.tsx'
import { SearchSelect } from '../../../ui/typed/SearchSelect.tsx'
import { providerTexts } from '../providers.texts.ts'
import styles from './RulesInput.module.css'

const words = providerTexts.rules
const rulesAtMost = 50

interface Rule {
  claim?: string
  value?: string
  roleIds?: string[]
  organizationId?: string
}

export function RulesInput({
  id,
  value = [],
  claim,
  onChange,
}: {
  /** Set by the form's field. */
  id?: string
  value?: Rule[]
  /** Of a new rule. */
  claim: string
  onChange?: (rules: Rule[]) => void
}) {
  const roles = useQuery(reading(listRoleNames, {}))
  const change = (at: number, part: Partial<Rule>) =>
    onChange?.(value.map((rule, index) => (index === at ? { ...rule, ...part } : rule)))
  const options = (roles.data ?? [])
    .filter((role) => role.id !== systemRoleId)
    .map((role) => ({ value: role.id, label: role.name }))
  return (
    <div className={styles.rules}>
      {value.map((rule, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is what stands at its place
        <fieldset key={at} className={styles.rule}>
          <legend>{words.title(at + 1)}</legend>
          <div className={styles.line}>
            <Input
              aria-label={`${words.title(at + 1)} ${words.claim}`}
              placeholder={words.claim}
              maxLength={64}
              spellCheck={false}
              value={rule.claim}
              onChange={({ target }) => change(at, { claim: target.value })}
            />
            <Input
              aria-label={`${words.title(at + 1)} ${words.value}`}
              placeholder={words.value}
              maxLength={200}
              spellCheck={false}
              value={rule.value}
              onChange={({ target }) => change(at, { value: target.value })}
            />
            <Button onClick={() => onChange?.(value.filter((_, index) => index !== at))}>
              {words.remove}
            </Button>
          </div>
          <SearchSelect<string[]>
            aria-label={`${words.title(at + 1)} ${words.roles}`}
            mode="multiple"
            loading={roles.isPending}
            notFoundContent={unread(roles)}
            placeholder={words.roles}
            options={options}
            value={rule.roleIds ?? []}
            onChange={(roleIds) => change(at, { roleIds })}
          />
          <OrganizationTree
            label={`${words.title(at + 1)} ${words.organization}`}
            placeholder={words.organization}
            value={rule.organizationId}
            onChange={(organizationId) => change(at, organizationId === undefined ? {} : { organizationId })}
          />
        </fieldset>
      ))}
      {value.length < rulesAtMost && (
        <Button id={id} aria-label={words.add} block onClick={() => onChange?.([...value, { claim }])}>
          {words.add}
        </Button>
      )}
    </div>
  )
}
