import type { ServerInfo } from '@voltkeep/contract/server'
import { useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { formatCount } from '../../lib/format.ts'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { TableBox } from '../../ui/list/TableBox.tsx'
import styles from './serverStatus.module.css'
import { serverTexts } from './serverStatus.texts.ts'

const { limitFields: fields, ...words } = serverTexts
type Limit = ServerInfo['limits'][number]

const columns: Column<Limit>[] = [
  textColumn('name', fields.name),
  {
    key: 'extent',
    title: fields.extent,
    width: 180,
    align: 'right',
    render: (limit) => <Extent limit={limit} />,
  },
  { key: 'met', title: fields.met, width: 120, align: 'right', render: (limit) => <Met limit={limit} /> },
]

/** From this share of its maximum a limit is about to be reached. */
const nearlyMet = 0.8

const isTold = ({ metCount, presentCount, most }: Limit) =>
  (metCount ?? 0) > 0 || (presentCount !== null && most !== null && presentCount >= most * nearlyMet)

/**
 * The limits of HTTP and devices: present use, maximum, and how often each was reached. First those that were; the others
 * on demand.
 */
export function Limits({ limits }: { limits: readonly Limit[] }) {
  const [isWhole, setWhole] = useState(false)
  const told = limits.filter(isTold).toSorted((one, other) => (other.metCount ?? 0) - (one.metCount ?? 0))
  const others = limits.filter((limit) => !isTold(limit))
  return (
    <>
      {told.length === 0 && <p className={styles.good}>{words.noneMet}</p>}
      {told.length > 0 && <Table limits={told} label={words.limits} />}
      <button
        type="button"
        className={`link-button ${styles.unfold}`}
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? words.fewer : words.others(others.length)}
      </button>
      {isWhole && <Table limits={others} label={words.unmet} />}
    </>
  )
}

function Table({ limits, label }: { limits: readonly Limit[]; label: string }) {
  const isNarrow = useMedia(narrowQuery)
  return (
    <TableBox>
      <DataTable
        label={label}
        columns={columns}
        rows={limits}
        keyOf={({ name }) => name}
        isNarrow={isNarrow}
        card={(limit) => ({
          lead: limit.name,
          aside: limit.metCount === null ? undefined : <Met limit={limit} isWorded />,
          second: <Extent limit={limit} />,
        })}
      />
    </TableBox>
  )
}

/** Present use and maximum. A limit that applies to each request by itself has neither. */
function Extent({ limit: { presentCount, most } }: { limit: Limit }) {
  if (presentCount === null && most === null) return <span className={styles.quiet}>{words.eachTime}</span>
  if (presentCount === null) return words.atMost(formatCount(most ?? 0))
  return most === null
    ? words.present(formatCount(presentCount))
    : words.presentOf(formatCount(presentCount), formatCount(most))
}

/** How often the limit was reached. An entry that only counts cannot be reached, and shows nothing. */
function Met({ limit: { metCount }, isWorded = false }: { limit: Limit; isWorded?: boolean }) {
  if (metCount === null) return null
  const count = formatCount(metCount)
  return (
    <span className={metCount > 0 ? styles.bad : undefined}>{isWorded ? words.metTimes(count) : count}</span>
  )
}
