/**
 * Kills the process that packs readings, with SIGKILL, again and again while reports come, and compares what is packed in
 * the end with what was acknowledged. A system test does it at every point of the work; `bench:readings-kills` as often as
 * one wants, also at random moments.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createHistoryConsumer } from '../src/features/readings/history/history.intake.ts'
import { createKeyBudget } from '../src/features/readings/history/key-budget.ts'
import { unpackHour, unpackReport, unpackSlots } from '../src/features/readings/history/packing/index.ts'
import { firstNamedId } from '../src/features/readings/history/reading-ids.ts'
import type { SealingPoint } from '../src/features/readings/history/sealing.ts'
import { createThinning, ordinaryRule } from '../src/features/readings/history/thinning.ts'
import type { OpenDatabase } from '../src/platform/database/database.ts'
import { statusReport, writeReports } from './readings.ts'

export const sealingPoints: readonly SealingPoint[] = [
  'read',
  'merged',
  'written',
  'advanced',
  'committed',
  'emptied',
  'ended',
  'addedUp',
]

/** At a point of the work, the how manieth time it is there; or so long after the work began. */
export type SealingKill = { point: SealingPoint; times: number } | { afterMs: number }

export interface SealingKills {
  /** How many of the processes were killed before they were done. */
  kills: number
  acknowledged: number
  /** One per value that was acknowledged and is not packed as it came, or packed and never acknowledged. */
  differences: string[]
  /** Reports that nobody has packed. */
  open: number
  /** Greatest values: of all that was acknowledged, and as the day's statistics have it. */
  greatest: { acknowledged: number; added: number }
}

const hourMs = 3_600_000
const devices = Array.from({ length: 40 }, (_, n) => n + 1)

export async function killSealing(
  database: Pick<OpenDatabase, 'db' | 'pool'> & { url: string; ownerUrl: string },
  /** Undefined: the process may do its work to the end. */
  kills: readonly (SealingKill | undefined)[],
): Promise<SealingKills> {
  const { pool } = database
  const consumer = createHistoryConsumer({
    keys: createKeyBudget({ db: database.db, complain: () => undefined }),
    thinning: createThinning({ namesOfDevice: 10, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: () => undefined,
  })
  /** Two days ago, so that its statistics are made, too. */
  const startMs = new Date(new Date().setHours(0, 0, 0, 0)).getTime() - 48 * hourMs
  /** `device id time` → value, as the open table has it when it is acknowledged. */
  const acknowledged = new Map<string, number | boolean>()
  let round = 0

  /** A few thousand reports: new ones, late ones of hours that are packed, and some that come again. */
  const write = async () => {
    round += 1
    for (const device of devices) {
      const batch = Array.from({ length: 80 }, (_, n) =>
        statusReport(device, startMs + ((round * 7 + n) % 20) * hourMs + n * 1_000 + (round % 5), {
          a: round * 100 + n,
          b: n % 2 === 0,
        }),
      )
      await writeReports(database, consumer, batch)
    }
    const { rows } = await pool.query<{ device_id: number; at: Date; body: Buffer }>(
      'SELECT device_id, at, body FROM reading_open ORDER BY arrived_at, ctid',
    )
    for (const { device_id, at, body } of rows) {
      const { ids, values } = unpackReport(body)
      for (const [place, id] of ids.entries()) {
        const key = `${device_id} ${id} ${at.getTime()}`
        if (!acknowledged.has(key)) acknowledged.set(key, values[place] as number | boolean)
      }
    }
    // As if nothing had been packed of this hour of arrival yet.
    await pool.query('UPDATE reading_sealing SET ended_at = NULL, after_device_id = 0, report_count = 0')
  }
  const pack = async (kill: SealingKill | undefined): Promise<NodeJS.Signals | null> => {
    const { url, ownerUrl } = database
    const script = join(import.meta.dirname, 'sealing-process.ts')
    const now = Date.now() + 60 * hourMs
    const { point, times } = kill && 'point' in kill ? kill : { point: 'none', times: 0 }
    const child = spawn(process.execPath, [script, url, ownerUrl, String(now), point, String(times)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const exit = once(child, 'exit')
    if (kill && 'afterMs' in kill) {
      await Promise.race([once(child, 'message'), exit])
      await Promise.race([delay(kill.afterMs), exit])
      child.kill('SIGKILL')
    }
    const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null]
    if (signal === null && code !== 0) throw new Error(`packing ended with ${code}`)
    return signal
  }

  let count = 0
  for (const planned of kills) {
    for (let kill = planned; ; ) {
      await write()
      const isKilled = (await pack(kill)) === 'SIGKILL'
      await pool.query('UPDATE reading_rollup SET ended_at = NULL, after_device_id = 0')
      if (isKilled) count += 1
      if (isKilled || kill === undefined) break
      // It was done before that: an earlier moment, or the first time that it is at that point.
      if ('afterMs' in kill) kill = { afterMs: kill.afterMs / 2 }
      else if (kill.times > 1) kill = { ...kill, times: kill.times - 1 }
      else throw new Error(`packing never was at "${kill.point}"`)
    }
  }
  if ((await pack(undefined)) !== null) throw new Error('packing to the end was killed')

  const packed = new Map<string, number | boolean>()
  const doubled: string[] = []
  const { rows } = await pool.query<{ device_id: number; hour: number; block: Buffer }>(
    'SELECT device_id, hour, block FROM reading_hour',
  )
  for (const { device_id, hour, block } of rows) {
    const { times, series } = unpackHour(block)
    for (const [id, values] of series)
      for (const [at, value] of values.entries())
        if (value !== null) {
          const key = `${device_id} ${id} ${hour * hourMs + (times[at] as number)}`
          if (packed.has(key)) doubled.push(`${key} is there twice`)
          packed.set(key, value)
        }
  }
  const { rows: open } = await pool.query('SELECT count(*)::int AS n FROM reading_open')
  const { rows: days } = await pool.query<{ block: Buffer }>('SELECT block FROM reading_day')
  const greatestOf = (values: Iterable<number>) => {
    let greatest = -Infinity
    for (const value of values) greatest = Math.max(greatest, value)
    return greatest
  }
  return {
    kills: count,
    acknowledged: acknowledged.size,
    differences: [
      ...doubled,
      ...[...acknowledged]
        .filter(([key, value]) => packed.get(key) !== value)
        .map(([key, value]) => `${key} was ${value} and is ${packed.get(key)}`),
      ...[...packed.keys()]
        .filter((key) => !acknowledged.has(key))
        .map((key) => `${key} was never acknowledged`),
    ],
    open: open[0].n,
    greatest: {
      acknowledged: greatestOf([...acknowledged.values()].map(Number)),
      added: greatestOf(
        days.flatMap(({ block }) =>
          [...unpackSlots(block).series.values()].flatMap((all) => all.map((one) => one?.max ?? 0)),
        ),
      ),
    },
  }
}
