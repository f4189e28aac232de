// One alarm beside the list: what it means, its device, its past, its recovery.
import { useQuery } from '@tanstack/react-query'
import { listAlarmHistory } from '@voltkeep/contract/alarmHistory'
import { type AlarmRow, liveAlarms, readAlarm } from '@voltkeep/contract/alarms'
import { liveDictionary } from '@voltkeep/contract/dictionary'
import type { DataFor } from '@voltkeep/contract/endpoint'
import { Suspense } from 'react'
import { useDetailTitle } from '../../../lib/browser/title.ts'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { ReportingDevice } from '../../../ui/detail/ReportingDevice.tsx'
import { stepsFrom } from '../../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../../ui/detail/UnreadPanel.tsx'
import { late } from '../../../ui/late.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { RelativeTime, useNow } from '../../../ui/time/RelativeTime.tsx'
import { AlarmValue, durationOf } from '../alarms.columns.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'
import { HandleActions } from '../handle/HandleActions.tsx'
import { HandlingRecord } from '../handle/HandlingRecord.tsx'
import { RecoverButton } from '../recover/RecoverButton.tsx'
import { RepeatRecord } from '../repeats/RepeatRecord.tsx'
import { ShelfRecord } from '../shelves/ShelfRecord.tsx'
import { AlarmTimeline } from './AlarmTimeline.tsx'
import own from './detail.module.css'
import { decodeTexts, detailTexts } from './detail.texts.ts'
import { useDecoded } from './useDecoded.ts'

type Alarm = DataFor<typeof readAlarm>

const AlarmNotices = late(() => import('./AlarmNotices.tsx'))

const { fields } = alarmTexts

/** One alarm: what it means, where it is, since when it is active, and what the same semaphore did before. */
export default function AlarmDetail({
  id,
  at,
  rows,
  onOpen,
  onClose,
  onRecovered = () => {},
}: {
  id: string
  /** The occurrence time, where the address contains it. */
  at: string | undefined
  /**
   * The page of the list that the panel is opened from: its row is shown until the answer arrives, and its steps go
   * through the rows.
   */
  rows: readonly AlarmRow[]
  onOpen: (alarm: { id: string; occurrenceTime: string }) => void
  onClose: () => void
  onRecovered?: (alarm: AlarmRow) => void
}) {
  const known = rows.find((row) => row.id === id)
  const query = useQuery({
    ...reading(readAlarm, { id, occurrenceTime: at }),
    // The list's row is shown until the answer arrives.
    placeholderData: known && { ...known, firstValue: known.value, lateReports: [] },
    retry: false,
    // The error is shown in the panel.
    meta: { isQuiet: true },
  })
  const alarm = query.isError ? undefined : query.data
  useLiveReading(
    query.refetch,
    (event) => concerns(event, liveAlarms.noun, id) || concerns(event, liveDictionary.noun),
  )
  useDetailTitle(alarm ? `${alarm.semaphoreName} ${alarm.code}` : '')
  if (!alarm)
    return (
      <UnreadPanel title={alarmTexts.title} notFound={detailTexts.notFound} query={query} onClose={onClose} />
    )
  return (
    <DetailPanel
      title={[alarm.semaphoreName, alarm.meaning].filter(Boolean).join(' · ')}
      tags={<LevelTag level={alarm.alarmLevel} />}
      actions={
        <HandleActions key={id} alarm={alarm} onHandled={onRecovered} isButton>
          <RecoverButton alarm={alarm} onRecovered={onRecovered} isButton />
        </HandleActions>
      }
      steps={stepsFrom(rows, id, onOpen)}
      of={id}
      onClose={onClose}
    >
      <Now alarm={alarm} />
      {alarm.repeatCount > 1 && <RepeatRecord alarm={alarm} onOpen={onOpen} />}
      {alarm.isShelved && <ShelfRecord alarm={alarm} />}
      <HandlingRecord alarm={alarm} />
      <Suspense>
        <AlarmNotices alarm={alarm} />
      </Suspense>
      <Decoded alarm={alarm} />
      <ReportingDevice of={alarm} />
      <Recovery alarm={alarm} />
      <LateReports alarm={alarm} />
      <AlarmTimeline alarm={alarm} onOpen={onOpen} />
      <Past alarm={alarm} onOpen={onOpen} />
    </DetailPanel>
  )
}

