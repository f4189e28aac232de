import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { pagePaths } from '../../lib/pages.ts'
import { useStore } from '../../lib/store.ts'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { TallyLink } from '../../ui/tree/TallyLink.tsx'
import { TreeDetail } from '../../ui/tree/TreeDetail.tsx'
import { OrganizationActions, type OrganizationActionsProps } from './OrganizationActions.tsx'
import { organizationTallies } from './organizations.tallies.tsx'
import { organizationTexts } from './organizations.texts.ts'
import type { OrganizationSums } from './useOrganizationSums.ts'

/** One organization, with links to its operators, users and devices. */
export function OrganizationDetail({
  way,
  sums,
  onClose,
  ...actions
}: {
  /** Path from the root down to the organization; empty where it does not exist. */
  way: readonly OrganizationNode[]
  /** With those under it; undefined while they are not known. */
  sums: OrganizationSums | undefined
  onClose: () => void
} & Pick<OrganizationActionsProps, 'onAddBelow' | 'onEdit'>) {
  const paths = useStore(pagePaths)
  return (
    <TreeDetail
      way={way}
      shape={organizationShape}
      nameOf={({ name }) => name}
      codeOf={({ code }) => code}
      texts={organizationTexts}
      actions={(organization) => (
        <OrganizationActions organization={organization} {...actions} onDeleted={onClose} />
      )}
      related={({ id }) =>
        organizationTallies
          .filter(({ page }) => paths.has(page))
          .map(({ name, title, measure, page, search }) => [
            title,
            <TallyLink
              key={name}
              count={sums?.[name]}
              measure={measure}
              page={page}
              search={{ ...search, organizationId: id }}
            />,
          ])
      }
      onClose={onClose}
    />
  )
}
