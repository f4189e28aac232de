import type { AlarmRow } from '@voltkeep/contract/alarms'
import { formatDuration, readWireTime } from '../../lib/format.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { FlagTag } from '../../ui/FlagTag.tsx'
import { LevelTag } from '../../ui/LevelTag.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'

const { fields } = alarmTexts

/** The columns that both tabs show alike. */
export const shared = {
  level: {
    key: 'level',
    title: fields.level,
    width: 72,
    render: ({ alarmLevel }) => <LevelTag level={alarmLevel} />,
  },
  content: {
    key: 'content',
    title: fields.content,
    maxWidth: 300,
    render: ({ semaphoreName, semaphoreCode }) => (
      <span className={styles.content} title={`${semaphoreName} ${semaphoreCode}`}>
        <span className={styles.name}>{semaphoreName}</span>
        {semaphoreName !== semaphoreCode && <span className={styles.code}>{semaphoreCode}</span>}
      </span>
    ),
  },
  device: {
    key: 'device',
    title: fields.code,
    render: ({ code, equipId, isOnline }) => <DeviceCode code={code} id={equipId} isOnline={isOnline} />,
  },
  operator: {
    key: 'operator',
    title: fields.operator,
    maxWidth: 168,
    render: ({ operatorName }) => <span title={operatorName}>{operatorName}</span>,
  },
  model: {
    key: 'model',
    title: fields.model,
    maxWidth: 140,
    render: ({ equipModelName }) => <span title={equipModelName}>{equipModelName}</span>,
  },
  value: {
    key: 'value',
    title: fields.value,
    width: 72,
    align: 'right',
    render: ({ value }) => <AlarmValue value={value} />,
  },
  flag: {
    key: 'flag',
    title: fields.flag,
    width: 64,
    render: ({ flag }) => <FlagTag flag={flag} />,
  },
  recoveryTime: {
    key: 'recoveryTime',
    title: fields.recoveryTime,
    width: 158,
    render: ({ recoveryTime }) => recoveryTime ?? <Nothing />,
  },
  recoveryMethod: {
    key: 'recoveryMethod',
    title: fields.recoveryMethod,
    width: 76,
    render: ({ recoveryMethodName }) => recoveryMethodName ?? <Nothing />,
  },
} satisfies Record<string, Column<AlarmRow>>

/** Decimal as it travelled; in hexadecimal on hover, as manuals list the bits. */
export function AlarmValue({ value }: { value: number }) {
  return (
    <span className="mono" title={`0x${value.toString(16).toUpperCase()}`}>
      {value}
    </span>
  )
}

/** From occurrence to recovery, or until now. */
export function durationOf(row: Pick<AlarmRow, 'occurrenceTime' | 'recoveryTime'>, now: Date): string {
  const from = readWireTime(row.occurrenceTime)
  const until = row.recoveryTime ? readWireTime(row.recoveryTime) : now
  return from && until ? formatDuration(until.getTime() - from.getTime()) : '—'
}