function Now({ alarm }: { alarm: Alarm }) {
  const now = useNow()
  const isActive = alarm.status === 1
  return (
    <DetailSection
      title={isActive ? alarmTexts.states.active : alarmTexts.states.recovered}
      aside={
        isActive ? alarmTexts.lasting(durationOf(alarm, now)) : `${fields.duration} ${durationOf(alarm, now)}`
      }
    >
      <Facts
        facts={[
          [fields.occurrenceTime, <RelativeTime key="time" time={alarm.occurrenceTime} />],
          [fields.value, <AlarmValue key="value" value={alarm.value} />],
          [fields.semaphoreCode, <CopyText key="code" text={alarm.semaphoreCode} />],
          [fields.firstValue, <AlarmValue key="first" value={alarm.firstValue} />],
        ]}
      />
    </DetailSection>
  )
}

/** The bits of the present value; where the alarm has recovered to zero, those of the first value. */
function Decoded({ alarm }: { alarm: Alarm }) {
  const isPermitted = usePermission('alarm:detail')
  const value = alarm.value || alarm.firstValue
  const decoded = useDecoded(alarm.semaphoreCode, value, alarm.equipClassify, isPermitted)
  if (!isPermitted || value === 0) return null
  return (
    <DetailSection title={detailTexts.decoded} aside={alarm.value === 0 ? decodeTexts.ofFirst : undefined}>
      {decoded.data?.length === 0 && <p className={styles.hint}>{decodeTexts.empty}</p>}
      {decoded.isError && <p className={styles.hint}>{decoded.error.message}</p>}
      <ul className={own.bits}>
        {decoded.data?.map(({ bitPosition, name, analysisType }) => (
          <li key={bitPosition} className={own.bit}>
            <span className={own.position}>
              {analysisType === 'BIT' ? decodeTexts.bit(bitPosition) : decodeTexts.whole(bitPosition)}
            </span>
            <span>{name}</span>
          </li>
        ))}
      </ul>
    </DetailSection>
  )
}

function Recovery({ alarm }: { alarm: Alarm }) {
  if (alarm.status === 1) return null
  return (
    <DetailSection title={detailTexts.recovery}>
      <Facts
        facts={[
          [fields.recoveryTime, alarm.recoveryTime],
          [fields.recoveryMethod, alarm.recoveryMethodName],
          [fields.recoveredBy, alarm.recoveredBy],
          [
            fields.note,
            alarm.note && (
              <span key="note" className={styles.note}>
                {alarm.note}
              </span>
            ),
          ],
        ]}
      />
    </DetailSection>
  )
}

function LateReports({ alarm }: { alarm: Alarm }) {
  if (alarm.lateReports.length === 0) return null
  return (
    <DetailSection title={detailTexts.late}>
      <p className={styles.hint}>{detailTexts.lateHint}</p>
      <ul className={own.bits}>
        {alarm.lateReports.map(({ time, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be equal, and none moves
          <li key={at} className={own.bit}>
            <span>{time}</span>
            <AlarmValue value={value} />
          </li>
        ))}
      </ul>
    </DetailSection>
  )
}

/** Earlier alarms of the same semaphore on this device. */
function Past({
  alarm,
  onOpen,
}: {
  alarm: Alarm
  onOpen: (alarm: { id: string; occurrenceTime: string }) => void
}) {
  const isPermitted = usePermission('alarm:history')
  const now = useNow()
  const past = useQuery({
    ...reading(listAlarmHistory, {
      equipId: alarm.equipId,
      semaphoreCode: [alarm.semaphoreCode],
      pageNum: 1,
      pageSize: 10,
    }),
    enabled: isPermitted,
  })
  if (!isPermitted) return null
  const others = (past.data?.rows ?? []).filter(({ id }) => id !== alarm.id)
  return (
    <DetailSection
      title={detailTexts.past}
      aside={
        <PageLink
          page="maintenance/exitWarning"
          search={{ tab: 'history', code: alarm.code, semaphoreName: alarm.semaphoreCode }}
        >
          {detailTexts.pastAll}
        </PageLink>
      }
    >
      {past.isSuccess && others.length === 0 && <p className={styles.hint}>{detailTexts.pastNone}</p>}
      <div className={own.past}>
        {others.map((other) => (
          <button key={other.id} type="button" className={own.pastRow} onClick={() => onOpen(other)}>
            <span className={styles.moment}>{other.occurrenceTime}</span>
            {other.meaning ? (
              <span className={styles.name}>{other.meaning}</span>
            ) : (
              <AlarmValue value={other.value} />
            )}
            <span>
              {durationOf(other, now)} · {other.recoveryMethodName ?? alarmTexts.states.active}
            </span>
          </button>
        ))}
      </div>
    </DetailSection>
  )
}
