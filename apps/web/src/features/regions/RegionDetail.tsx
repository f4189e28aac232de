import type { RegionNode } from '@voltkeep/contract/regions'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/DetailPanel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { RegionActions, type RegionActionsProps } from './RegionActions.tsx'

const { detail, fields } = texts.regions

/** One region: where it lies, and the way to what stands there. */
export function RegionDetail({
  way,
  onClose,
  ...actions
}: {
  /** From the top down to it; empty where it is not there. */
  way: readonly RegionNode[]
  onClose: () => void
} & Pick<RegionActionsProps, 'onAddBelow' | 'onEdit'>) {
  const region = way.at(-1)
  if (!region) {
    return (
      <DetailPanel title={detail.info} onClose={onClose}>
        <EmptyState title={detail.notFound} />
      </DetailPanel>
    )
  }
  const { value, label, orderNum, childrens } = region
  return (
    <DetailPanel
      title={label}
      deeds={<RegionActions region={region} {...actions} onDeleted={onClose} />}
      onClose={onClose}
    >
      <DetailSection title={detail.info}>
        <Facts
          facts={[
            [fields.code, <CopyText key="code" text={value} />],
            [
              fields.parent,
              way
                .slice(0, -1)
                .map((above) => above.label)
                .join(' / ') || detail.none,
            ],
            [fields.orderNum, orderNum],
            [detail.children, childrens.length === 0 ? detail.none : formatCount(childrens.length)],
          ]}
        />
      </DetailSection>
      <DetailSection title={detail.related}>
        <Facts
          facts={[
            [
              detail.devices,
              <PageLink key="devices" page="equipment/list" search={{ regionCode: value }}>
                {detail.view}
              </PageLink>,
            ],
          ]}
        />
      </DetailSection>
    </DetailPanel>
  )
}
