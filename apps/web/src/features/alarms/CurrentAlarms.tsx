// The tab of current alarms.
import { type AlarmRow, exportAlarms, listAlarms } from '@voltkeep/contract/alarms'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { useSemaphoreLinks } from '../../ui/choices/linked.ts'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { late } from '../../ui/late.tsx'
import { type Column, indexColumn } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { liveBar } from '../../ui/list/LiveBar.tsx'
import { operationColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { useSelection } from '../../ui/list/useSelection.ts'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { AfterRows } from './AfterRows.tsx'
import { AlarmFilters } from './AlarmFilters.tsx'
import { AlarmContent, placeOf, shared } from './alarms.columns.tsx'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'
import { OpenAlarm } from './detail/OpenAlarm.tsx'
import { HandlingChips } from './handle/HandlingChips.tsx'
import { useRights } from './handle/useRights.ts'
import { LevelChips } from './LevelChips.tsx'
import { useAlarmLevels } from './useAlarmLevels.ts'
import { useLiveAlarms } from './useLiveAlarms.ts'

const { fields, live: liveTexts } = alarmTexts

const deeds = () => import('./AlarmDeeds.tsx')
const RowDeeds = late(async () => ({ default: (await deeds()).RowDeeds }))
const CardDeeds = late(async () => ({ default: (await deeds()).CardDeeds }))
const ChosenDeeds = late(async () => ({ default: (await deeds()).ChosenDeeds }))
const RecoveryProgress = late(async () => ({ default: (await deeds()).RecoveryProgress }))

const CauseLines = late(() => import('./causes/CauseLines.tsx'))
/** What has one cause stands in a line above. */
const apart = { assumed: { isCaused: '0' } }

/**
 * At 1440 px the time to the second is the last column in sight, whatever the names; a wider screen gives them more.
 */
const wide = [
  { width: 220, maxWidth: 'max(220px, 14vw)' },
  { width: 160, maxWidth: 'max(160px, 11vw)' },
  { width: 140, maxWidth: 'max(140px, 9vw)' },
] as const

/** The active alarms, updated live. */
export function CurrentAlarms({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useList(listAlarms, apart)
  const live = useLiveAlarms(list)
  const [lines, setLines] = useState(0)
  const row = useOpenRow()
  const linked = useSemaphoreLinks('ALARM')
  const { levels, total } = useAlarmLevels(list)
  const selection = useSelection<AlarmRow>(list)
  const mayRecover = usePermission('alarm:recover')
  const { mayAck, mayAssign, mayClose, mayShelve } = useRights()

  const columns: Column<AlarmRow>[] = [
    indexColumn(list),
    { ...shared.level, sortBy: 'level', render: (alarm) => <Level alarm={alarm} /> },
    { ...shared.content, ...wide[0], render: (alarm) => <AlarmContent alarm={alarm} tellsState /> },
    shared.value,
    shared.device,
    { ...shared.deviceName, ...wide[1] },
    { ...shared.region, ...wide[2] },
    {
      key: 'occurrenceTime',
      title: fields.reportTime,
      sortBy: 'occurrenceTime',
      render: ({ occurrenceTime }) => (
        <span className={styles.since}>
          <RelativeTime time={occurrenceTime} />
        </span>
      ),
    },
    // The row's first action tells it, too; the time is looked for more.
    shared.handling,
    shared.operator,
    shared.model,
    // A current alarm has neither: after what it has.
    shared.recoveryTime,
    shared.recoveryMethod,
    operationColumn(172, (alarm) => (
      <AfterRows>
        <RowDeeds alarm={alarm} onDone={live.take} />
      </AfterRows>
    )),
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
            <HandlingChips list={list} />
          </>
        }
        list={{ ...list, rows: live.rows, total }}
        columns={columns}
        keyOf={({ id }) => id}
        linked={linked}
        filters={(draft) => <AlarmFilters of={draft} hasAll />}
        filtersInLine
        strip={
          <div className={styles.strip}>
            <AfterRows>
              <RecoveryProgress onFinished={list.retry} />
              <CauseLines list={list} onCount={setLines} />
            </AfterRows>
          </div>
        }
        selection={
          mayRecover || mayAck || mayAssign || mayClose || mayShelve
            ? {
                ...selection,
                nameOf: ({ code, semaphoreName }) => `${code} ${semaphoreName}`,
                actions: (
                  <AfterRows>
                    <ChosenDeeds
                      list={list}
                      total={total}
                      selection={selection}
                      rows={live.rows}
                      mayRecover={mayRecover}
                    />
                  </AfterRows>
                ),
              }
            : undefined
        }
        actions={
          <ExportButton endpoint={exportAlarms} filters={list.filters} isDisabled={list.total === 0} />
        }
        card={(alarm) => ({
          lead: (
            <>
              <Level alarm={alarm} isSign /> <AlarmContent alarm={alarm} tellsState />
            </>
          ),
          aside:
            alarm.status === 1 ? (
              <RelativeTime time={alarm.occurrenceTime} isShort />
            ) : (
              alarm.recoveryMethodName
            ),
          second: placeOf(alarm),
          action: (
            <AfterRows>
              <CardDeeds alarm={alarm} onDone={live.take} />
            </AfterRows>
          ),
        })}
        onOpen={({ id, occurrenceTime }) => row.open(id, occurrenceTime)}
        openKey={row.id}
        changedKeys={live.changedKeys}
        live={liveBar(live, { news: () => newsOf(live), stale: liveTexts.stale })}
        empty={{
          title: lines > 0 ? alarmTexts.emptyBeside : alarmTexts.emptyCurrent,
          hint: alarmTexts.emptyCurrentHint,
        }}
        emptyFiltered={alarmTexts.emptyFiltered}
      />
      <OpenAlarm row={row} rows={live.rows} onRecovered={live.take} />
    </>
  )
}

/** The text of the bar above the list: how many new alarms wait to be shown, and how many of them are critical. */
function newsOf({ waitingCount, isOver, waiting }: ReturnType<typeof useLiveAlarms>): string {
  const critical = waiting.filter(({ alarmLevel }) => alarmLevel === 1).length
  const more = isOver ? '+' : ''
  return liveTexts.waiting(
    `${formatCount(waitingCount)}${more}`,
    critical > 0 ? `${formatCount(critical)}${more}` : undefined,
  )
}

/** The level of a recovered alarm is dimmed, like its row (see the styles). */
function Level({ alarm, isSign = false }: { alarm: AlarmRow; isSign?: boolean }) {
  return (
    <span className={alarm.status === 1 ? undefined : styles.over}>
      <LevelTag level={alarm.alarmLevel} isSign={isSign} />
    </span>
  )
}
