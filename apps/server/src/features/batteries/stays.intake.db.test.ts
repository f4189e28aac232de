import type { Compartment } from '@voltkeep/contract'
import type { StatusReport } from '@voltkeep/contract/topics/index'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice } from '../../../test/factories.ts'
import { times } from '../../../test/long.ts'
import { everything } from '../../domain/access/data-scope.ts'
import { beginByIndex, type Connection, inTransaction } from '../../platform/database/transaction.ts'
import type { Report, StatusConsumer } from '../../platform/devices/ingest/reports.ts'
import { newestStatus } from '../devices/index.ts'
import * as queries from './batteries.queries.ts'
import { newCodesPerDay, staysPerDay } from './battery-budget.rules.ts'
import { mendPlaces } from './retention.queries.ts'
import { createStayConsumer } from './stays.intake.ts'

const database = await databaseOfTests({ isSeeded: true })
const minuteMs = 60_000
const startMs = Date.UTC(2026, 10, 20, 2)
/** Minutes after the beginning. */
const at = (minute: number) => startMs + minute * minuteMs
let prefix = 0

type Said = Omit<Compartment, 'no'>

/** A server process as far as batteries are concerned: its memory and its notices. */
function createProcess(
  consumers: (consumer: StatusConsumer) => StatusConsumer[] = (one) => [newestStatus, one],
) {
  const published: { name: string; ids: readonly (string | number)[] | null }[] = []
  const listeners: ((ids: readonly never[] | null) => void)[] = []
  let nowMs = 0
  let statements = 0
  const consumer = createStayConsumer({
    notices: {
      publish: ({ name }, ids) => void published.push({ name, ids }),
      subscribe: (_kind, listener) => {
        listeners.push(listener as never)
        return () => undefined
      },
    },
    now: () => nowMs,
  })
  const counted: StatusConsumer = {
    name: consumer.name,
    write(connection, reports) {
      const counting = new Proxy(connection, {
        get(target, key) {
          const value = Reflect.get(target, key)
          if (key !== 'query') return value
          return (...args: unknown[]) => {
            statements += 1
            return Reflect.apply(value, target, args)
          }
        },
      })
      return consumer.write(counting as Connection, reports)
    },
  }
  const refused: string[] = []
  const reportOf = (
    deviceId: number,
    timeMs: number,
    said: Record<number, Said> | null,
    limitMs: number | null,
  ) => ({
    deviceId,
    occurredAtMs: timeMs,
    receivedAtMs: timeMs,
    clockLimitMs: limitMs,
    refuse: (reason: string) => void refused.push(reason),
    payload: {
      id: 'x',
      time: timeMs,
      status: {},
      ...(said && {
        compartments: Object.entries(said).map(([no, one]) => ({ no: Number(no), ...one })),
      }),
    } as StatusReport,
  })
  const write = async (reports: readonly Report<StatusReport>[], { isCommitted = true } = {}) => {
    const acts: ((() => void) | undefined)[] = []
    const failure = new Error('rolled back on purpose')
    await inTransaction(
      database.pool,
      { begin: () => beginByIndex, queryLimitMs: 30_000 },
      async (connection) => {
        for (const one of consumers(counted)) acts.push(await one.write(connection, reports))
        if (!isCommitted) throw failure
      },
    ).catch((error) => {
      if (error !== failure) throw error
    })
    if (isCommitted) for (const act of acts) act?.()
  }
  return {
    published,
    refused,
    tell: (ids: readonly number[] | null) => {
      for (const listener of listeners) listener(ids as never)
    },
    pass: (ms: number) => {
      nowMs += ms
    },
    statements: () => statements,
    write,
    reportOf,
    report: (
      deviceId: number,
      minute: number,
      said: Record<number, Said> | null,
      options?: { isCommitted?: boolean },
    ) => write([reportOf(deviceId, at(minute), said, null)], options),
    reportAhead: (deviceId: number, minute: number, said: Record<number, Said>, limitMinute: number) =>
      write([reportOf(deviceId, at(minute), said, at(limitMinute))]),
  }
}

const newDevice = async () => (await insertDevice(database.db)).id
const newCode = () => `T${++prefix}X`

