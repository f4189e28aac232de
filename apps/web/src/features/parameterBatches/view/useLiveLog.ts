import { type BatchLogRow, listBatchLog, liveBatchDevices } from '@voltkeep/contract/parameterBatches'
import { useEffect, useState } from 'react'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { call } from '../../../lib/wire/call.ts'
import type { List } from '../../../ui/list/useList.ts'

/** While devices answer, the log is read at most this often. */
const pauseMs = 2_000
/** Rows read in addition to the visible ones: attempts that began since. */
const marginRows = 100
const mostRows = 500

interface News {
  rows: ReadonlyMap<string, BatchLogRow>
  total: number
}

/**
 * The log with live updates: visible attempts change in place, and new ones wait behind a bar, so that no row moves
 * while the user reads. An empty log shows new rows at once.
 */
export function useLiveLog(list: List<never, BatchLogRow>, batchId: string) {
  const [news, setNews] = useState<News>()
  const { filters, pageNum, pageSize, readAtMs, retry } = list
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new read contains the waiting rows
  useEffect(() => setNews(undefined), [readAtMs])
  useLiveReading(
    async () => {
      if (list.total === 0) return retry()
      const answer = await call(listBatchLog, {
        ...(filters as object),
        id: batchId,
        pageNum: 1,
        pageSize: Math.min(mostRows, pageNum * pageSize + marginRows),
      })
      setNews({ rows: new Map(answer.rows.map((row) => [row.id, row])), total: answer.total })
    },
    (event) => concerns(event, liveBatchDevices.noun),
    pauseMs,
  )
  return {
    rows: list.rows.map((row) => news?.rows.get(row.id) ?? row),
    waitingCount: Math.max(0, (news?.total ?? list.total) - list.total),
    show: () => (pageNum === 1 ? retry() : list.turn(1, pageSize)),
  }
}
