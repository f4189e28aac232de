import type { RegionNode } from '@voltkeep/contract/regions'
import { formatCount } from '../../lib/format.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { TallyLink } from '../../ui/tree/TallyLink.tsx'
import { regionTexts } from './regions.texts.ts'
import type { RegionSums } from './useRegionSums.ts'

const { tallies } = regionTexts

/** The user's devices in a region and those below it, and the page that lists them. */
export const regionTallies = [
  { name: 'devices', ...tallies.devices, page: 'equipment/list', search: {} },
  { name: 'online', ...tallies.online, page: 'equipment/list', search: { isOnline: 1 } },
  { name: 'alarms', ...tallies.alarms, page: 'maintenance/exitWarning', search: {} },
  {
    name: 'shelved',
    ...tallies.shelved,
    page: 'maintenance/exitWarning',
    search: { tab: 'shelved', isShelved: '1' },
  },
] as const

export const tallyColumns = (sumsOf: (code: string) => RegionSums | undefined): Column<RegionNode>[] => [
  {
    key: 'below',
    title: tallies.below,
    width: 84,
    align: 'right',
    render: ({ childrens }) => (childrens.length === 0 ? <Nothing /> : formatCount(childrens.length)),
  },
  ...regionTallies.map(
    ({ name, title, page, search }): Column<RegionNode> => ({
      key: name,
      title,
      width: 84,
      align: 'right',
      render: ({ value }) => (
        <TallyLink count={sumsOf(value)?.[name]} page={page} search={{ ...search, regionCode: value }} />
      ),
    }),
  ),
]
