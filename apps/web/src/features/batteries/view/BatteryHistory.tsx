// The curves of a battery over all the cabinets it was in, as a chart, a table or a file.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { liveBatteries, type StayRow } from '@voltkeep/contract/batteries'
import { exportBatterySeries, readBatterySeries } from '@voltkeep/contract/batterySeries'
import type { ReadingSeries } from '@voltkeep/contract/readingSeries'
import { useMemo } from 'react'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { ChartView, curvesOf, type Drawn, secondsOf, useChartRange } from '../../../ui/chart/ChartView.tsx'
import type { ChartMark } from '../../../ui/chart/chart.data.ts'
import { ChartSearch } from '../../../ui/chart/chart.state.ts'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import { ExportButton } from '../../../ui/list/ExportButton.tsx'
import { batteryTexts } from '../batteries.texts.ts'

const { battery: words } = batteryTexts
const heightPx = 300

export default function BatteryHistory({ code }: { code: string }) {
  const [state, setState] = useUrlState(ChartSearch)
  const asked = useChartRange(state)
  const input = { code, ...asked.times }
  const query = useQuery({
    ...reading(readBatterySeries, { ...input, points: asked.points }),
    placeholderData: keepPreviousData,
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(query.refetch, (event) => concerns(event, liveBatteries.noun, code))
  const drawn = useMemo(() => drawnOf(query.data), [query.data])
  const stays = new Map(query.data?.stays.map((stay) => [stay.id, stay]))
  return (
    <ChartView
      title={`${words.title(code)} ${words.history}`}
      tableTitle={words.history}
      state={state}
      onState={(next) => setState(next, { replace: true })}
      asked={asked}
      drawn={drawn}
      query={query}
      file={<ExportButton endpoint={exportBatterySeries} filters={input} />}
      emptyHint={words.noHistoryHint}
      heightPx={heightPx}
      nameOf={(mark) => nameOf(mark, stays.get(mark.id))}
    />
  )
}

function drawnOf(
  answer: { series: readonly ReadingSeries[]; stays: readonly StayRow[] } | undefined,
): Drawn | undefined {
  if (!answer) return undefined
  return {
    series: curvesOf(answer.series),
    marks: answer.stays.map(({ id, deviceCode, compartment, startTime, endTime }) => ({
      type: 'stay',
      id,
      name: `${deviceCode} ${batteryTexts.compartment(compartment)}`,
      start: secondsOf(startTime),
      end: endTime === null ? null : secondsOf(endTime),
    })),
  }
}

function nameOf({ name }: ChartMark, stay: StayRow | undefined) {
  if (!stay) return name
  return (
    <>
      <DeviceCode code={stay.deviceCode} id={stay.deviceId} /> {batteryTexts.compartment(stay.compartment)}
    </>
  )
}
