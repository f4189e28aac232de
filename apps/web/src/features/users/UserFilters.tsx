import { OrganizationFilter } from '../../ui/choices/filters.tsx'
import { useIsChip } from '../../ui/list/filter/chips.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import type { Draft } from '../../ui/list/useDraft.ts'
import { useRoles } from './useRoles.ts'
import { userTexts } from './users.texts.ts'

const { fields } = userTexts

export function UserFilters({ of: draft, hasOrganization }: { of: Draft; hasOrganization: boolean }) {
  const roles = useRoles()
  // The organization is chosen in the tree at the left, and also shown as a filter chip.
  const isChip = useIsChip()
  return (
    <>
      {(hasOrganization || isChip) && <OrganizationFilter of={draft} label={fields.organization} />}
      <TextFilter of={draft} name="name" label={fields.name} placeholder={fields.nameHint} />
      <TextFilter of={draft} name="phone" label={fields.phone} />
      <ChoiceFilter
        of={draft}
        name="roleIds"
        label={fields.roles}
        isMultiple
        isLoading={roles.isPending}
        options={(roles.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      />
    </>
  )
}
