import { useQuery } from '@tanstack/react-query'
import { decodeAlarms } from '@voltkeep/contract/alarms'
import { reading } from '../../lib/wire/reading.ts'

/** The definitions set in a value, for a family of devices. */
export function useDecoded(code: string, value: number, classify: string, isEnabled = true) {
  return useQuery({
    ...reading(decodeAlarms, { alarmCodes: [{ alarmCode: value, code }], classify }),
    enabled: isEnabled && value !== 0,
  })
}
