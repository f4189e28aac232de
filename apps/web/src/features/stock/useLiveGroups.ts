import { listStock, liveStock, type StockRow } from '@voltkeep/contract/stock'
import { useState } from 'react'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { call } from '../../lib/wire/call.ts'
import type { List } from '../../ui/list/useList.ts'

interface Fresh {
  /** The reading whose rows these are. */
  of: readonly StockRow[]
  rows: ReadonlyMap<string, StockRow>
}

/**
 * The page's groups with the sums that they have now, in the order in which they were read: nothing moves under its
 * reader. Devices stay as they are: these have rows of their own in the live stream.
 */
export function useLiveGroups(list: List<typeof listStock.input, StockRow>): readonly StockRow[] {
  const [fresh, setFresh] = useState<Fresh>()
  const { filters, rows } = list
  useLiveReading(
    async () => {
      const now = await call(listStock, filters).catch(() => undefined)
      // What was read for another page counts for none: its rows are others.
      if (now) setFresh({ of: rows, rows: new Map(now.rows.map((row) => [row.id, row])) })
    },
    (event) => filters.groupBy !== 'device' && concerns(event, liveStock.noun),
  )
  return fresh?.of === rows ? rows.map((row) => fresh.rows.get(row.id) ?? row) : rows
}