/** The stays of a device: compartment, code, beginning, end, states of charge; those of no battery left out. */
async function staysIn(deviceId: number) {
  const { rows } = await sql<{
    compartment: number
    code: string
    from: Date
    to: Date | null
    socIn: number | null
    socOut: number | null
  }>`
    SELECT compartment, battery_code AS code, started_at AS "from", ended_at AS "to", soc_in AS "socIn", soc_out AS "socOut"
    FROM battery_stay WHERE device_id = ${deviceId} AND battery_code <> ''
    ORDER BY compartment, started_at, battery_code`.execute(database.db)
  const minuteOf = (time: Date | null) => time && (time.getTime() - startMs) / minuteMs
  return rows.map(({ compartment, code, from, to, socIn, socOut }) => [
    compartment,
    code,
    minuteOf(from),
    minuteOf(to),
    socIn,
    socOut,
  ])
}

async function batteryOf(code: string) {
  const matching = await queries.batteriesMatching(database.db, everything, { codes: [code] })
  const [battery] = await queries.listBatteries(database.db, everything, matching, { limit: 1, offset: 0 })
  return battery
}

const stockOf = async (deviceId: number) => {
  const { rows } = await sql`
    SELECT full_count AS full, charging_count AS charging, idle_count AS idle, empty_count AS empty,
      faulty_count AS fault, disabled_count AS disabled
    FROM device_stock WHERE device_id = ${deviceId}`.execute(database.db)
  return rows[0]
}

