import type { RegionNode } from '@voltkeep/contract/regions'
import { regionShape } from '../../ui/choices/choices.trees.ts'
import { TallyLink } from '../../ui/tree/TallyLink.tsx'
import { TreeDetail } from '../../ui/tree/TreeDetail.tsx'
import { RegionActions, type RegionActionsProps } from './RegionActions.tsx'
import { regionTallies } from './regions.tallies.tsx'
import { regionTexts } from './regions.texts.ts'
import type { RegionSums } from './useRegionSums.ts'

/** One region, with a link to its devices. */
export function RegionDetail({
  way,
  sums,
  onClose,
  ...actions
}: {
  /** Path from the top level down to the region; empty where it does not exist. */
  way: readonly RegionNode[]
  /** With those below it; undefined while they are not known. */
  sums: RegionSums | undefined
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
      related={({ value }) =>
        regionTallies.map(({ name, title, measure, page, search }) => [
          title,
          <TallyLink
            key={name}
            count={sums?.[name]}
            measure={measure}
            page={page}
            search={{ ...search, regionCode: value }}
          />,
        ])
      }
      onClose={onClose}
    />
  )
}
