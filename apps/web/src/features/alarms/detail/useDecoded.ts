import { useQuery } from '@tanstack/react-query'
import { decodeAlarms } from '@voltkeep/contract/alarms'
import { liveDictionary } from '@voltkeep/contract/dictionary'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'

/**
 * The definitions that are set in a value, for a family of devices. Read again whenever they are shown, and when the
 * dictionary changes under an open dialog, because operators act on them.
 */
export function useDecoded(code: string, value: number, classify: string, isEnabled = true) {
  const isAsked = isEnabled && value !== 0
  const decoded = useQuery({
    ...reading(decodeAlarms, { alarmCodes: [{ alarmCode: value, code }], classify }),
    staleTime: 0,
    enabled: isAsked,
  })
  useLiveReading(decoded.refetch, (event) => isAsked && concerns(event, liveDictionary.noun))
  return decoded
}
