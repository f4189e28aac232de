// Readings while the process that packs them is killed, with SIGKILL, at every point of its work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHistoryConsumer } from '../src/features/readings/history/history.intake.ts'
import { createKeyBudget } from '../src/features/readings/history/key-budget.ts'
import { unpackHour, unpackReport, unpackSlots } from '../src/features/readings/history/packing/index.ts'
import { firstNamedId } from '../src/features/readings/history/reading-ids.ts'
import type { SealingPoint } from '../src/features/readings/history/sealing.ts'
import { createThinning, ordinaryRule } from '../src/features/readings/history/thinning.ts'
import { databaseOfTests } from './database.ts'
import { statusReport, writeReports } from './readings.ts'

const hourMs = 3_600_000
const points: SealingPoint[] = [
  'read',
  'merged',
  'written',
  'advanced',
  'committed',
  'emptied',
  'ended',
  'addedUp',
]
const devices = Array.from({ length: 40 }, (_, n) => n + 1)

test('kills at every point lose nothing that was acknowledged and double nothing', async () => {
  const database = await databaseOfTests()
  const { pool } = database
  const consumer = createHistoryConsumer({
    keys: createKeyBudget({ pool, complain: () => undefined }),
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
  const pack = async (point: string, times: number): Promise<NodeJS.Signals | null> => {
    const { url, ownerUrl } = database
    const script = join(import.meta.dirname, 'sealing-process.ts')
    const now = Date.now() + 60 * hourMs
    const child = spawn(process.execPath, [script, url, ownerUrl, String(now), point, String(times)], {
      stdio: 'inherit',
    })
    const [, signal] = await once(child, 'exit')
    return signal
  }

  let kills = 0
  for (const times of [1, 2]) {
    for (const point of points) {
      await write()
      // The hour before this one has its partition, too, and nothing in it: its end comes first.
      const isOfEnd = point === 'emptied' || point === 'ended' || point === 'committed'
      if ((await pack(point, isOfEnd ? times + 1 : times)) === 'SIGKILL') kills += 1
      await pool.query('UPDATE reading_rollup SET ended_at = NULL, after_device_id = 0')
    }
  }
  expect(await pack('none', 0)).toBeNull()
  expect(kills).toBe(2 * points.length)

  const packed = new Map<string, number | boolean>()
  const { rows } = await pool.query<{ device_id: number; hour: number; block: Buffer }>(
    'SELECT device_id, hour, block FROM reading_hour',
  )
  for (const { device_id, hour, block } of rows) {
    const { times, series } = unpackHour(block)
    for (const [id, values] of series)
      for (const [at, value] of values.entries())
        if (value !== null) packed.set(`${device_id} ${id} ${hour * hourMs + (times[at] as number)}`, value)
  }
  expect(packed.size).toBe(acknowledged.size)
  expect([...acknowledged].filter(([key, value]) => packed.get(key) !== value)).toEqual([])
  const { rows: open } = await pool.query('SELECT count(*)::int AS n FROM reading_open')
  expect(open[0].n).toBe(0)
  const { rows: days } = await pool.query<{ block: Buffer }>('SELECT block FROM reading_day')
  expect(days.length).toBeGreaterThan(0)
  const greatest = Math.max(...[...acknowledged.values()].map(Number))
  const stated = days.flatMap(({ block }) =>
    [...unpackSlots(block).series.values()].flatMap((all) => all.map((one) => one?.max ?? 0)),
  )
  expect(Math.max(...stated)).toBe(greatest)
})
