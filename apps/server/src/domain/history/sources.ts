/** A partitioned history that is counted: rows with a moment, an id, a place and a semaphore code. */
export interface HistorySource {
  /** `source` in the counters. */
  id: 1 | 2
  table: 'alarm_history' | 'event_history'
}

export const historySources = {
  alarm: { id: 1, table: 'alarm_history' },
  event: { id: 2, table: 'event_history' },
} as const satisfies Record<string, HistorySource>

/** Where a device stands, as its history rows carry it. */
export interface Place {
  operatorId: number
  modelId: number
  regionId: number
}
