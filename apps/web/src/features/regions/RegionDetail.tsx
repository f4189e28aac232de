import type { RegionNode } from '@voltkeep/contract/regions'
import { regionShape } from '../../ui/choices/choices.trees.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { TreeDetail } from '../../ui/tree/TreeDetail.tsx'
import { RegionActions, type RegionActionsProps } from './RegionActions.tsx'
import { regionTexts } from './regions.texts.ts'

const { detail } = regionTexts

/** One region, with a link to its devices. */
export function RegionDetail({
  way,
  onClose,
  ...actions
}: {
  /** Path from the top level down to the region; empty where it does not exist. */
  way: readonly RegionNode[]
  onClose: () => void
} & Pick<RegionActionsProps, 'onAddBelow' | 'onEdit'>) {
  return (
    <TreeDetail
      way={way}
      shape={regionShape}
      nameOf={({ label }) => label}
      codeOf={({ value }) => value}
      texts={regionTexts}
      actions={(region) => <RegionActions region={region} {...actions} onDeleted={onClose} />}
      related={({ value }) => [
        [
          detail.devices,
          <PageLink key="devices" page="equipment/list" search={{ regionCode: value }}>
            {detail.view}
          </PageLink>,
        ],
      ]}
      onClose={onClose}
    />
  )
}
