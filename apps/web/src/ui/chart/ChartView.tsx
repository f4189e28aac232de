// A chart with its controls: over which time, as curves, as a table or as a file; and what is said while it is read.
import type { ReadingSeries } from '@voltkeep/contract/readingSeries'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { readWireTime } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { useNow } from '../time/RelativeTime.tsx'
import { Waiting } from '../Waiting.tsx'
import Chart from './Chart.tsx'
import { ChartTable } from './ChartTable.tsx'
import styles from './ChartView.module.css'
import type { ChartMark, ChartRange, ChartSeries } from './chart.data.ts'
import { moved, zoomed } from './chart.keys.ts'
import { rangeNames, wireTime } from './chart.ranges.ts'
import { type ChartState, named, rangeOf, showing } from './chart.state.ts'
import { chartTexts as words } from './chart.texts.ts'

/** More points than a screen has columns are never seen. */
const points = { narrow: 300, wide: 800 }
/** A named range ends with the present: it is read again so often. */
const renewMs = 60_000
/** From then on a wait is explained. */
const slowMs = 3_000

export interface Drawn {
  series: ChartSeries[]
  marks: ChartMark[]
}

/** What the state asks for, as calls have it. */
export function useChartRange({ range, from, to }: Pick<ChartState, 'range' | 'from' | 'to'>) {
  const isNarrow = useMedia(narrowQuery)
  const minute = Math.floor(useNow().getTime() / renewMs)
  const now = useMemo(() => new Date(minute * renewMs), [minute])
  const inSight = useMemo(() => rangeOf({ range, from, to }, now), [range, from, to, now])
  return {
    now,
    range: inSight,
    times: { startTime: wireTime(inSight.start), endTime: wireTime(inSight.end) },
    points: isNarrow ? points.narrow : points.wide,
  }
}

export function ChartView<State extends ChartState>({
  title,
  tableTitle,
  state,
  onState,
  asked: { now, range },
  drawn,
  query,
  file,
  choice,
  emptyHint,
  heightPx,
  onRemove,
  nameOf,
}: {
  title: string
  tableTitle: string
  state: State
  onState: (state: State) => void
  asked: ReturnType<typeof useChartRange>
  drawn: Drawn | undefined
  query: {
    error: { message: string } | null
    isFetching: boolean
    isPlaceholderData: boolean
    refetch: () => unknown
  }
  /** The button that downloads the same. */
  file: ReactNode
  /** Of what there are curves to choose from. */
  choice?: ReactNode
  emptyHint?: string
  heightPx?: number
  onRemove?: (key: string) => void
  nameOf: (mark: ChartMark) => ReactNode
}) {
  const isSlow = useIsLong(query.isFetching, slowMs)
  const isGiven = state.from !== undefined && state.to !== undefined
  const show = (next: ChartRange) => onState(showing(state, next, now))
  const reset = () => onState(named(state, state.range))
  const middle = (range.start + range.end) / 2
  return (
    <>
      <div className={styles.controls}>
        <fieldset className={styles.segments} aria-label={words.range}>
          {rangeNames.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={!isGiven && name === state.range}
              onClick={() => onState(named(state, name))}
            >
              {words.ranges[name]}
            </button>
          ))}
        </fieldset>
        <span className={styles.moments}>
          <Moment
            label={words.from}
            time={wireTime(range.start)}
            onChange={(time) => onState({ ...state, from: time, to: wireTime(range.end) })}
          />
          –
          <Moment
            label={words.until}
            time={wireTime(range.end)}
            onChange={(time) => onState({ ...state, from: wireTime(range.start), to: time })}
          />
        </span>
        <span className={styles.steps}>
          <Step label={words.earlier} sign="‹" onPress={() => show(moved(range, -0.5))} />
          <Step label={words.zoomIn} sign="+" onPress={() => show(zoomed(range, middle, 0.5))} />
          <Step label={words.zoomOut} sign="−" onPress={() => show(zoomed(range, middle, 2))} />
          <Step label={words.later} sign="›" onPress={() => show(moved(range, 0.5))} />
          {isGiven && (
            <button type="button" className="link-button" onClick={reset}>
              {words.reset}
            </button>
          )}
        </span>
        <fieldset className={styles.segments} aria-label={words.views}>
          {(['chart', 'table'] as const).map((as) => (
            <button
              key={as}
              type="button"
              aria-pressed={state.as === as}
              onClick={() => onState({ ...state, as })}
            >
              {as === 'chart' ? words.asChart : words.asTable}
            </button>
          ))}
        </fieldset>
        {file}
      </div>
      {choice}
      {query.error && (
        <p className={styles.failure} role="alert">
          {words.failed}：{query.error.message}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </p>
      )}
      {isSlow && (
        <p className={styles.quiet} role="status">
          {words.slow}
        </p>
      )}
      {!drawn && !query.error && <Waiting />}
      {drawn &&
        (state.as === 'table' ? (
          <ChartTable title={tableTitle} series={drawn.series} />
        ) : (
          <Chart
            title={title}
            series={drawn.series}
            marks={drawn.marks}
            range={range}
            isBusy={query.isPlaceholderData}
            emptyHint={emptyHint}
            heightPx={heightPx}
            onRange={show}
            onReset={reset}
            onRemove={onRemove}
            nameOf={nameOf}
          />
        ))}
    </>
  )
}

export const secondsOf = (time: string): number => (readWireTime(time)?.getTime() ?? 0) / 1_000

/** The answer's curves, in seconds. */
export const curvesOf = (series: readonly ReadingSeries[]): ChartSeries[] =>
  series.map(({ points: all, ...rest }) => ({
    ...rest,
    points: all.map(
      (point) => point && ([secondsOf(point[0]), point[1], point[2], point[3], point[4]] as const),
    ),
  }))

/** A button beside the curves, for who has no keys. */
function Step({ label, sign, onPress }: { label: string; sign: string; onPress: () => void }) {
  return (
    <button type="button" className={styles.step} aria-label={label} title={label} onClick={onPress}>
      {sign}
    </button>
  )
}

/**
 * An end of the range, typed as times are written everywhere: a browser writes them in its own language. It applies
 * when it is whole, not at each digit.
 */
function Moment({
  label,
  time,
  onChange,
}: {
  label: string
  time: string
  onChange: (time: string) => void
}) {
  const [typed, setTyped] = useState<string>()
  const isWrong = typed !== undefined && readWireTime(typed.trim()) === undefined
  const apply = () => {
    const at = typed === undefined ? undefined : readWireTime(typed.trim())
    if (at) onChange(wireTime(at.getTime() / 1_000))
    setTyped(undefined)
  }
  return (
    <input
      className={styles.moment}
      inputMode="numeric"
      aria-label={label}
      aria-invalid={isWrong}
      placeholder="YYYY-MM-DD HH:mm:ss"
      value={typed ?? time}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply()
      }}
    />
  )
}

/** Whether something has gone on for so long. */
function useIsLong(isOn: boolean, ms: number): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => setLong(true), ms)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isOn, ms])
  return isLong
}
