import { useQuery } from '@tanstack/react-query'
import { listLogExtractions, liveLogExtractions } from '@voltkeep/contract/logExtraction'
import { Button } from 'antd'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { type Opening, openedFrom } from '../../ui/detail/useWalk.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import { ExtractionState } from './ExtractionState.tsx'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

/** The last extractions, shown while none is open. */
export function RecentExtractions({ onOpen }: { onOpen: (id: string, opening: Opening) => void }) {
  const query = useQuery({ ...reading(listLogExtractions, { pageSize: 10 }), meta: { isQuiet: 'first' } })
  useLiveReading(query.refetch, (event) => concerns(event, liveLogExtractions.noun), 2_000)
  if (query.error && !query.data) {
    return (
      <EmptyState
        title={texts.list.failed}
        hint={query.error.message}
        action={<Button onClick={() => void query.refetch()}>{texts.list.retry}</Button>}
      />
    )
  }
  if (!query.data) return <Waiting />
  const { rows } = query.data
  if (rows.length === 0) return <EmptyState title={logTexts.none} hint={logTexts.noneHint} />
  return (
    <>
      <h2 className={styles.panelHead}>{logTexts.recent}</h2>
      <ul className={styles.recent}>
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              className={styles.recentRow}
              onClick={() => onOpen(row.id, openedFrom(rows))}
            >
              <span className="mono">{row.equipCode}</span>
              <span>{row.levelName}</span>
              <ExtractionState row={row} />
              <span className={styles.quiet}>
                {row.createBy} · <RelativeTime time={row.createTime} isShort />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
