import { useQuery } from '@tanstack/react-query'
import { type AlarmRow, listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import {
  listParameterBatches,
  liveParameterBatches,
  type ParameterBatchRow,
} from '@voltkeep/contract/parameterBatches'
import { readWireTime } from '../../../lib/format.ts'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { failedOf } from './overview.todo.ts'

/** Enough for the devices that the list of what needs attention names. */
const alarmsRead = 20
const batchesRead = 10
/** While alarms and batches change, they are read at most this often. */
const rowsPauseMs = 3_000
/** A failed batch is listed for this long. */
const newsMs = 24 * 3_600_000

/** Rows, and whether the first read is still under way: after a failure they are not waited for. */
export interface Urgent<Row> {
  rows: readonly Row[]
  isAwaited: boolean
}

/** The newest critical alarms; none for a user who may not see alarms. */
export function useCriticalAlarms(): Urgent<AlarmRow> {
  const isSeen = useCurrentUser().functionCodes.includes(listAlarms.access)
  const { data, refetch, isLoading, failureCount } = useQuery({
    ...reading(listAlarms, { alarmLevel: [1], status: '1', pageNum: 1, pageSize: alarmsRead }),
    enabled: isSeen,
  })
  useLiveReading(
    refetch,
    (event) => isSeen && event.type !== 'ready' && concerns(event, liveAlarms.noun),
    rowsPauseMs,
  )
  return { rows: data?.rows ?? [], isAwaited: isLoading && failureCount === 0 }
}

/** Batches that somebody has to continue after their trial, and not those that are about to go on by themselves. */
export function useWaitingBatches(): Urgent<ParameterBatchRow> {
  const isSeen = useCurrentUser().functionCodes.includes(listParameterBatches.access)
  const { data, refetch, isLoading, failureCount } = useQuery({
    ...reading(listParameterBatches, { state: ['paused'], pageNum: 1, pageSize: batchesRead }),
    enabled: isSeen,
  })
  useLiveReading(
    refetch,
    (event) => isSeen && event.type !== 'ready' && concerns(event, liveParameterBatches.noun),
    rowsPauseMs,
  )
  const rows = (data?.rows ?? []).filter(({ trial }) => trial?.autoTime === null)
  return { rows, isAwaited: isLoading && failureCount === 0 }
}

/** Batches that ended within a day with devices that did not apply the settings. */
export function useFailedBatches(): Urgent<ParameterBatchRow> {
  const isSeen = useCurrentUser().functionCodes.includes(listParameterBatches.access)
  const { data, dataUpdatedAt, refetch, isLoading, failureCount } = useQuery({
    ...reading(listParameterBatches, { pageNum: 1, pageSize: batchesRead }),
    enabled: isSeen,
  })
  useLiveReading(
    refetch,
    (event) => isSeen && event.type !== 'ready' && concerns(event, liveParameterBatches.noun),
    rowsPauseMs,
  )
  const rows = (data?.rows ?? []).filter(
    ({ finishTime, counts }) =>
      finishTime !== null &&
      dataUpdatedAt - (readWireTime(finishTime)?.getTime() ?? 0) < newsMs &&
      failedOf(counts) > 0,
  )
  return { rows, isAwaited: isLoading && failureCount === 0 }
}
