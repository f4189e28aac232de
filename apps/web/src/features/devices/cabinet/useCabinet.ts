import { useQuery } from '@tanstack/react-query'
import { listCompartments } from '@voltkeep/contract/compartments'
import { liveDevices } from '@voltkeep/contract/devices'
import { listReadings, liveReadings, readingsWatchedMs } from '@voltkeep/contract/readings'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'

/** A device may report every three seconds; what is shown of it moves at most once in this time. */
const pauseMs = 1_000
/** The server tells of a device for a while after somebody has read it: a silent one is read again within that. */
const renewMs = readingsWatchedMs / 2

/** The compartments of a device, read again when it reports and when its alarms change. */
export function useCompartments(id: string) {
  const query = useQuery({
    ...reading(listCompartments, { id }),
    refetchInterval: renewMs,
    retry: false,
    meta: { isQuiet: true },
  })
  useReports(id, () => query.refetch())
  return query
}

/** Whether a device has compartments; until that is read, as its class has. */
export function useHasCompartments({ id, equipClassify }: { id: string; equipClassify: string }): boolean {
  const { data } = useQuery({ ...reading(listCompartments, { id }), retry: false, meta: { isQuiet: true } })
  return data ? data.count > 0 : classesWithCompartments.includes(equipClassify)
}

const classesWithCompartments = ['EC', 'CC']

/** The newest values of a device, read again when it reports. */
export function useReadings(id: string) {
  const query = useQuery({
    ...reading(listReadings, { id }),
    refetchInterval: renewMs,
    retry: false,
    meta: { isQuiet: true },
  })
  useReports(id, () => query.refetch())
  return query
}

function useReports(id: string, read: () => unknown): void {
  useLiveReading(
    read,
    (event) => concerns(event, liveReadings.noun, id) || concerns(event, liveDevices.noun, id),
    pauseMs,
  )
}
