// For programs that look at the schema: a database that is as the migrations make it, and gone afterwards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { createLog } from '../../process/log.ts'
import { openDatabase } from '../database.ts'
import { startEmbeddedPostgres } from '../embedded/embedded.ts'
import { migrate } from './migrate.ts'

export async function withFreshSchema<Result>(work: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-schema-'))
  const log = createLog({ level: 'warn' })
  const postgres = await startEmbeddedPostgres({ dataDir, log, zone: 'UTC', isDurable: false })
  try {
    const database = await openDatabase({ url: postgres.ownerUrl, zone: 'UTC', poolSize: 1 })
    await migrate(database.pool)
    const result = await work(database.pool)
    await database.close()
    return result
  } finally {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
