// Commands to connected devices until all are answered: the rate, and what one costs.
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { CommandLedger } from '../apps/server/test/command-ledger.ts'

/** Commands per transaction. */
const sentAtOnce = 1_000
/** Far longer than the run, so that no command is sent twice. */
const intervalMs = 3_600_000

interface Spent {
  server: number
  database: number
}

/** Throws where one is not done, or not with one attempt. Deletes all commands that there were. */
export async function measureCommands({
  databaseUrl,
  devices: deviceCount,
  commands: commandCount,
  cpu,
}: {
  databaseUrl: string
  /** So many of the first devices, all of them connected. */
  devices: number
  commands: number
  cpu: () => Spent
}): Promise<{ rate: number; count: number; cpu: Spent }> {
  const database = await openDatabase({ url: databaseUrl, zone: 'UTC', poolSize: 4 })
  try {
    const { pool } = database
    const { rows: devices } = await pool.query<{ id: number; code: string }>(
      'SELECT id, code FROM device ORDER BY id LIMIT $1',
      [deviceCount],
    )
    await pool.query('TRUNCATE device_command')
    await pool.query('VACUUM ANALYZE device_command')
    const ledger = new CommandLedger()
    const before = cpu()
    const startedAt = performance.now()
    for (let sent = 0; sent < commandCount; sent += sentAtOnce) {
      const from = sent % deviceCount
      await ledger.send(database, devices.slice(from, from + sentAtOnce), { intervalMs })
    }
    for (;;) {
      // Ordered, so that the query uses the index.
      const { rows } = await pool.query(
        'SELECT 1 FROM device_command WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1',
      )
      if (rows.length === 0) break
      await delay(100)
    }
    const elapsedMs = performance.now() - startedAt
    const after = cpu()
    const { rows: results } = await pool.query<{ n: number; attempts: number }>(
      `SELECT count(*)::int AS n, sum(attempts)::int AS attempts FROM device_command WHERE outcome = 'done'`,
    )
    const { n = 0, attempts = 0 } = results[0] ?? {}
    if (n !== ledger.promised.size || attempts !== n) {
      throw new Error(`${ledger.promised.size} commands, ${n} done in ${attempts} attempts`)
    }
    return {
      rate: n / (elapsedMs / 1000),
      count: n,
      cpu: { server: after.server - before.server, database: after.database - before.database },
    }
  } finally {
    await database.close()
  }
}
