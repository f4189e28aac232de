// What a list of past alarms adds up to, and when they began: a bar opens the list of its days.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type listAlarmHistory, readHistorySums } from '@voltkeep/contract/alarmHistory'
import type { AlarmHistoryRow } from '@voltkeep/contract/alarms'
import { type KeyboardEvent, useState } from 'react'
import { useHasShown } from '../../../lib/firstShown.ts'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import { reading } from '../../../lib/wire/reading.ts'
import type { List } from '../../../ui/list/useList.ts'
import { type Bucket, bucketsOf, partsOf, type Unit, unitOf } from './buckets.ts'
import styles from './sums.module.css'
import { sumTexts } from './sums.texts.ts'

type Alarms = List<typeof listAlarmHistory.input, AlarmHistoryRow>

/** Above the list of past alarms, with its filters. Nothing where there is nothing to add up. */
export function HistorySums({ list }: { list: Alarms }) {
  const { pageNum: _page, pageSize: _size, sortBy: _by, sortOrder: _order, ...filters } = list.filters
  const hasShown = useHasShown()
  const { data, error } = useQuery({
    ...reading(readHistorySums, filters),
    enabled: hasShown,
    placeholderData: keepPreviousData,
    retry: false,
    // The list shows connection errors.
    meta: { isQuiet: true },
  })
  const [pointed, setPointed] = useState<Bucket>()
  const startDay = data?.startDay ?? list.filters.startTime?.slice(0, 10)
  const endDay = data?.endDay ?? list.filters.endTime?.slice(0, 10)
  const hasChart = startDay !== undefined && startDay !== endDay
  if (data?.total === 0 || error || list.error) return null
  const unit = startDay && endDay ? unitOf(startDay, endDay) : 'day'
  const buckets = data ? bucketsOf(data.startDay, data.endDay, data.days) : []
  return (
    <section className={styles.sums} aria-label={sumTexts.chart[unit]}>
      <div className={styles.line}>
        {data && <Total {...data} />}
        {data && hasChart && <span className={styles.told}>{told(buckets, pointed, unit)}</span>}
      </div>
      {hasChart && (
        <div className={styles.chart}>
          {data && (
            <Bars
              key={`${startDay} ${endDay}`}
              buckets={buckets}
              unit={unit}
              onPoint={setPointed}
              onOpen={({ first, last }) =>
                list.apply({
                  ...list.filters,
                  // A day that the range cuts stays cut.
                  startTime: first === startDay ? (list.filters.startTime ?? first) : first,
                  endTime: last === endDay ? (list.filters.endTime ?? last) : last,
                })
              }
            />
          )}
        </div>
      )}
    </section>
  )
}

function Total({
  total,
  meanSeconds,
  isMeanLeftOut,
}: {
  total: number
  meanSeconds: number | null
  isMeanLeftOut: boolean
}) {
  return (
    <span>
      {sumTexts.total(formatCount(total))}
      {meanSeconds !== null && (
        <span title={sumTexts.meanOf}>
          {sumTexts.and}
          {sumTexts.mean(formatDuration(meanSeconds * 1000))}
        </span>
      )}
      {isMeanLeftOut && (
        <span className={styles.quiet}>
          {sumTexts.and}
          {sumTexts.noMean}
        </span>
      )}
    </span>
  )
}

/** `11-26`, with the year where the bars are months; a week by both ends. */
function nameOf({ first, last }: Bucket, unit: Unit): string {
  if (unit === 'month') return first.slice(0, 7)
  return first === last ? first.slice(5) : sumTexts.range(first.slice(5), last.slice(5))
}

function wordsOf(bucket: Bucket, unit: Unit): string {
  const levels = partsOf(bucket).map(({ level, n }) =>
    sumTexts.level(texts.states.levels[level] ?? '', formatCount(n)),
  )
  return sumTexts.bar(nameOf(bucket, unit), formatCount(bucket.count), levels.join(sumTexts.and))
}

/** Of the bar under the pointer or the focus; else which is the highest. */
function told(buckets: readonly Bucket[], pointed: Bucket | undefined, unit: Unit): string {
  if (pointed && buckets.some(({ first }) => first === pointed.first)) return wordsOf(pointed, unit)
  const [most] = buckets.toSorted((a, b) => b.count - a.count)
  return most ? sumTexts.most(nameOf(most, unit), formatCount(most.count)) : ''
}

/** One stop of Tab; arrow keys walk the bars, Enter opens one. */
function Bars({
  buckets,
  unit,
  onPoint,
  onOpen,
}: {
  buckets: readonly Bucket[]
  unit: Unit
  onPoint: (bucket: Bucket | undefined) => void
  onOpen: (bucket: Bucket) => void
}) {
  const [current, setCurrent] = useState(buckets.length - 1)
  const top = Math.max(1, ...buckets.map(({ count }) => count))
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const at = Math.min(current, buckets.length - 1)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buckets.length - 1 }[event.key]
    if (to === undefined || to < 0 || to >= buckets.length) return
    event.preventDefault()
    setCurrent(to)
    ;(event.currentTarget.children[to] as HTMLElement | undefined)?.focus()
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot lay out its own children */}
      <div
        className={styles.bars}
        role="group"
        aria-label={sumTexts.chart[unit]}
        onKeyDown={walk}
        onPointerLeave={() => onPoint(undefined)}
      >
        {buckets.map((bucket, at) => (
          <button
            key={bucket.first}
            type="button"
            className={styles.bar}
            tabIndex={at === Math.min(current, buckets.length - 1) ? 0 : -1}
            aria-label={wordsOf(bucket, unit)}
            aria-disabled={bucket.count === 0}
            title={bucket.count > 0 ? `${wordsOf(bucket, unit)} · ${sumTexts.open}` : wordsOf(bucket, unit)}
            onPointerEnter={() => onPoint(bucket)}
            onFocus={() => {
              setCurrent(at)
              onPoint(bucket)
            }}
            onBlur={() => onPoint(undefined)}
            onClick={() => {
              if (bucket.count > 0) onOpen(bucket)
            }}
          >
            {partsOf(bucket).map(({ level, n }) => (
              <span
                key={level}
                className={styles.part}
                data-level={level}
                // What there is, is seen.
                style={{ height: `max(2px, ${(n / top) * 100}%)` }}
              />
            ))}
          </button>
        ))}
      </div>
      <div className={styles.ends} aria-hidden="true">
        <span>{buckets[0] && nameOf(buckets[0], unit)}</span>
        <span>{buckets.length > 1 && nameOf(buckets.at(-1) as Bucket, unit)}</span>
      </div>
    </>
  )
}