describe('the stays of batteries', () => {
  test('begin and end with what the compartments say, with their states of charge', async () => {
    const [deviceId, code, other, process] = [await newDevice(), newCode(), newCode(), createProcess()]
    await process.report(deviceId, 0, { 1: { batteryCode: code, soc: 20 }, 2: { state: 'empty' } })
    await process.report(deviceId, 5, {
      1: { batteryCode: code, soc: 55.5 },
      2: { batteryCode: other, soc: 9 },
    })
    await process.report(deviceId, 10, { 1: { state: 'empty' }, 2: { batteryCode: other, soc: 12 } })
    expect(await staysIn(deviceId)).toEqual([
      [1, code, 0, 10, 20, 55.5],
      [2, other, 5, null, 9, 9],
    ])
    expect(await batteryOf(code)).toMatchObject({ state: 'away', soc: 55.5, deviceId, compartment: 1 })
    expect(await batteryOf(other)).toMatchObject({ state: 'present', soc: 12, deviceId, compartment: 2 })
  })

  test('go on in a compartment that says nothing of its battery, and where a report leaves it out', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    await process.report(deviceId, 0, { 1: { batteryCode: code } })
    await process.report(deviceId, 2, { 1: { state: 'charging' } })
    await process.report(deviceId, 4, {})
    await process.report(deviceId, 6, null)
    expect(await staysIn(deviceId)).toEqual([[1, code, 0, null, null, null]])
    await process.report(deviceId, 20, { 1: { state: 'empty', batteryCode: code } })
    expect(await staysIn(deviceId)).toEqual([[1, code, 0, 20, null, null]])
  })

  test('end with the state of charge that was said last, though the last report left it out', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    for (const [minute, soc] of [
      [0, 10],
      [1, 20],
      [2, null],
    ] as const)
      await process.report(deviceId, minute, { 1: { batteryCode: code, ...(soc !== null && { soc }) } })
    await process.report(deviceId, 3, { 1: { state: 'empty' } })
    expect(await staysIn(deviceId)).toEqual([[1, code, 0, 3, 10, 20]])
  })

  test('are the same in whatever order and batches the reports arrive, repeated ones included', async () => {
    const said = fc.record(
      {
        batteryCode: fc.constantFrom('A', 'B', 'C'),
        state: fc.constantFrom('empty' as const, 'full' as const, 'full' as const, 'full' as const),
        soc: fc.integer({ min: 0, max: 100 }),
      },
      { requiredKeys: [] },
    )
    const reports = fc.uniqueArray(
      fc.record({
        minute: fc.integer({ min: 0, max: 50 }),
        said: fc.dictionary(fc.constantFrom('1', '2'), said) as fc.Arbitrary<Record<number, Said>>,
      }),
      { minLength: 2, maxLength: 10, selector: ({ minute }) => minute },
    )
    await fc.assert(
      fc.asyncProperty(
        reports.chain((all) =>
          fc.tuple(
            fc.constant(all),
            fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }),
            fc.array(fc.integer({ min: 1, max: 3 }), { minLength: all.length * 2 }),
          ),
        ),
        async ([all, arrived, sizes]) => {
          const own = newCode()
          const coded = (one: Record<number, Said>) =>
            Object.fromEntries(
              Object.entries(one).map(([no, { batteryCode, ...rest }]) => [
                no,
                { ...rest, ...(batteryCode && { batteryCode: own + batteryCode }) },
              ]),
            )
          const [first, second] = [await newDevice(), await newDevice()]
          const inOrder = createProcess()
          for (const { minute, said: one } of all.toSorted((a, b) => a.minute - b.minute))
            await inOrder.report(first, minute, coded(one))
          const process = createProcess()
          for (let from = 0, n = 0; from < arrived.length; from += sizes[n] as number, n += 1) {
            await process.write(
              arrived
                .slice(from, from + (sizes[n] as number))
                .map(({ minute, said: one }) => process.reportOf(second, at(minute), coded(one), null)),
            )
          }
          // What is unchanged is remembered: the last state of charge is written with the end of the stay.
          const shown = async (deviceId: number) =>
            (await staysIn(deviceId)).map((stay) => (stay[3] === null ? stay.slice(0, 5) : stay))
          expect(await shown(second)).toEqual(await shown(first))
        },
      ),
      { numRuns: times(20, 60) },
    )
  })

  test('cost no statement while nothing changes but figures, and are written again after an hour', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    const say = (minute: number, soc: number) =>
      process.report(deviceId, minute, { 1: { batteryCode: code, state: 'charging', soc } })
    await say(0, 20)
    const before = process.statements()
    for (let n = 1; n <= 100; n += 1) await say(n / 20, 20 + n / 10)
    expect(process.statements()).toBe(before)
    process.pass(61 * minuteMs)
    await say(6, 31)
    expect(process.statements()).toBeGreaterThan(before)
    expect(await staysIn(deviceId)).toEqual([[1, code, 0, null, 20, 31]])
  })

  test('are not changed by a transaction that is rolled back and done again, nor lost by it', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    await process.report(deviceId, 0, { 1: { batteryCode: code, soc: 10 } })
    await process.report(deviceId, 3, { 1: { batteryCode: code, soc: 30 } })
    const leaves = { 1: { state: 'empty' } } as const
    await process.report(deviceId, 4, leaves, { isCommitted: false })
    expect(await staysIn(deviceId)).toEqual([[1, code, 0, null, 10, 10]])
    await process.report(deviceId, 4, leaves)
    await process.report(deviceId, 4, leaves)
    expect(await staysIn(deviceId)).toEqual([[1, code, 0, 4, 10, 30]])
  })

  test('are known to a process that is told of what another one wrote', async () => {
    const [deviceId, code, other] = [await newDevice(), newCode(), newCode()]
    const [one, two] = [createProcess(), createProcess()]
    await one.report(deviceId, 0, { 1: { batteryCode: code } })
    await two.report(deviceId, 10, { 1: { batteryCode: other } })
    expect(two.published).toContainEqual({ name: 'batteriesMoved', ids: [deviceId] })
    one.tell([deviceId])
    // The notice of its own write, which came first, and the other's.
    one.tell([deviceId])
    await one.report(deviceId, 5, { 1: { batteryCode: code } })
    await one.report(deviceId, 20, { 1: { batteryCode: code } })
    expect((await staysIn(deviceId)).map((stay) => stay.slice(1, 4))).toEqual([
      [code, 0, 10],
      [other, 10, 20],
      [code, 20, null],
    ])
  })

  test('of a clock that was ahead come back with it', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    await process.report(deviceId, 300, { 1: { batteryCode: code } })
    await process.reportAhead(deviceId, 20, { 1: { batteryCode: code } }, 21)
    expect(await staysIn(deviceId)).toEqual([[1, code, 20, null, null, null]])
    await process.reportAhead(deviceId, 30, { 1: { state: 'empty' } }, 31)
    expect(await staysIn(deviceId)).toEqual([[1, code, 20, 30, null, null]])
  })
})

