// Whose names of readings find room on a real database, and when a name goes.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { type Reading, statusReport, writeReports } from '../../../../test/readings.ts'
import { createHistoryConsumer } from './history.intake.ts'
import { dropOldReadings } from './history.jobs.ts'
import { createKeyBudget, keyLimits } from './key-budget.ts'
import { makeReadingPartitions } from './partitions-of-readings.ts'
import { firstNamedId } from './reading-ids.ts'
import { createThinning, ordinaryRule } from './thinning.ts'

const retention = { rawDays: 30, hourDays: 400, dayYears: 1 }
const limits = { ofDevice: 3, inAll: 16, ofEachBranch: 2, ofNobody: 4 }
const minuteMs = 60_000

let database: TestDatabase
/** Two branches. */
let greedy: number
let modest: number
let nowMs: number

beforeEach(async () => {
  database = await createTestDatabase()
  greedy = await insertOrganization(database.db, { parentId: null })
  modest = await insertOrganization(database.db, { parentId: null })
  nowMs = 0
})
afterEach(() => database.close())

const deviceOf = async (organizationId: number) => {
  const { db } = database
  return (await insertDevice(db, { operatorId: await insertOperator(db, { organizationId }) })).id
}
const deleteDevice = async (id: number) => {
  await sql`DELETE FROM device WHERE id = ${id}`.execute(database.db)
}
/** One process that takes reports. */
function process(own = limits) {
  const keys = createKeyBudget({
    db: database.db,
    limits: own,
    complain: () => undefined,
    now: () => nowMs,
  })
  const consumer = createHistoryConsumer({
    keys,
    thinning: createThinning({ namesOfDevice: 300, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: () => undefined,
  })
  const at = Date.now()
  return {
    keys,
    report: (...batch: [deviceId: number, names: readonly string[]][]) =>
      writeReports(
        database,
        consumer,
        batch.map(([deviceId, names]) =>
          statusReport(deviceId, at, Object.fromEntries(names.map((name): [string, Reading] => [name, 1]))),
        ),
      ),
  }
}
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(2, '0')}`)
const kept = async (prefix = '') => {
  const { rows } = await database.pool.query<{ key: string }>(
    'SELECT key FROM reading_key WHERE starts_with(key, $1) ORDER BY key',
    [prefix],
  )
  return rows.map(({ key }) => key)
}

describe('names of readings', () => {
  test('of one device are so many', async () => {
    const { report } = process()
    await report([await deviceOf(greedy), names('a', 5)])
    expect(await kept()).toEqual(names('a', 3))
  })

  test('of a branch are half of what the others leave, whatever becomes of its devices', async () => {
    const { report } = process()
    for (let round = 0; round < 6; round += 1) {
      const id = await deviceOf(greedy)
      await report([id, names(`a${round}-`, 3)])
      await deleteDevice(id)
    }
    expect(await kept('a')).toHaveLength(8)
    for (let round = 0; round < 3; round += 1) await report([await deviceOf(modest), names(`b${round}-`, 3)])
    expect(await kept('b')).toHaveLength(4)
  })

  test('go to the organization above when theirs is deleted', async () => {
    const { report } = process()
    for (let round = 0; round < 6; round += 1) {
      const below = await insertOrganization(database.db, { parentId: greedy })
      const id = await deviceOf(below)
      await report([id, names(`a${round}-`, 3)])
      await deleteDevice(id)
      await sql`DELETE FROM operator WHERE organization_id = ${below}`.execute(database.db)
      await sql`DELETE FROM organization WHERE id = ${below}`.execute(database.db)
    }
    expect((await kept('a')).length).toBeLessThanOrEqual(8)
    await report([await deviceOf(modest), names('b', 3)])
    expect(await kept('b')).toEqual(names('b', 3))
  })

  test('find room within the own of each branch, where the others have all', async () => {
    await database.pool.query(
      `INSERT INTO reading_key (key, device_id, organization_id) SELECT 'a' || n, 0, $1 FROM generate_series(1, 40) AS n`,
      [greedy],
    )
    const { report } = process()
    await report([await deviceOf(modest), names('b', 3)])
    expect(await kept('b')).toEqual(names('b', 2))
  })

  test('that are refused to one organization are not to another, in the same batch or later', async () => {
    const { report, keys } = process()
    const full = await deviceOf(greedy)
    const other = await deviceOf(modest)
    await report([full, names('a', 3)])
    await report([full, ['b', 'c']])
    expect(keys.idOf('b')).toBeUndefined()
    await report([full, ['b', 'c', 'd']], [other, ['b', 'd']])
    expect(await kept()).toEqual([...names('a', 3), 'b', 'd'])
    await report([other, ['c']])
    expect(await kept('c')).toEqual(['c'])
    // What others have made is kept of it, too.
    await report([full, ['c']])
    expect(keys.idOf('c')).toBeTypeOf('number')
  })

  test('that were refused are asked for again after ten minutes', async () => {
    const { report } = process()
    const full = await deviceOf(greedy)
    await report([full, names('a', 4)])
    await database.pool.query(`DELETE FROM reading_key WHERE key = 'a00'`)
    nowMs = 9 * minuteMs
    await report([full, ['a03']])
    expect(await kept('a03')).toEqual([])
    nowMs = 10 * minuteMs
    await report([full, ['a03']])
    expect(await kept('a03')).toEqual(['a03'])
  })

  test('of the catalogue count for nobody, so many of them', async () => {
    await deviceOf(greedy)
    await sql`
      INSERT INTO reading_definition (equip_type_id, key, name, deadband, longest_seconds, order_num)
      SELECT (SELECT id FROM equip_type LIMIT 1), key, key, 0, 900, 0
      FROM unnest(${names('c', 6)}::text[]) AS key`.execute(database.db)
    const { report } = process()
    await report([await deviceOf(greedy), [...names('a', 3), ...names('c', 4)]])
    expect(await kept()).toEqual([...names('a', 3), ...names('c', 4)])
    for (let round = 0; round < 3; round += 1) await report([await deviceOf(greedy), names(`a${round}-`, 3)])
    expect(await kept('a')).toHaveLength(8)
    // Beyond that they count as any other.
    await report([await deviceOf(modest), ['c04']])
    await report([await deviceOf(greedy), ['c05']])
    expect(await kept('c')).toEqual(names('c', 5))
  })

  test('of devices that are gone are so few, and of nobody', async () => {
    const { report } = process()
    for (const id of [900_001, 900_002, 900_003]) await report([id, names(`a${id}-`, 3)])
    expect(await kept('a')).toHaveLength(4)
  })

  test('are no more where processes add them at the same time', async () => {
    const devices = [await deviceOf(greedy), await deviceOf(greedy)]
    const blocker = await database.owner.connect()
    await blocker.query(`SELECT pg_advisory_lock(hashtextextended('reading_key made', 0))`)
    const reports = devices.map((id) => process().report([id, names(`a${id}-`, 3)]))
    try {
      // Both have looked for room before somebody adds.
      await expect
        .poll(async () => {
          const { rows } = await database.owner.query(
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
          return rows.length
        })
        .toBe(2)
      await database.owner.query(
        `INSERT INTO reading_key (key, device_id, organization_id) SELECT 'a' || n, 0, $1 FROM generate_series(1, 4) AS n`,
        [greedy],
      )
    } finally {
      await blocker.query('SELECT pg_advisory_unlock_all()')
      blocker.release()
    }
    await Promise.all(reports)
    expect(await kept('a')).toHaveLength(8)
  })
})

describe('a name', () => {
  const usedAgo = (name: string, days: number) =>
    database.pool.query("UPDATE reading_key SET used_at = now() - $2 * interval '1 day' WHERE key = $1", [
      name,
      days,
    ])
  const isUsedNow = async (name: string) => {
    const { rows } = await database.pool.query<{ isNow: boolean }>(
      `SELECT used_at > now() - interval '1 hour' AS "isNow" FROM reading_key WHERE key = $1`,
      [name],
    )
    return rows[0]?.isNow
  }
  const drop = () =>
    dropOldReadings({ pool: database.pool, owner: database.owner, retention, now: new Date() })

  test('is written down as used once in thirty days, by each process that meets it', async () => {
    const id = await deviceOf(greedy)
    const { report } = process(keyLimits)
    await report([id, ['a', 'b']])
    await usedAgo('a', 31)
    await usedAgo('b', 29)
    await report([id, ['a', 'b']])
    expect(await isUsedNow('a')).toBe(false)
    nowMs = 10 * minuteMs
    await report([id, ['a', 'b']])
    expect(await isUsedNow('a')).toBe(true)
    expect(await isUsedNow('b')).toBe(false)
    await usedAgo('b', 31)
    await process(keyLimits).report([id, ['b']])
    expect(await isUsedNow('b')).toBe(true)
  })

  test('goes with the last of what is kept of its time, and comes back under another id', async () => {
    const { report, keys } = process(keyLimits)
    const id = await deviceOf(greedy)
    await report([id, ['a', 'b', 'c']])
    const [a, b] = [keys.idOf('a'), keys.idOf('b')]
    // The year of its last use and the one before have a partition.
    const year = new Date().getFullYear()
    const daysSince = (at: Date) => (Date.now() - at.getTime()) / 86_400_000
    await makeReadingPartitions(database.owner, { at: [new Date(year - 1, 5, 1)], retention })
    await usedAgo('a', daysSince(new Date(year - 2, 9, 1)))
    await usedAgo('b', daysSince(new Date(year - 2, 11, 1)))
    await drop()
    expect(await kept()).toEqual(['b', 'c'])
    // Until it is looked up anew, the process has the id of before.
    nowMs = 10 * minuteMs
    await report([id, ['a', 'b']])
    expect(keys.idOf('a')).toBeGreaterThan(a as number)
    expect(keys.idOf('b')).toBe(b)
  })

  test('that has gone and finds no room has no id', async () => {
    const { report, keys } = process()
    const id = await deviceOf(greedy)
    await report([id, names('a', 3)])
    await database.pool.query(`UPDATE reading_key SET key = 'b' WHERE key = 'a00'`)
    nowMs = 10 * minuteMs
    await report([id, ['a00']])
    expect(keys.idOf('a00')).toBeUndefined()
  })
})
