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
import { type ReactNode, useMemo } from 'react'
import { useUrlState } from '../../../lib/urlState.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { ChartView, curvesOf, type Drawn, secondsOf, useChartRange } from '../../../ui/chart/ChartView.tsx'
import type { ChartMark } from '../../../ui/chart/chart.data.ts'
import { wireTime } from '../../../ui/chart/chart.ranges.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ExportButton } from '../../../ui/list/ExportButton.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { Waiting } from '../../../ui/Waiting.tsx'
import { useReadings } from '../cabinet/useCabinet.ts'
import styles from './History.module.css'
import { HistorySearch, keysOf } from './history.state.ts'
import { historyTexts as words } from './history.texts.ts'
import { KeyChoice } from './KeyChoice.tsx'

export default function HistoryView({ device }: { device: Device }) {
  const [state, setState] = useUrlState(HistorySearch)
  const asked = useChartRange(state)
  const readings = useReadings(device.id)
  const kept = (readings.data ?? []).filter(({ hasHistory }) => hasHistory)
  const keys = keysOf(state.keys, kept)
  const input = { id: device.id, keys, ...asked.times }
  const query = useQuery({
    ...reading(readSeries, { ...input, points: asked.points }),
    enabled: keys.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
    meta: { isQuiet: true },
  })
  const switches = (readings.data ?? []).filter(({ value }) => typeof value === 'boolean')
  const switchKeys = switches.map(({ key }) => key).join()
  const drawn = useMemo(() => drawnOf(query.data, switchKeys.split(',')), [query.data, switchKeys])
  const show = (next: typeof state) => setState(next, { replace: true })

  if (readings.isPending) return <Waiting />
  if (keys.length === 0 && !readings.isError) return <EmptyState title={words.none} hint={words.noneHint} />
  return (
    <section className={styles.history} aria-label={words.title}>
      <ChartView
        title={`${device.name ?? device.code} ${words.title}`}
        tableTitle={words.title}
        state={state}
        onState={show}
        asked={asked}
        drawn={drawn}
        query={query}
        file={<ExportButton endpoint={exportSeries} filters={input} />}
        choice={
          <KeyChoice readings={kept} chosen={keys} onChange={(next) => show({ ...state, keys: [...next] })} />
        }
        onRemove={(key) => show({ ...state, keys: keys.filter((one) => one !== key) })}
        nameOf={nameOf}
      />
    </section>
  )
}

interface Answer {
  series: readonly ReadingSeries[]
  marks: readonly SeriesMark[]
}

function drawnOf(answer: Answer | undefined, switchKeys: readonly string[]): Drawn | undefined {
  if (!answer) return undefined
  return {
    series: curvesOf(answer.series).map((curve) => ({
      ...curve,
      isSwitch: switchKeys.includes(curve.key),
    })),
    marks: answer.marks.map(({ startTime, endTime, name, ...rest }) => ({
      ...rest,
      // A command has the name of its topic.
      name:
        rest.type === 'command'
          ? timelineWords({ kind: 'command', name, state: null, value: null }).title
          : name,
      start: secondsOf(startTime),
      end: endTime === null ? null : secondsOf(endTime),
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