describe('a battery in two cabinets', () => {
  test('has moved where the first has not claimed it since, however long it has been silent', async () => {
    const [one, two, code, process] = [await newDevice(), await newDevice(), newCode(), createProcess()]
    await process.report(one, 0, { 1: { batteryCode: code } })
    await process.report(two, 30, { 4: { batteryCode: code, state: 'full' } })
    await process.report(two, 60, { 4: { batteryCode: code, state: 'full' } })
    expect(await batteryOf(code)).toMatchObject({
      deviceId: two,
      compartment: 4,
      state: 'full',
      isConflict: false,
    })
    // It leaves the second: the silent first one has it no more than before.
    await process.report(two, 90, { 4: { state: 'empty' } })
    expect(await batteryOf(code)).toMatchObject({ deviceId: two, state: 'away', isConflict: false })
  })

  test('whose clocks differ by minutes has moved, too', async () => {
    const [one, two, code, process] = [await newDevice(), await newDevice(), newCode(), createProcess()]
    await process.report(one, 0, { 1: { batteryCode: code } })
    // The clock of the first is four minutes ahead.
    await process.report(two, 10, { 4: { batteryCode: code } })
    await process.report(one, 14, { 1: { batteryCode: code } })
    await process.report(two, 20, { 4: { batteryCode: code } })
    expect(await batteryOf(code)).toMatchObject({ deviceId: two, isConflict: false })
    await process.report(one, 21, { 1: { state: 'empty' } })
    const way = await queries.listStays(
      database.db,
      everything,
      { code, from: null, to: null },
      { limit: 9, offset: 0 },
    )
    expect(way.map(({ deviceId, isConflict }) => [deviceId, isConflict])).toEqual([
      [two, false],
      [one, false],
    ])
  })

  test('that both go on with is in conflict until one of them says otherwise', async () => {
    const [one, two, code, process] = [await newDevice(), await newDevice(), newCode(), createProcess()]
    const claim = async (minute: number) => {
      await process.report(one, minute, { 1: { batteryCode: code } })
      if (minute > 0) await process.report(two, minute, { 4: { batteryCode: code } })
    }
    for (const minute of [0, 2, 4, 6, 8]) await claim(minute)
    expect(await batteryOf(code)).toMatchObject({ deviceId: two, isConflict: true })
    const conflicts = await queries.batteriesMatching(database.db, everything, {
      state: 'conflict',
      codes: [code],
    })
    expect(await queries.countBatteries(database.db, conflicts)).toBe(1)
    const open = await queries.listStays(
      database.db,
      everything,
      { code, from: null, to: null },
      { limit: 9, offset: 0 },
      { isOpen: true },
    )
    expect(open.map(({ deviceId, isConflict }) => [deviceId, isConflict])).toEqual([
      [two, true],
      [one, true],
    ])
    await process.report(two, 10, { 4: { state: 'empty' } })
    expect(await batteryOf(code)).toMatchObject({ deviceId: one, compartment: 1, isConflict: false })
    expect(await queries.countBatteries(database.db, conflicts)).toBe(0)
  })

  test('or in two compartments of one is kept in both', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    for (const minute of [0, 5, 10])
      await process.report(deviceId, minute, { 1: { batteryCode: code }, 2: { batteryCode: code } })
    expect((await staysIn(deviceId)).map(([compartment]) => compartment)).toEqual([1, 2])
    expect(await batteryOf(code)).toMatchObject({ isConflict: true })
  })
})

