import {
  deleteRegion,
  insertRegion,
  listRegions,
  type RegionNode,
  updateRegion,
} from '@voltkeep/contract/regions'
import { useWriting } from '../../lib/wire/writing.ts'
import { TreeActions } from '../../ui/tree/TreeActions.tsx'
import { isEverywhere } from './regions.everywhere.ts'
import styles from './regions.module.css'
import { regionTexts } from './regions.texts.ts'

const { remove } = regionTexts

export interface RegionActionsProps {
  region: RegionNode
  onAddBelow: (region: RegionNode) => void
  onEdit: (region: RegionNode) => void
  onDeleted?: () => void
}

/** The actions of one region; `all` has none. */
export function RegionActions({ region, onDeleted, ...actions }: RegionActionsProps) {
  const deleting = useWriting(deleteRegion, [listRegions], { said: remove.done })
  if (isEverywhere(region)) return <span className={styles.quiet}>{regionTexts.builtIn}</span>
  return (
    <TreeActions
      node={region}
      access={{ insert: insertRegion.access, update: updateRegion.access, delete: deleteRegion.access }}
      labels={regionTexts}
      removal={remove}
      asks={[remove.ask(region.label, region.value), remove.warn]}
      onDelete={async () => {
        await deleting.mutateAsync({ id: region.value })
        onDeleted?.()
      }}
      {...actions}
    />
  )
}
