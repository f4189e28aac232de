import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { formatCount } from '../../lib/format.ts'
import { pagePaths } from '../../lib/pages.ts'
import { useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/DetailPanel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { OrganizationActions, type OrganizationActionsProps } from './OrganizationActions.tsx'

const { detail, fields } = texts.organizations

/** One organization: where it stands, and the way to what belongs to it. */
export function OrganizationDetail({
  way,
  onClose,
  ...actions
}: {
  /** From the root down to it; empty where it is not there. */
  way: readonly OrganizationNode[]
  onClose: () => void
} & Pick<OrganizationActionsProps, 'onAddBelow' | 'onEdit'>) {
  const paths = useStore(pagePaths)
  const organization = way.at(-1)
  if (!organization) {
    return (
      <DetailPanel title={detail.info} onClose={onClose}>
        <EmptyState title={detail.notFound} />
      </DetailPanel>
    )
  }
  const { id: organizationId, name, code, orderNum, children } = organization
  const related = (
    [
      [detail.operators, 'reference/operator'],
      [detail.users, 'system/user'],
      [detail.devices, 'equipment/list'],
    ] as const
  ).filter(([, page]) => paths.has(page))
  return (
    <DetailPanel
      title={name}
      deeds={<OrganizationActions organization={organization} {...actions} onDeleted={onClose} />}
      onClose={onClose}
    >
      <DetailSection title={detail.info}>
        <Facts
          facts={[
            [fields.code, <CopyText key="code" text={code} />],
            [
              fields.parent,
              way
                .slice(0, -1)
                .map((above) => above.name)
                .join(' / ') || detail.none,
            ],
            [fields.orderNum, orderNum],
            [detail.children, children.length === 0 ? detail.none : formatCount(children.length)],
          ]}
        />
      </DetailSection>
      {related.length > 0 && (
        <DetailSection title={detail.related}>
          <Facts
            facts={related.map(([name, page]) => [
              name,
              <PageLink key={page} page={page} search={{ organizationId }}>
                {detail.view}
              </PageLink>,
            ])}
          />
        </DetailSection>
      )}
    </DetailPanel>
  )
}