describe('a device that lies', () => {
  test('makes no more than its budget of batteries known, and its other stays are kept', async () => {
    const [deviceId, process] = [await newDevice(), createProcess()]
    const base = newCode()
    const claims = (n: number) =>
      Object.fromEntries(
        Array.from({ length: 64 }, (_, no) => [no + 1, { batteryCode: `${base}n${n}c${no}` }]),
      )
    for (let n = 0; n < 10; n += 1) await process.report(deviceId, n * 10, claims(n))
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::int AS n FROM battery WHERE found_by = ${deviceId}`.execute(database.db)
    expect(rows[0]?.n).toBe(newCodesPerDay)
    expect(process.refused.length).toBeGreaterThan(0)
    expect(new Set(process.refused)).toEqual(new Set(['tooManyBatteries']))
    const honest = newCode()
    await createProcess().report(await newDevice(), 0, { 1: { batteryCode: honest } })
    await process.report(deviceId, 200, { 1: { batteryCode: honest } })
    expect(await batteryOf(honest)).toMatchObject({ deviceId, compartment: 1 })
  })

  test('places a late report among so many later stays, and none behind more', async () => {
    const [deviceId, process] = [await newDevice(), createProcess()]
    const base = newCode()
    await process.write(
      Array.from({ length: 520 }, (_, n) =>
        process.reportOf(deviceId, at(10_000 + n * 10), { 1: { batteryCode: `${base}${n % 40}` } }, null),
      ),
    )
    const before = await staysIn(deviceId)
    expect(before.length).toBeGreaterThan(500)
    await process.report(deviceId, 9_000, { 1: { batteryCode: `${base}late` } })
    expect(process.refused).toEqual(['tooManyBatteries'])
    expect(await staysIn(deviceId)).toEqual(before)
    await process.report(deviceId, 10_000 + 100 * 10 + 5, { 1: { batteryCode: `${base}late` } })
    expect((await staysIn(deviceId)).length).toBeGreaterThan(before.length)
    expect(process.refused).toEqual(['tooManyBatteries'])
  })

  test('begins no more stays than a large cabinet does', async () => {
    const [deviceId, process] = [await newDevice(), createProcess()]
    const base = newCode()
    const turned = (n: number) =>
      Object.fromEntries(
        Array.from({ length: 64 }, (_, no) => [no + 1, { batteryCode: `${base}${(no + n) % 64}` }]),
      )
    await process.write(
      Array.from({ length: 60 }, (_, n) => process.reportOf(deviceId, at(n * 10), turned(n), null)).slice(
        0,
        40,
      ),
    )
    for (let n = 40; n < 60; n += 1) await process.report(deviceId, n * 10, turned(n))
    const count = (await staysIn(deviceId)).length
    expect(count).toBeLessThanOrEqual(staysPerDay)
    expect(count).toBeGreaterThan(staysPerDay - 64)
    expect(process.refused).toContain('tooManyBatteries')
  })
})

test('a battery whose device is deleted is where it was before, or nowhere', async () => {
  const [one, two, code, only, process] = [
    await newDevice(),
    await newDevice(),
    newCode(),
    newCode(),
    createProcess(),
  ]
  await process.report(one, 0, { 1: { batteryCode: code, soc: 80 } })
  await process.report(one, 10, { 1: { state: 'empty' } })
  await process.report(two, 20, { 1: { batteryCode: code }, 2: { batteryCode: only } })
  await sql`DELETE FROM device WHERE id = ${two}`.execute(database.db)
  expect(await batteryOf(code)).toBeUndefined()
  const mend = () =>
    inTransaction(database.pool, { begin: () => beginByIndex, queryLimitMs: 30_000 }, mendPlaces)
  expect(await mend()).toBe(2)
  expect(await mend()).toBe(0)
  expect(await batteryOf(code)).toMatchObject({ deviceId: one, state: 'away' })
  const { rows } = await sql`SELECT FROM battery WHERE code = ${only}`.execute(database.db)
  expect(rows).toEqual([])
})

describe('the stock of a device', () => {
  test('counts its compartments by state, as the newest report has them', async () => {
    const [deviceId, process] = [await newDevice(), createProcess()]
    await process.report(deviceId, 0, {
      1: { state: 'full' },
      2: { state: 'charging' },
      3: { state: 'empty' },
      4: { state: 'fault' },
      5: { state: 'disabled' },
      6: {},
    })
    const first = { full: 1, charging: 1, idle: 0, empty: 1, fault: 1, disabled: 1 }
    expect(await stockOf(deviceId)).toEqual(first)
    await process.report(deviceId, 3, { 1: { state: 'full' }, 2: { state: 'full' }, 3: { state: 'idle' } })
    const newest = { full: 2, charging: 0, idle: 1, empty: 0, fault: 0, disabled: 0 }
    expect(await stockOf(deviceId)).toEqual(newest)
    // A late report.
    await process.report(deviceId, 1, { 1: { state: 'fault' } })
    await createProcess().report(deviceId, 2, { 1: { state: 'fault' } })
    expect(await stockOf(deviceId)).toEqual(newest)
    await process.report(deviceId, 4, null)
    expect(await stockOf(deviceId)).toBeUndefined()
  })

  test('follows a state that changes without its battery', async () => {
    const [deviceId, code, process] = [await newDevice(), newCode(), createProcess()]
    await process.report(deviceId, 0, { 1: { batteryCode: code, state: 'charging', soc: 90, soh: 97 } })
    await process.report(deviceId, 3, { 1: { batteryCode: code, state: 'full', soc: 100, soh: 97 } })
    expect(await stockOf(deviceId)).toMatchObject({ full: 1, charging: 0 })
    expect(await batteryOf(code)).toMatchObject({ state: 'full', soc: 100, soh: 97 })
    const { rows } = await sql`SELECT soh_by AS "by" FROM battery WHERE code = ${code}`.execute(database.db)
    expect(rows).toEqual([{ by: deviceId }])
    expect((await staysIn(deviceId)).map((stay) => stay.slice(2, 4))).toEqual([[0, null]])
  })
})
