// The curves of a device's readings: which, over which time, as a chart, a table or a file.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DeviceDetail as Device } from '@voltkeep/contract/devices'
import { timelineWords } from '@voltkeep/contract/deviceTimelineWords'
import {
  exportSeries,
  type ReadingSeries,
  readSeries,
  type SeriesMark,
} from '@voltkeep/contract/readingSeries'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { narrowQuery, useMedia } from '../../../lib/browser/media.ts'
import { readWireTime } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { reading } from '../../../lib/wire/reading.ts'
import Chart from '../../../ui/chart/Chart.tsx'
import { ChartTable } from '../../../ui/chart/ChartTable.tsx'
import type { ChartMark, ChartSeries } from '../../../ui/chart/chart.data.ts'
import { moved, zoomed } from '../../../ui/chart/chart.keys.ts'
import { rangeNames, wireTime } from '../../../ui/chart/chart.ranges.ts'
import { chartTexts } from '../../../ui/chart/chart.texts.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ExportButton } from '../../../ui/list/ExportButton.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { useNow } from '../../../ui/time/RelativeTime.tsx'
import { Waiting } from '../../../ui/Waiting.tsx'
import { useReadings } from '../cabinet/useCabinet.ts'
import styles from './History.module.css'
import { HistorySearch, keysOf, named, rangeOf, showing } from './history.state.ts'
import { historyTexts as words } from './history.texts.ts'
import { KeyChoice } from './KeyChoice.tsx'

/** More points than a screen has columns are never seen. */
const points = { narrow: 300, wide: 800 }
/** A named range ends with the present: it is read again so often. */
const renewMs = 60_000
/** From then on a wait is explained. */
const slowMs = 3_000

export default function HistoryView({ device }: { device: Device }) {
  const [state, setState] = useUrlState(HistorySearch)
  const isNarrow = useMedia(narrowQuery)
  const minute = Math.floor(useNow().getTime() / renewMs)
  const now = useMemo(() => new Date(minute * renewMs), [minute])
  const readings = useReadings(device.id)
  const kept = (readings.data ?? []).filter(({ hasHistory }) => hasHistory)
  const keys = keysOf(state.keys, kept)
  const { from, to, range: rangeName } = state
  const range = useMemo(() => rangeOf({ range: rangeName, from, to }, now), [rangeName, from, to, now])
  const input = {
    id: device.id,
    keys,
    startTime: wireTime(range.start),
    endTime: wireTime(range.end),
  }
  const query = useQuery({
    ...reading(readSeries, { ...input, points: isNarrow ? points.narrow : points.wide }),
    enabled: keys.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
    meta: { isQuiet: true },
  })
  const drawn = useMemo(() => drawnOf(query.data), [query.data])
  const isSlow = useIsLong(query.isFetching, slowMs)
  const isGiven = from !== undefined && to !== undefined
  const show = (next: { start: number; end: number }) =>
    setState(showing(state, next, now), { replace: true })
  const reset = () => setState(named(state, rangeName), { replace: true })

  if (readings.isPending) return <Waiting />
  if (keys.length === 0 && !readings.isError) return <EmptyState title={words.none} hint={words.noneHint} />
  return (
    <section className={styles.history} aria-label={words.title}>
      <div className={styles.controls}>
        <fieldset className={styles.segments} aria-label={chartTexts.range}>
          {rangeNames.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={!isGiven && name === rangeName}
              onClick={() => setState(named(state, name), { replace: true })}
            >
              {chartTexts.ranges[name]}
            </button>
          ))}
        </fieldset>
        <span className={styles.moments}>
          <Moment
            label={chartTexts.from}
            time={wireTime(range.start)}
            onChange={(time) =>
              setState({ ...state, from: time, to: wireTime(range.end) }, { replace: true })
            }
          />
          –
          <Moment
            label={chartTexts.until}
            time={wireTime(range.end)}
            onChange={(time) =>
              setState({ ...state, from: wireTime(range.start), to: time }, { replace: true })
            }
          />
        </span>
        <span className={styles.steps}>
          <Step label={chartTexts.earlier} sign="‹" onPress={() => show(moved(range, -0.5))} />
          <Step
            label={chartTexts.zoomIn}
            sign="+"
            onPress={() => show(zoomed(range, middleOf(range), 0.5))}
          />
          <Step label={chartTexts.zoomOut} sign="−" onPress={() => show(zoomed(range, middleOf(range), 2))} />
          <Step label={chartTexts.later} sign="›" onPress={() => show(moved(range, 0.5))} />
          {isGiven && (
            <button type="button" className="link-button" onClick={reset}>
              {chartTexts.reset}
            </button>
          )}
        </span>
        <fieldset className={styles.segments} aria-label={chartTexts.views}>
          {(['chart', 'table'] as const).map((as) => (
            <button
              key={as}
              type="button"
              aria-pressed={state.as === as}
              onClick={() => setState({ ...state, as }, { replace: true })}
            >
              {as === 'chart' ? chartTexts.asChart : chartTexts.asTable}
            </button>
          ))}
        </fieldset>
        <ExportButton endpoint={exportSeries} filters={input} />
      </div>
      <KeyChoice
        readings={kept}
        chosen={keys}
        onChange={(next) => setState({ ...state, keys: next }, { replace: true })}
      />
      {query.error && (
        <p className={styles.failure} role="alert">
          {chartTexts.failed}：{query.error.message}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </p>
      )}
      {isSlow && (
        <p className={styles.quiet} role="status">
          {chartTexts.slow}
        </p>
      )}
      {!drawn && !query.error && <Waiting />}
      {drawn &&
        (state.as === 'table' ? (
          <ChartTable title={words.title} series={drawn.series} />
        ) : (
          <Chart
            title={`${device.name ?? device.code} ${words.title}`}
            series={drawn.series}
            marks={drawn.marks}
            range={range}
            isBusy={query.isPlaceholderData}
            onRange={show}
            onReset={reset}
            onRemove={(key) =>
              setState({ ...state, keys: keys.filter((one) => one !== key) }, { replace: true })
            }
            nameOf={(mark) => nameOf(mark)}
          />
        ))}
    </section>
  )
}

const middleOf = ({ start, end }: { start: number; end: number }) => (start + end) / 2

interface Answer {
  series: readonly ReadingSeries[]
  marks: readonly SeriesMark[]
}

/** The answer in seconds, as the chart has it. */
function drawnOf(answer: Answer | undefined): { series: ChartSeries[]; marks: ChartMark[] } | undefined {
  if (!answer) return undefined
  const seconds = (time: string) => (readWireTime(time)?.getTime() ?? 0) / 1_000
  return {
    series: answer.series.map(({ points: all, ...rest }) => ({
      ...rest,
      points: all.map(
        (point) => point && ([seconds(point[0]), point[1], point[2], point[3], point[4]] as const),
      ),
    })),
    marks: answer.marks.map(({ startTime, endTime, name, ...rest }) => ({
      ...rest,
      // A command has the name of its topic.
      name:
        rest.type === 'command'
          ? timelineWords({ kind: 'command', name, state: null, value: null }).title
          : name,
      start: seconds(startTime),
      end: endTime === null ? null : seconds(endTime),
    })),
  }
}

/** What opens the thing that a mark stands for. */
function nameOf(mark: ChartMark): ReactNode {
  if (mark.type !== 'alarm') return mark.name
  return (
    <PageLink
      page="maintenance/exitWarning"
      search={{ tab: 'history', open: mark.id, at: wireTime(mark.start) }}
    >
      {mark.name}
    </PageLink>
  )
}

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
