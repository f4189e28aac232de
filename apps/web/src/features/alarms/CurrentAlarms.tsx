import { type AlarmRow, exportAlarms, listAlarms } from '@voltkeep/contract/alarms'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useSemaphoreLinks } from '../../ui/choices/linked.ts'
import { LevelTag } from '../../ui/LevelTag.tsx'
import { type Column, indexColumn } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useOpenRow } from '../../ui/useOpenRow.ts'
import { AlarmDetail } from './AlarmDetail.tsx'
import { AlarmFilters } from './AlarmFilters.tsx'
import { AlarmContent, placeOf, shared } from './alarms.columns.tsx'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'
import { DecodeButton } from './DecodeButton.tsx'
import { RecoverButton } from './RecoverButton.tsx'
import { useLiveAlarms } from './useLiveAlarms.ts'

const { fields, live: liveTexts } = alarmTexts

/** What is wrong right now, as it happens. */
export function CurrentAlarms({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useList(listAlarms)
  const live = useLiveAlarms(list)
  const row = useOpenRow()
  const linked = useSemaphoreLinks('ALARM')

  const columns: Column<AlarmRow>[] = [
    indexColumn(list),
    { ...shared.level, render: (alarm) => <Level alarm={alarm} /> },
    { ...shared.content, render: (alarm) => <AlarmContent alarm={alarm} tellsState /> },
    shared.value,
    shared.device,
    shared.deviceName,
    shared.region,
    {
      key: 'occurrenceTime',
      title: fields.reportTime,
      width: 198,
      render: ({ occurrenceTime }) => <RelativeTime time={occurrenceTime} />,
    },
    shared.recoveryTime,
    shared.recoveryMethod,
    shared.operator,
    shared.model,
    {
      key: 'operation',
      title: texts.list.operation,
      width: 114,
      fixed: 'right',
      render: (alarm) => (
        <span className={styles.operations}>
          <DecodeButton alarm={alarm} />
          <RecoverButton alarm={alarm} onRecovered={live.take} />
        </span>
      ),
    },
  ]

  return (
    <>
      <ListPage
        title={title}
        head={head}
        list={{ ...list, rows: live.rows }}
        columns={columns}
        keyOf={({ id }) => id}
        linked={linked}
        filters={(draft) => <AlarmFilters of={draft} hasAll />}
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
          action: <DecodeButton alarm={alarm} />,
        })}
        onOpen={({ id, occurrenceTime }) => row.open(id, occurrenceTime)}
        openKey={row.id}
        changedKeys={live.changedKeys}
        live={{
          count: live.waitingCount || (live.isStale ? 1 : 0),
          text: () =>
            live.waitingCount > 0
              ? liveTexts.waiting(`${formatCount(live.waitingCount)}${live.isOver ? '+' : ''}`)
              : liveTexts.stale,
          onShow: live.show,
        }}
        empty={{ title: alarmTexts.emptyCurrent, hint: alarmTexts.emptyCurrentHint }}
        emptyFiltered={alarmTexts.emptyFiltered}
      />
      {row.id && (
        <AlarmDetail key={row.id} id={row.id} at={row.at} onClose={row.close} onRecovered={live.take} />
      )}
    </>
  )
}

/** Of an alarm that is over the sign steps back, and the row with it: see the styles. */
function Level({ alarm, isSign = false }: { alarm: AlarmRow; isSign?: boolean }) {
  return (
    <span className={alarm.status === 1 ? undefined : styles.over}>
      <LevelTag level={alarm.alarmLevel} isSign={isSign} />
    </span>
  )
}
