import {
  deleteRegion,
  insertRegion,
  listRegions,
  type RegionNode,
  updateRegion,
} from '@voltkeep/contract/regions'
import { Button } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeleteButton } from '../../ui/DeleteButton.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { RowActions } from '../../ui/RowActions.tsx'
import styles from './regions.module.css'
import { isEverywhere } from './regions.shape.ts'

const { remove } = texts.regions

export interface RegionActionsProps {
  region: RegionNode
  onAddBelow: (region: RegionNode) => void
  onEdit: (region: RegionNode) => void
  onDeleted?: () => void
}

/** What may be done to one region, each for who may. */
export function RegionActions({ region, onAddBelow, onEdit, onDeleted }: RegionActionsProps) {
  const deleting = useWriting(deleteRegion, [listRegions], { said: remove.done })
  if (isEverywhere(region)) return <span className={styles.quiet}>{texts.regions.builtIn}</span>
  return (
    <RowActions>
      <Permitted code={insertRegion.access}>
        <Button type="link" size="small" onClick={() => onAddBelow(region)}>
          {texts.regions.addBelow}
        </Button>
      </Permitted>
      <Permitted code={updateRegion.access}>
        <Button type="link" size="small" onClick={() => onEdit(region)}>
          {texts.regions.edit}
        </Button>
      </Permitted>
      <Permitted code={deleteRegion.access}>
        <DeleteButton
          words={remove}
          asks={[remove.ask(region.label, region.value), remove.warn]}
          onConfirm={async () => {
            await deleting.mutateAsync({ id: region.value })
            onDeleted?.()
          }}
        />
      </Permitted>
    </RowActions>
  )
}
