// How much is kept: points of this process by what became of them, and the bytes of each table on disk.
import type { ServerInfo } from '@voltkeep/contract'
import { sql } from 'kysely'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Db } from '../../../platform/database/database.ts'
import type { ReadingRetention } from './partitions-of-readings.ts'
import type { Thinned } from './thinning.ts'

export type ReadingFigures = NonNullable<ServerInfo['readings']>

export function createFigures({
  db,
  metrics,
  remembered,
  retention: { rawDays, hourDays, dayYears },
}: {
  db: Db
  metrics: Registry
  remembered: () => number
  retention: ReadingRetention
}) {
  const points = new Counter({
    name: 'voltkeep_readings_total',
    help: 'Readings of status reports, by what became of them: kept, thinned (unchanged), refused (too many names, or too many in an hour)',
    labelNames: ['fate'],
    registers: [metrics],
  })
  new Gauge({
    name: 'voltkeep_readings_remembered',
    help: 'Readings whose last kept value this process remembers, to leave out what has not changed',
    registers: [metrics],
    collect() {
      this.set(remembered())
    },
  })
  const inAll: Thinned = { kept: 0, thinned: 0, refused: 0 }
  let hasCounted = false

  return {
    count({ kept, thinned, refused }: Readonly<Thinned>): void {
      hasCounted = true
      inAll.kept += kept
      inAll.thinned += thinned
      inAll.refused += refused
      if (kept > 0) points.inc({ fate: 'kept' }, kept)
      if (thinned > 0) points.inc({ fate: 'thinned' }, thinned)
      if (refused > 0) points.inc({ fate: 'refused' }, refused)
    },
    async read(): Promise<ReadingFigures> {
      const of = await readBytes(db)
      return {
        stores: [
          { level: 'open', sizeBytes: of('reading_open'), keptDays: null },
          { level: 'raw', sizeBytes: of('reading_hour'), keptDays: rawDays },
          { level: 'hour', sizeBytes: of('reading_day'), keptDays: hourDays },
          { level: 'day', sizeBytes: of('reading_month'), keptDays: dayYears * 365 },
        ],
        keptCount: hasCounted ? inAll.kept : null,
        thinnedCount: hasCounted ? inAll.thinned : null,
        refusedCount: hasCounted ? inAll.refused : null,
      }
    },
  }
}

/** All partitions with their indexes and what stands beside them. */
async function readBytes(db: Db): Promise<(name: string) => number> {
  const { rows } = await sql<{ name: string; bytes: string }>`
    SELECT p.relname AS name, coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)::text AS bytes
    FROM pg_class p LEFT JOIN pg_inherits i ON i.inhparent = p.oid
    WHERE p.relname IN ('reading_open', 'reading_hour', 'reading_day', 'reading_month') AND p.relkind = 'p'
    GROUP BY p.relname`.execute(db)
  return (name: string) => Number(rows.find((row) => row.name === name)?.bytes ?? 0)
}
