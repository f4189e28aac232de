import { lazy, Suspense } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { useRoles } from '../../ui/choices/choices.ts'
import { ChoiceFilter, Filter, TextFilter } from '../../ui/list/filters.tsx'
import type { Draft } from '../../ui/list/useDraft.ts'
import { userTexts } from './users.texts.ts'

const OrganizationTree = lazy(() => import('../../ui/choices/OrganizationTree.tsx'))

const { fields } = userTexts

export function UserFilters({ of: draft, hasOrganization }: { of: Draft; hasOrganization: boolean }) {
  const roles = useRoles()
  return (
    <>
      {hasOrganization && (
        <Filter label={fields.organization} problem={draft.problem('organizationId')}>
          {({ id, describedBy }) => (
            <Suspense>
              <OrganizationTree
                id={id}
                describedBy={describedBy}
                placeholder={texts.list.all}
                value={draft.values.organizationId as string | undefined}
                onChange={(organizationId) => draft.set({ organizationId })}
              />
            </Suspense>
          )}
        </Filter>
      )}
      <TextFilter of={draft} name="name" label={fields.name} placeholder={fields.nameHint} />
      <TextFilter of={draft} name="phone" label={fields.phone} />
      <ChoiceFilter
        of={draft}
        name="roleIds"
        label={fields.roles}
        isMultiple
        isLoading={roles.isPending}
        placeholder={texts.list.all}
        options={(roles.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      />
    </>
  )
}
