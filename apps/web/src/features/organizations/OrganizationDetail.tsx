import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { pagePaths } from '../../lib/pages.ts'
import { useStore } from '../../lib/store.ts'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { TreeDetail } from '../../ui/tree/TreeDetail.tsx'
import { OrganizationActions, type OrganizationActionsProps } from './OrganizationActions.tsx'
import { organizationTexts } from './organizations.texts.ts'

const { detail } = organizationTexts
const pages = [
  [detail.operators, 'reference/operator'],
  [detail.users, 'system/user'],
  [detail.devices, 'equipment/list'],
] as const

/** One organization, with links to its operators, users and devices. */
export function OrganizationDetail({
  way,
  onClose,
  ...actions
}: {
  /** Path from the root down to the organization; empty where it does not exist. */
  way: readonly OrganizationNode[]
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
        pages
          .filter(([, page]) => paths.has(page))
          .map(([name, page]) => [
            name,
            <PageLink key={page} page={page} search={{ organizationId: id }}>
              {detail.view}
            </PageLink>,
          ])
      }
      onClose={onClose}
    />
  )
}
