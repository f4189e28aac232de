// The tab of past alarms.
import { BarChartOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { countHistoryLevels, exportAlarmHistory, listAlarmHistory } from '@voltkeep/contract/alarmHistory'
import type { AlarmHistoryRow } from '@voltkeep/contract/alarms'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { usePage } from '../../lib/pages.ts'
import { usePreference } from '../../lib/preferences.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useSemaphoreLinks } from '../../ui/choices/linked.ts'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { type Column, indexColumn } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useLastMonth } from '../../ui/list/useLastMonth.ts'
import { type List, useList } from '../../ui/list/useList.ts'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { RelativeTime, useNow } from '../../ui/time/RelativeTime.tsx'
import { AlarmFilters } from './AlarmFilters.tsx'
import { AlarmContent, durationOf, placeOf, StateTag, shared } from './alarms.columns.tsx'
import { alarmTexts } from './alarms.texts.ts'
import { OpenAlarm } from './detail/OpenAlarm.tsx'
import { LevelChips } from './LevelChips.tsx'
import { HistorySums } from './sums/HistorySums.tsx'
import { sumTexts } from './sums/sums.texts.ts'

const { fields } = alarmTexts

/** Every episode from occurrence to recovery; the last 30 days unless a range is chosen. */
export default function AlarmHistory({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useList(listAlarmHistory, { assumed: useLastMonth() })
  const row = useOpenRow()
  const linked = useSemaphoreLinks('ALARM')
  const now = useNow()
  const levels = useLevels(list)
  const [isSummed = false, setSummed] = usePreference('alarmDays')

  const columns: Column<AlarmHistoryRow>[] = [
    indexColumn(list),
    shared.level,
    shared.device,
    { ...shared.content, maxWidth: 'max(220px, 14vw)' },
    textColumn('occurrenceTime', fields.occurrenceTime, { sortBy: 'occurrenceTime', width: 152 }),
    { ...shared.recoveryTime, width: 152 },
    { key: 'duration', title: fields.duration, width: 96, render: (alarm) => durationOf(alarm, now) },
    { ...shared.recoveryMethod, title: fields.state, width: 132, render: (alarm) => <Outcome of={alarm} /> },
    textColumn('note', fields.note, { maxWidth: 180 }),
    shared.deviceName,
    shared.region,
    shared.operator,
    shared.model,
    shared.value,
    shared.flag,
    shared.handling,
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={alarmTexts.measure}
        head={
          <>
            {head}
            <LevelChips list={list} levels={levels} />
          </>
        }
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linked={linked}
        filters={(draft) => <AlarmFilters of={draft} hasAll={false} />}
        strip={isSummed && <HistorySums list={list} />}
        actions={
          <>
            <Button
              icon={<BarChartOutlined />}
              aria-label={sumTexts.show}
              title={sumTexts.show}
              aria-expanded={isSummed}
              onClick={() => setSummed(!isSummed)}
            />
            <ExportButton
              endpoint={exportAlarmHistory}
              filters={list.filters}
              isDisabled={list.total === 0}
            />
          </>
        }
        card={(alarm) => ({
          lead: (
            <>
              <LevelTag level={alarm.alarmLevel} isSign /> <AlarmContent alarm={alarm} />
            </>
          ),
          aside: <RelativeTime time={alarm.occurrenceTime} isShort />,
          second: placeOf(alarm),
          action: alarm.recoveryMethodName ?? alarmTexts.states.active,
        })}
        onOpen={({ id, occurrenceTime }) => row.open(id, occurrenceTime)}
        openKey={row.id}
        empty={{ title: alarmTexts.emptyHistory, hint: alarmTexts.emptyHistoryHint }}
        emptyFiltered={alarmTexts.emptyFiltered}
      />
      <OpenAlarm row={row} rows={list.rows} />
    </>
  )
}

/** How many alarms of each level pass the other filters. */
function useLevels(list: List<typeof listAlarmHistory.input, AlarmHistoryRow>) {
  const {
    pageNum: _page,
    pageSize: _size,
    sortBy: _by,
    sortOrder: _order,
    alarmLevel: _level,
    ...others
  } = list.filters
  const { data } = useQuery({
    ...reading(countHistoryLevels, others),
    placeholderData: keepPreviousData,
    retry: false,
    // The list shows connection errors.
    meta: { isQuiet: true },
  })
  return data?.levels
}

/** Whether the alarm is over, and how: by itself, or by whom. */
function Outcome({ of: alarm }: { of: AlarmHistoryRow }) {
  const { status, recoveryMethodName, recoveredBy } = alarm
  if (status === 1) return <StateTag status={status} />
  return [recoveryMethodName, recoveredBy].filter(Boolean).join(' · ')
}
