import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AlarmRow, countAlarmLevels, type listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import { liveDictionary } from '@voltkeep/contract/dictionary'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import type { List } from '../../ui/list/useList.ts'

/**
 * The counts of active alarms are read at most this often. The counts of all alarms are expensive and change little.
 */
const activePauseMs = 2_000
const otherPauseMs = 30_000

export interface AlarmLevels {
  /** Alarms of each level that pass the other filters; undefined until they are counted. */
  levels: readonly { level: number; count: number }[] | undefined
  /** How many alarms pass all filters now. */
  total: number
}

/** The counts beside a list of alarms, as the live stream changes them. */
export function useAlarmLevels(list: List<typeof listAlarms.input, AlarmRow>): AlarmLevels {
  const {
    pageNum: _page,
    pageSize: _size,
    sortBy: _by,
    sortOrder: _order,
    alarmLevel: chosen,
    ids,
    ...others
  } = list.filters
  const query = useQuery({
    ...reading(countAlarmLevels, others),
    placeholderData: keepPreviousData,
    retry: false,
    // The list shows connection errors.
    meta: { isQuiet: true },
  })
  useLiveReading(
    query.refetch,
    (event) => concerns(event, liveAlarms.noun) || concerns(event, liveDictionary.noun),
    others.status === '1' ? activePauseMs : otherPauseMs,
  )
  const levels = query.data?.levels
  const isNewer = query.isSuccess && !query.isPlaceholderData && query.dataUpdatedAt > list.readAtMs
  // The live stream adds rows to an empty list, which then shows their number.
  if (!levels || !isNewer || ids || list.rows.length === 0) return { levels, total: list.total }
  const passing = chosen?.length ? levels.filter(({ level }) => chosen.some((one) => one === level)) : levels
  return { levels, total: passing.reduce((sum, { count }) => sum + count, 0) }
}
