import { type RawBuilder, sql } from 'kysely'

/**
 * Rows that are counted: with a moment, an id, a place and a semaphore code. Reported ones are a partitioned history each;
 * the others are those episodes of the alarm history whose handling is settled in a state.
 */
export interface HistorySource {
  /** `source` in the counters. */
  id: 1 | 2 | 3 | 4 | 5
  table: 'alarm_history' | 'event_history' | 'alarm_settled'
  /** Of a settled one. */
  state: 'closed' | 'inProgress' | 'recoveredUnacknowledged' | null
  /** Counted by the level of its code, too. */
  hasLevels: boolean
}

export const historySources = {
  alarm: { id: 1, table: 'alarm_history', state: null, hasLevels: true },
  event: { id: 2, table: 'event_history', state: null, hasLevels: false },
  closed: { id: 3, table: 'alarm_settled', state: 'closed', hasLevels: true },
  inProgress: { id: 4, table: 'alarm_settled', state: 'inProgress', hasLevels: true },
  recoveredUnacknowledged: {
    id: 5,
    table: 'alarm_settled',
    state: 'recoveredUnacknowledged',
    hasLevels: true,
  },
} as const satisfies Record<string, HistorySource>

/** Those that devices report. Of these, triggers keep the settled ones where they are: migration 0128. */
export const reportedSources = [historySources.alarm, historySources.event] as const

export const settledSources = [
  historySources.closed,
  historySources.inProgress,
  historySources.recoveredUnacknowledged,
] as const

/** The rows of a source, as a relation. */
export const rowsOf = ({ table, state }: HistorySource): RawBuilder<unknown> =>
  state === null ? sql.table(table) : sql`(SELECT * FROM alarm_settled WHERE state = ${state})`

/**
 * The rows of a source that the counters have in them. What is settled outlives its month until a job deletes it, and a
 * month that has left has no counters.
 */
export const countedRowsOf = (source: HistorySource): RawBuilder<unknown> =>
  source.state === null
    ? rowsOf(source)
    : sql`(SELECT * FROM ${rowsOf(source)} AS s
        WHERE EXISTS (SELECT FROM alarm_history a WHERE a.occurred_at = s.occurred_at AND a.id = s.id))`

/** The sources that are counted by level, as a list. */
export const withLevels = sql.join(
  Object.values(historySources).flatMap(({ id, hasLevels }) => (hasLevels ? [sql.lit(id)] : [])),
)

/** Where a device stands, as its history rows carry it. */
export interface Place {
  operatorId: number
  modelId: number
  regionId: number
}
