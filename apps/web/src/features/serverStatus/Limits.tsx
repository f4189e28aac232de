import type { ServerInfo } from '@voltkeep/contract/server'
import { formatCount } from '../../lib/format.ts'
import { narrowQuery, useMedia } from '../../lib/media.ts'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import styles from './serverStatus.module.css'
import { serverTexts } from './serverStatus.texts.ts'

const { limitFields: fields, ...words } = serverTexts
type Limit = ServerInfo['limits'][number]

const columns: Column<Limit>[] = [
  { key: 'name', title: fields.name, render: ({ name }) => name },
  {
    key: 'present',
    title: fields.present,
    width: 120,
    align: 'right',
    render: ({ presentCount }) => <Count of={presentCount} />,
  },
  { key: 'most', title: fields.most, width: 120, align: 'right', render: ({ most }) => <Count of={most} /> },
  { key: 'met', title: fields.met, width: 120, align: 'right', render: (limit) => <Met limit={limit} /> },
]

/** What bounds HTTP and devices, how near it is, and how often it was met. */
export function Limits({ limits }: { limits: readonly Limit[] }) {
  const isNarrow = useMedia(narrowQuery)
  return (
    <div className={styles.table}>
      <DataTable
        label={words.limits}
        columns={columns}
        rows={limits}
        keyOf={({ name }) => name}
        isNarrow={isNarrow}
        card={(limit) => ({
          lead: limit.name,
          aside: limit.metCount === null ? undefined : <Met limit={limit} isWorded />,
          second: words.ofMost(
            limit.presentCount === null ? null : formatCount(limit.presentCount),
            limit.most === null ? null : formatCount(limit.most),
          ),
        })}
      />
    </div>
  )
}

const Count = ({ of }: { of: number | null }) => (of === null ? <Nothing /> : formatCount(of))

function Met({ limit: { metCount }, isWorded = false }: { limit: Limit; isWorded?: boolean }) {
  if (metCount === null) return <Nothing />
  const count = formatCount(metCount)
  return (
    <span className={metCount > 0 ? styles.bad : undefined}>{isWorded ? words.metTimes(count) : count}</span>
  )
}
