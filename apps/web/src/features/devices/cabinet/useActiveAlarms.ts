import { useQuery } from '@tanstack/react-query'
import { listAlarms } from '@voltkeep/contract/alarms'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useLiveDevice } from '../useLiveDevices.ts'

/** Covers all compartments of a cabinet. */
const alarmsShown = 100

/** The active alarms of a device, for who may list alarms; read again with the device. */
export function useActiveAlarms(id: string) {
  // Alarms belong to another page: the user's functions decide, not those of this page.
  const mayRead = useCurrentUser().functionCodes.includes(listAlarms.access)
  const alarms = useQuery({
    ...reading(listAlarms, { equipId: id, pageNum: 1, pageSize: alarmsShown }),
    enabled: mayRead,
    meta: { isQuiet: true },
  })
  useLiveDevice(id, () => void (mayRead && alarms.refetch()))
  const { data, error, isSuccess, refetch } = alarms
  return { mayRead, data, error, isSuccess, refetch }
}
