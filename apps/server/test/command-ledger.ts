// Records commands as promised, executed and ended. A difference means that a command was lost or executed twice.
import { setTimeout as delay } from 'node:timers/promises'
import type { TroublePlan } from '@voltkeep/simulator/commands/trouble'
import { Registry } from 'prom-client'
import { type OpenDatabase, openDatabase } from '../src/platform/database/database.ts'
import { createCommands } from '../src/platform/devices/commands/commands.ts'
import { createLog } from '../src/platform/process/log.ts'
import { databaseUrlOf } from './embedded-url.ts'

/** A short interval, so that a command lost in a crash is soon sent again. */
const rule = { maxAttempts: 10_000, intervalMs: 2_000 }
const deadlineInMs = 3_600_000

/** Runs a function with the database of a running server process. */
export async function withDatabase<T>(
  { dataDir }: { dataDir: string },
  work: (pool: OpenDatabase['pool']) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ url: databaseUrlOf(dataDir), zone: 'UTC', poolSize: 1 })
  try {
    return await work(database.pool)
  } finally {
    await database.close()
  }
}

/**
 * Sends commands as another process of the server would (one with only the role api), and records which were
 * promised, that is committed, and which the devices have executed.
 */
export class CommandLedger {
  /** Ids of committed commands. */
  readonly promised = new Set<string>()
  /** Executions by device code. */
  readonly executed = new Map<string, number>()
  readonly #commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })
  #serial = 0

  /** A trouble plan that counts: a simulated device asks its plan exactly once per execution of a command. */
  readonly counting =
    (code: string): TroublePlan =>
    () =>
    () => {
      this.executed.set(code, (this.executed.get(code) ?? 0) + 1)
      return undefined
    }

  /** Sends one command to each device in one transaction. Throws the database's errors. */
  async send(
    { db }: OpenDatabase,
    devices: readonly { id: number; code: string }[],
    { intervalMs = rule.intervalMs } = {},
  ): Promise<void> {
    const deadline = new Date(Date.now() + deadlineInMs)
    const commands = devices.map(({ id, code }) => {
      this.#serial += 1
      return {
        deviceId: id,
        deviceCode: code,
        topic: 'withdraw' as const,
        body: { advertisementId: `a${this.#serial}` },
        deadline,
        rule: { ...rule, intervalMs },
      }
    })
    const ids = await db.transaction().execute((trx) => this.#commands.send(trx, commands))
    for (const id of ids) this.promised.add(id)
  }

  /** Sends to random devices until aborted, across restarts of the server. */
  async storm(dataDir: string, signal: AbortSignal, pauseMs = 20): Promise<void> {
    while (!signal.aborted) {
      let database: OpenDatabase | undefined
      try {
        database = await open(dataDir)
        const { rows: devices } = await database.pool.query<{ id: number; code: string }>(
          'SELECT id, code FROM device ORDER BY id',
        )
        for (let turn = 0; !signal.aborted; turn += 1) {
          await this.send(
            database,
            devices.filter((_, n) => n % 4 === turn % 4),
          )
          await delay(pauseMs)
        }
      } catch {
        // The server is being killed or started. Whether the last transaction was committed is unknown.
        await delay(50)
      } finally {
        await database?.close().catch(() => undefined)
      }
    }
  }

  /** Waits until every command has ended; returns the differences, one per line. */
  async differences(place: string): Promise<string[]> {
    const database = await open(place)
    try {
      const { pool } = database
      for (;;) {
        const { rows } = await pool.query('SELECT 1 FROM device_command WHERE next_at IS NOT NULL LIMIT 1')
        if (rows.length === 0) break
        await delay(100)
      }
      const { rows } = await pool.query<{
        id: string
        code: string
        topic: string
        result: string
        outcome: string | null
      }>('SELECT id, device_code AS code, topic, result, outcome FROM device_command')
      const known = new Set(rows.map(({ id }) => id))
      // Those of others, which the plan does not count, have their outcome alone.
      const counted = rows.filter(({ topic }) => topic === 'withdraw')
      const counts = Map.groupBy(counted, ({ code }) => code)
      return [
        ...[...this.promised].filter((id) => !known.has(id)).map((id) => `lost ${id}`),
        ...rows
          .filter(({ outcome }) => outcome !== 'done')
          .map(({ id, code, result, outcome }) => `${code} ${id}: ${result} ${outcome}`),
        ...[...counts]
          .filter(([code, own]) => own.length !== (this.executed.get(code) ?? 0))
          .map(([code, own]) => `${code}: ${own.length} commands, ${this.executed.get(code) ?? 0} executed`),
      ]
    } finally {
      await database.close()
    }
  }
}

/** The embedded database of a data directory, or the one of an address. */
const open = (place: string) =>
  openDatabase({
    url: place.startsWith('postgresql:') ? place : databaseUrlOf(place),
    zone: 'UTC',
    poolSize: 2,
  })
