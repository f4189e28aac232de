import { useQuery } from '@tanstack/react-query'
import { codesIn } from '@voltkeep/contract/codes'
import { listDevices, liveDevices } from '@voltkeep/contract/devices'
import { AutoComplete } from 'antd'
import { useDeferredValue } from 'react'
import { connectionOf } from '../../lib/browser/connection.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

const offered = 20

/** Devices whose codes begin with the typed text; online devices while the field is empty. */
export function useDevices(code: string) {
  const asked = useDeferredValue(code)
  const query = useQuery({
    ...reading(
      listDevices,
      asked === '' ? { isOnline: 1, pageSize: offered } : { code: asked, pageSize: offered },
    ),
    // A user who may not list devices types the whole code, so an error is not shown.
    meta: { isQuiet: true },
    retry: false,
  })
  useLiveReading(query.refetch, (event) => concerns(event, liveDevices.noun))
  const rows = query.data?.rows ?? []
  return { rows, device: rows.find((row) => row.code === code) }
}

export interface DeviceInputProps {
  id?: string
  value?: string | undefined
  onChange?: (code: string) => void
  devices: ReturnType<typeof useDevices>
}

/** A text field for a device's code, with suggestions. */
export function DeviceInput({ id, value = '', onChange, devices }: DeviceInputProps) {
  return (
    <AutoComplete
      {...(id !== undefined && { id })}
      className={styles.control ?? ''}
      value={value}
      placeholder={logTexts.devicePlaceholder}
      allowClear
      // Enter takes the first suggestion, and screen readers announce it.
      defaultActiveFirstOption
      onChange={(code: string | undefined) => onChange?.(codesIn(code ?? '')[0] ?? '')}
      options={devices.rows.map(({ code, name, operatorName, ...device }) => ({
        value: code,
        label: (
          <span className={styles.device}>
            <span className="mono">{code}</span>
            <OnlineTag isOnline={connectionOf(device)} />
            <span className={styles.quiet}>{name ?? operatorName}</span>
          </span>
        ),
      }))}
    />
  )
}
