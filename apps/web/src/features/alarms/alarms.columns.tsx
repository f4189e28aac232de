// Columns that the lists of alarms share.
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { formatDuration, readWireTime } from '../../lib/format.ts'
import { shortRegion } from '../../lib/regions.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { late } from '../../ui/late.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { FlagTag } from '../../ui/marks/FlagTag.tsx'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { AfterRows } from './AfterRows.tsx'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'
import { HandlingTag } from './handle/HandlingTag.tsx'

const { fields } = alarmTexts

const RepeatMark = late(() => import('./repeats/RepeatMark.tsx'))

/** The columns that both tabs show alike. */
export const shared = {
  level: {
    key: 'level',
    title: fields.level,
    width: 64,
    render: ({ alarmLevel }) => <LevelTag level={alarmLevel} />,
  },
  content: {
    key: 'content',
    title: fields.content,
    maxWidth: 236,
    render: (alarm) => <AlarmContent alarm={alarm} />,
  },
  device: {
    key: 'device',
    title: fields.code,
    fixed: 'left',
    render: ({ code, equipId, isOnline }) => <DeviceCode code={code} id={equipId} isOnline={isOnline} />,
  },
  deviceName: textColumn('equipName', fields.name, { maxWidth: 200 }),
  region: {
    key: 'region',
    title: fields.region,
    maxWidth: 160,
    render: ({ regionName, address }) => (
      <span title={[regionName, address].filter(Boolean).join(' ')}>{shortRegion(regionName)}</span>
    ),
  },
  operator: textColumn('operatorName', fields.operator, { key: 'operator', maxWidth: 168 }),
  model: textColumn('equipModelName', fields.model, { key: 'model', maxWidth: 140 }),
  handling: {
    key: 'handling',
    title: alarmTexts.handle.state,
    width: 120,
    render: (alarm) => <HandlingTag alarm={alarm} />,
  },
  value: {
    key: 'value',
    title: fields.value,
    width: 56,
    align: 'right',
    render: ({ value }) => (
      <span className={styles.quiet}>
        <AlarmValue value={value} />
      </span>
    ),
  },
  flag: {
    key: 'flag',
    title: fields.flag,
    width: 76,
    render: ({ flag }) => <FlagTag flag={flag} />,
  },
  recoveryTime: textColumn('recoveryTime', fields.recoveryTime, { width: 158 }),
  recoveryMethod: textColumn('recoveryMethodName', fields.recoveryMethod, {
    key: 'recoveryMethod',
    width: 76,
  }),
} satisfies Record<string, Column<AlarmRow>>

/** The alarm's name and, where the dictionary defines it, the meaning of its value. */
export function AlarmContent({ alarm, tellsState = false }: { alarm: AlarmRow; tellsState?: boolean }) {
  const { semaphoreName, semaphoreCode, meaning, status, repeatCount } = alarm
  return (
    <span
      className={styles.content}
      title={[semaphoreName, meaning, semaphoreCode].filter(Boolean).join(' · ')}
    >
      <span className={styles.name}>
        {semaphoreName}
        {meaning && <span className={styles.meaning}> · {meaning}</span>}
      </span>
      {repeatCount > 1 && (
        <AfterRows>
          <RepeatMark alarm={alarm} />
        </AfterRows>
      )}
      {tellsState && status === 0 && <span className={styles.recovered}>{alarmTexts.states.recovered}</span>}
      {semaphoreName !== semaphoreCode && <span className={styles.code}>{semaphoreCode}</span>}
    </span>
  )
}

/** 告警中 or 已恢复: the same term wherever an alarm's state is shown. */
export function StateTag({ status }: Pick<AlarmRow, 'status'>) {
  return (
    <span className={styles.state} data-active={status === 1 || undefined}>
      {status === 1 ? alarmTexts.states.active : alarmTexts.states.recovered}
    </span>
  )
}

/** The second line of a card: which device, and where; the name is cut before the place. */
export const placeOf = ({ code, equipName, regionName }: AlarmRow) =>
  [code, shortRegion(regionName), equipName].filter(Boolean).join(' · ')

/** Decimal, as the device reported it; hexadecimal on hover, as manuals list the bits. */
export function AlarmValue({ value }: { value: number }) {
  return (
    <span className="mono" title={`0x${value.toString(16).toUpperCase()}`}>
      {value}
    </span>
  )
}

/** The time from occurrence to recovery, or until now. */
export function durationOf(row: Pick<AlarmRow, 'occurrenceTime' | 'recoveryTime'>, now: Date): string {
  const from = readWireTime(row.occurrenceTime)
  const until = row.recoveryTime ? readWireTime(row.recoveryTime) : now
  return from && until ? formatDuration(until.getTime() - from.getTime()) : '—'
}
