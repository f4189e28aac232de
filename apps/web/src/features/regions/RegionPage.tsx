import { useQuery } from '@tanstack/react-query'
import {
  deleteRegion,
  insertRegion,
  listRegions,
  RegionCode,
  type RegionNode,
  updateRegion,
} from '@voltkeep/contract/regions'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'
import { readingRarely } from '../../lib/wire/reading.ts'
import { regionShape } from '../../ui/choices/choices.trees.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { NodePage } from '../../ui/tree/NodePage.tsx'
import { RegionActions } from './RegionActions.tsx'
import { RegionDetail } from './RegionDetail.tsx'
import { tallyColumns } from './regions.tallies.tsx'
import { regionTexts } from './regions.texts.ts'
import { useRegionSums } from './useRegionSums.ts'

const RegionDialog = lazyDialog(() => import('./RegionDialog.tsx'))

/** Like `useOpenRow`, but with a region's code. */
const OpenSearch = z.object({ open: z.optional(RegionCode) })

/** The tree of all regions, with a detail panel. */
export default function RegionPage() {
  const query = useQuery({ ...readingRarely(listRegions, {}), meta: { isQuiet: true } })
  const [{ open }, setSearch] = useUrlState(OpenSearch)
  const close = () => setSearch({})
  const sumsOf = useRegionSums(query.data)
  return (
    <NodePage<RegionNode>
      texts={regionTexts}
      query={query}
      shape={regionShape}
      nameOf={({ label }) => label}
      code={{ width: 124, of: ({ value }) => value }}
      columns={tallyColumns(sumsOf)}
      sumsOf={({ value }) => sumsOf(value)}
      access={{ insert: insertRegion.access, update: updateRegion.access, delete: deleteRegion.access }}
      open={{
        id: open,
        open: (code) => setSearch({ open: code }, { replace: open !== undefined }),
        close,
      }}
      actions={(region, forms) => <RegionActions region={region} {...forms} />}
      detail={(way, forms) => (
        <RegionDetail key={open} way={way} sums={sumsOf(open ?? '')} onClose={close} {...forms} />
      )}
      form={(of, onClose) =>
        'node' in of ? (
          <RegionDialog key={of.node.value} region={of.node} onClose={onClose} />
        ) : (
          <RegionDialog parent={of.parent} onClose={onClose} />
        )
      }
    />
  )
}
