import type { AlarmReport } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { insertDevice } from '../../../../test/factories.ts'
import { deleteHistory, moveHistory } from '../../../domain/history/index.ts'
import { createRowIds } from '../../../domain/history/row-ids.ts'
import { createWriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import type { Outcome } from '../../../platform/devices/ingest/writer.ts'
import { createLog } from '../../../platform/process/log.ts'
import { createAlarmWriter } from './alarms.intake.ts'

const database = await databaseOfTests({ isSeeded: true, poolSize: 8 })

/** A server process as far as the database is concerned: its own lanes, writer and memory. */
function createProcess(nowMs = Date.now()) {
  const published: { kind: string; ids: unknown }[] = []
  const lanes = createWriteLanes({ pool: database.pool, log: createLog({ level: 'silent' }), laneCount: 2 })
  const writer = createAlarmWriter({
    notices: { publish: ({ name }, ids) => void published.push({ kind: name, ids }) },
    rowIds: createRowIds(),
    dayBudget: { written() {} },
  })
  return {
    published,
    report: (deviceId: number, code: string, value: number, timeMs = nowMs) =>
      new Promise<Outcome>((resolve) => {
        const id = `${Math.random()}`
        const payload = { id, time: timeMs, code, value } as AlarmReport
        lanes.put({
          deviceId,
          writer,
          entry: {
            deviceId,
            payload,
            occurredAtMs: timeMs,
            receivedAtMs: nowMs,
            clockLimitMs: null,
            refuse() {},
          },
          messageId: id,
          done: resolve,
        })
      }),
  }
}

const count = async (table: string, deviceId: number) => {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM ${sql.table(table)} WHERE device_id = ${deviceId}`.execute(database.db)
  return rows[0]?.n
}

test('two processes that first meet the same semaphores store one state and one episode of each', async () => {
  const { id } = await insertDevice(database.db)
  // The same time, so that the second process finds nothing late.
  const nowMs = Date.now()
  const processes = [createProcess(nowMs), createProcess(nowMs)]
  const codes = Array.from({ length: 200 }, (_, n) => `R${n}`)
  const outcomes = await Promise.all(
    codes.flatMap((code) => processes.map((process) => process.report(id, code, 1))),
  )
  expect(outcomes.every((outcome) => outcome === 'stored')).toBe(true)
  expect([await count('alarm_state', id), await count('alarm_history', id)]).toEqual([200, 200])
})

test('a device that is deleted while it reports leaves neither states nor history', async () => {
  const process = createProcess()
  for (let round = 0; round < 10; round += 1) {
    const { id } = await insertDevice(database.db)
    const reports = Array.from({ length: 50 }, (_, n) => process.report(id, `D${n}`, 1))
    await new Promise((resolve) => setTimeout(resolve, round * 3))
    await database.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('device').where('id', '=', id).execute()
      await deleteHistory(trx, id)
    })
    await Promise.all(reports)
    expect([await count('alarm_state', id), await count('alarm_history', id)]).toEqual([0, 0])
  }
})

test('a late report of a device leaves nothing, if its deletion was not notified', async () => {
  const nowMs = Date.now()
  const process = createProcess(nowMs)
  const { id } = await insertDevice(database.db)
  await process.report(id, 'L1', 0)
  await database.db.transaction().execute(async (trx) => {
    await trx.deleteFrom('device').where('id', '=', id).execute()
    await deleteHistory(trx, id)
  })
  expect(await process.report(id, 'L1', 1, nowMs - 60_000)).toBe('stored')
  expect([await count('alarm_state', id), await count('alarm_history', id)]).toEqual([0, 0])
})

test('an alarm is stored at the device’s present place, even if its move was not notified', async () => {
  const nowMs = Date.now()
  const process = createProcess(nowMs)
  const { id } = await insertDevice(database.db)
  const other = await insertDevice(database.db)
  const placeOf = (deviceId: number) =>
    database.db
      .selectFrom('device')
      .select(['operator_id', 'model_id', 'region_id'])
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow()
  await process.report(id, 'M1', 0)
  const elsewhere = await placeOf(other.id)
  expect(elsewhere.operator_id).not.toBe((await placeOf(id)).operator_id)
  await database.db.transaction().execute(async (trx) => {
    await trx.updateTable('device').set(elsewhere).where('id', '=', id).execute()
    await moveHistory(trx, id, {
      operatorId: elsewhere.operator_id,
      modelId: elsewhere.model_id,
      regionId: elsewhere.region_id,
    })
  })
  await process.report(id, 'M1', 1, nowMs + 1)
  const { rows } = await sql`
    SELECT operator_id, model_id, region_id FROM alarm_history WHERE device_id = ${id}`.execute(database.db)
  expect(rows).toEqual([elsewhere])
})

test('the notice of a batch distinguishes new episodes from changed ones', async () => {
  const nowMs = Date.now()
  const process = createProcess(nowMs)
  const { id } = await insertDevice(database.db)
  await process.report(id, 'N1', 1)
  const [first] = process.published
  expect(first).toEqual({ kind: 'alarmsOpened', ids: [expect.stringMatching(/^\d+$/)] })
  await process.report(id, 'N1', 2, nowMs + 1)
  await process.report(id, 'N1', 0, nowMs + 2)
  await process.report(id, 'N1', 0, nowMs + 3)
  await process.report(id, 'N1', 4, nowMs + 4)
  const [, second, third, fourth, ...more] = process.published
  expect([second, third]).toEqual(Array(2).fill({ kind: 'alarmsChanged', ids: first?.ids }))
  expect(fourth?.kind).toBe('alarmsOpened')
  expect(fourth?.ids).not.toEqual(first?.ids)
  // The same trouble again within five minutes is named, once, for who folds it.
  expect(more).toEqual([{ kind: 'alarmsRepeated', ids: [`${id}  N1`] }])
})

test('two late reports, one before the first episode and one before the newest, read their neighbours alone', async () => {
  const nowMs = Date.now()
  const { id } = await insertDevice(database.db)
  const place = await database.db
    .selectFrom('device')
    .select(['operator_id', 'model_id', 'region_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // As a device leaves them that sends 1, 0, 1, 0: each lasts 10 ms, one a second. Between them as many of another code.
  const flood = 5_000
  const idAt = (n: number) => nowMs * 1_000 - flood + n
  await sql`
    INSERT INTO alarm_history (device_id, semaphore_code, operator_id, model_id, region_id, id, occurred_at, first_value,
      value, recovered_at, recovery_method)
    SELECT ${id}, c.code, ${place.operator_id}, ${place.model_id}, ${place.region_id}, ${idAt(0)}::int8 + n * 2 + c.odd,
      ${new Date(nowMs)}::timestamptz - (${flood} - n) * interval '1 s', 1, 1,
      ${new Date(nowMs)}::timestamptz - (${flood} - n) * interval '1 s' + interval '10 ms', 1
    FROM generate_series(1, ${flood - 1}) AS n, (VALUES ('N1', 0), ('N2', 1)) AS c (code, odd)`.execute(
    database.db,
  )
  const process = createProcess(nowMs)
  await process.report(id, 'N1', 0)
  await process.report(id, 'N3', 0)
  const { read, stop } = countRead()
  const firstMs = nowMs - (flood - 1) * 1_000
  const outcomes = await Promise.all([
    process.report(id, 'N1', 1, firstMs - 60_000),
    process.report(id, 'N1', 5, nowMs - 1_000 + 5),
    process.report(id, 'N3', 1, nowMs - 1_000),
  ])
  stop()
  expect(outcomes).toEqual(['stored', 'stored', 'stored'])
  expect(Math.max(...read)).toBeLessThan(10)
  const { rows } = await sql<{ at: Date; until: Date; late: unknown }>`
    SELECT occurred_at AS at, recovered_at AS until, late_reports AS late FROM alarm_history
    WHERE device_id = ${id} AND semaphore_code = 'N1' AND (occurred_at <= ${new Date(firstMs)} OR late_reports IS NOT NULL)
    ORDER BY occurred_at`.execute(database.db)
  expect(rows).toMatchObject([
    { at: new Date(firstMs - 60_000), until: new Date(firstMs) },
    { at: new Date(firstMs), until: new Date(firstMs + 10) },
    { at: new Date(nowMs - 1_000), late: [[nowMs - 995, 5]] },
  ])
  expect(await count('alarm_history', id)).toBe(2 * (flood - 1) + 2)
})

/** How many rows each statement of a batch returns from now on. */
function countRead() {
  const read: number[] = []
  const stops: (() => void)[] = []
  const watch = (client: pg.PoolClient) => {
    const ask = client.query.bind(client) as (asked: unknown) => Promise<pg.QueryResult>
    const spy = vi.spyOn(client, 'query').mockImplementation(async (asked: unknown) => {
      const result = await ask(asked)
      read.push(result.rows?.length ?? 0)
      return result
    })
    stops.push(() => spy.mockRestore())
  }
  database.pool.once('acquire', watch)
  return {
    read,
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}
