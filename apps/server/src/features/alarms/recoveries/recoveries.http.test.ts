import {
  countAlarmLevels,
  listAlarms,
  listTasks,
  readAlarm,
  readAlarmTimeline,
  recoverAlarms,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { truncate } from '../../../../test/truncate.ts'

const functionCodes = ['alarm:page', 'alarm:recover', 'alarm:history']

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const near = await insertDevice(app.db, { operatorId: await insertOperator(app.db, { organizationId }) })
const far = await insertDevice(app.db)
/** A user who sees `near` only. */
const narrow = (await app.asUser({ organizationId, functionCodes })).token
/** A user who sees the same device, and its events. */
const curious = (await app.asUser({ organizationId, functionCodes: [...functionCodes, 'event:list'] })).token
const { rows } = await sql<{ code: string }>`
  SELECT min(code) AS code FROM dictionary_entry WHERE type = 'ALARM' GROUP BY alarm_level ORDER BY alarm_level`.execute(
  app.db,
)
/** A code of each level, the most severe first. */
const graded = rows.map(({ code }) => code)
expect(graded).toHaveLength(4)

describe('many alarms', () => {
  const clear = () => truncate(app.db, ['alarm_state'])
  const codesOf = async (input: object, token = narrow) =>
    (await app.call(listAlarms, input, token)).data.map(({ semaphoreCode }) => semaphoreCode)
  const finished = async (token = narrow) => {
    const read = async () =>
      (await app.call(listTasks, {}, token)).data.tasks.find(({ kind }) => kind === 'alarmRecovery')
    await expect.poll(async () => (await read())?.finishTime, { timeout: 30_000 }).toBeTruthy()
    return await read()
  }

  test('are counted by level within the other filters and the scope', async () => {
    const [critical = '', major = '', , hint = ''] = graded
    await insertAlarm(app.db, near, critical, 9)
    await insertAlarm(app.db, near, hint, 1)
    await insertAlarm(app.db, near, 'UNKNOWN', 2)
    await insertAlarm(app.db, far, critical, 1)
    await insertAlarm(app.db, far, major, 1)
    const levels = async (input: object, token: string) =>
      (await app.call(countAlarmLevels, input, token)).data.levels.map(
        ({ level, count }) => `${level}:${count}`,
      )
    expect(await levels({}, narrow)).toEqual(['1:1', '2:0', '3:0', '4:1', '0:1'])
    expect(await levels({}, await app.asAdmin())).toEqual(['1:2', '2:1', '3:0', '4:1', '0:1'])
    expect(await levels({ code: [near.code], semaphoreCode: [critical] }, narrow)).toEqual([
      '1:1',
      '2:0',
      '3:0',
      '4:0',
    ])
    expect(await levels({ status: '0' }, narrow)).toEqual(['1:0', '2:0', '3:0', '4:0'])
  })

  test('are sorted by time in both directions, or by level and then by time, across all pages', async () => {
    const [critical = '', , minor = '', hint = ''] = graded
    await insertAlarm(app.db, near, minor, 5)
    const byLevel = [critical, minor, hint, 'UNKNOWN']
    expect(await codesOf({})).toEqual([hint, 'UNKNOWN', minor, critical])
    expect(await codesOf({ sortBy: 'occurrenceTime', sortOrder: 'asc' })).toEqual([
      critical,
      minor,
      'UNKNOWN',
      hint,
    ])
    expect(await codesOf({ sortBy: 'level' })).toEqual(byLevel)
    expect(await codesOf({ sortBy: 'level', sortOrder: 'asc' })).toEqual(byLevel.toReversed())
    const paged: string[] = []
    for (const pageNum of [1, 2, 3, 4, 5]) {
      const { data, total } = await app.call(listAlarms, { sortBy: 'level', pageSize: 1, pageNum }, narrow)
      expect(total).toBe(4)
      paged.push(...data.map(({ semaphoreCode }) => semaphoreCode))
    }
    expect(paged).toEqual(byLevel)
    expect(await codesOf({ sortBy: 'level', pageSize: 3, pageNum: 2 })).toEqual(['UNKNOWN'])
    expect(await app.call(listAlarms, { sortBy: 'name' }, narrow)).toMatchObject({ status: 400 })
  })

  test('that are selected are recovered with one note and a record each, and the others are unchanged', async () => {
    const [critical = '', , minor = '', hint = ''] = graded
    const { data: before } = await app.call(listAlarms, { semaphoreCode: [critical, minor] }, narrow)
    const ids = before.map(({ id }) => id)
    const begun = await app.call(recoverAlarms, { ids, count: 2, note: '现场已处理' }, narrow)
    expect(begun.data).toMatchObject({ total: 2 })
    expect(await finished()).toMatchObject({
      id: begun.data.id,
      state: 'done',
      total: 2,
      done: 2,
      skipped: 0,
    })
    for (const id of ids) {
      expect((await app.call(readAlarm, { id }, narrow)).data).toMatchObject({
        status: 0,
        recoveryMethodName: '手动恢复',
        note: '现场已处理',
        recoveredBy: expect.any(String),
      })
    }
    expect(new Set(await codesOf({}))).toEqual(new Set([hint, 'UNKNOWN']))
    const { rows } = await sql<{ target: string; changes: unknown }>`
      SELECT target, changes FROM operation_log WHERE call = '/alarm/recovery' AND result_code = 200`.execute(
      app.db,
    )
    expect(rows).toEqual([
      {
        target: expect.stringContaining('告警 2 条'),
        changes: { after: { count: 2, note: '现场已处理' } },
      },
    ])
  })

  test('that match the filters are recovered within the scope only, in any number', async () => {
    await clear()
    await sql`
      WITH place AS (
        SELECT d.id AS device_id, d.operator_id, d.model_id, d.region_id, n, now() - n * interval '1 second' AS at
        FROM device d, generate_series(1, 1200) n WHERE d.id = ANY(${[near.id, far.id]}::int[])
      ), history AS (
        INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
        SELECT 4000000000::bigint + device_id * 10000 + n, at, device_id, operator_id, model_id, region_id, 'M' || n, 1, 1 FROM place
      )
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT device_id, 'M' || n, 4000000000::bigint + device_id * 10000 + n, true, 1, at, at, operator_id, model_id, region_id
      FROM place`.execute(app.db)
    await app.call(recoverAlarms, { isAll: 1, count: 1200, note: '全部处理' }, narrow)
    expect(await finished()).toMatchObject({ state: 'done', total: 1200, done: 1200, skipped: 0 })
    expect((await app.call(listAlarms, {}, narrow)).total).toBe(0)
    expect((await app.call(listAlarms, {}, await app.asAdmin())).total).toBe(1200)
  })

  test('are not recovered where far more are active than confirmed, where none is, or without the function', async () => {
    await clear()
    for (let n = 0; n < 20; n += 1) await insertAlarm(app.db, near, `G${n}`, n)
    expect(await app.call(recoverAlarms, { isAll: 1, count: 10, note: '处理' }, narrow)).toMatchObject({
      status: 409,
      refusal: 'alarmsGrown',
      message: '符合条件的告警已增至 20 条，请重新确认',
    })
    expect(await app.call(recoverAlarms, { isAll: 1, count: 0, note: '处理' }, narrow)).toMatchObject({
      status: 400,
    })
    expect(await app.call(recoverAlarms, { isAll: 1, count: 20 }, narrow)).toMatchObject({
      status: 400,
      message: '请输入处理说明',
    })
    const hidden = await insertAlarm(app.db, far, 'G1', 1)
    for (const ids of [[hidden], ['999999999999']]) {
      expect(await app.call(recoverAlarms, { ids, count: 1, note: '处理' }, narrow)).toMatchObject({
        status: 409,
        refusal: 'noActiveAlarm',
      })
    }
    const reader = await app.asUser({ functionCodes: ['alarm:page'] })
    expect(await app.call(recoverAlarms, { isAll: 1, count: 20, note: '处理' }, reader.token)).toMatchObject({
      status: 403,
    })
    expect((await app.call(listAlarms, {}, narrow)).total).toBe(20)
    // A few more than the confirmed number are accepted.
    expect((await app.call(recoverAlarms, { isAll: 1, count: 18, note: '处理' }, narrow)).code).toBe(200)
    expect(await finished()).toMatchObject({ total: 20, done: 20, skipped: 0 })
  })

  test('that several users recover at the same moment are recorded for one of them', async () => {
    await clear()
    for (let n = 0; n < 5; n += 1) await insertAlarm(app.db, near, `T${n}`, n)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        app.call(recoverAlarms, { isAll: 1, count: 5, note: '同时处理' }, narrow),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(await finished()).toMatchObject({ total: 5, done: 5, skipped: 0 })
    const { rows } = await sql<{ result: number; count: number | null }>`
      SELECT result_code AS result, (changes #>> '{after,count}')::int AS count FROM operation_log
      WHERE call = '/alarm/recovery' ORDER BY at DESC, id DESC LIMIT 4`.execute(app.db)
    expect(rows.filter(({ result }) => result === 200)).toEqual([{ result: 200, count: 5 }])
  })

  test('are searched before others who recover have to wait', async () => {
    await clear()
    await insertAlarm(app.db, near, 'SLOW', 1)
    const holder = await app.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('LOCK TABLE alarm_state')
      const answer = app.call(recoverAlarms, { isAll: 1, count: 1, note: '处理' }, narrow)
      const searching = async () =>
        (
          await app.database.pool.query(`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%SELECT device_id AS "deviceId"%'`)
        ).rows.length
      await expect.poll(searching, { timeout: 20_000, interval: 5 }).toBe(1)
      const { rows } = await holder.query(
        `SELECT pg_try_advisory_xact_lock(hashtextextended('alarm_recovery', 0)) AS free`,
      )
      await holder.query('COMMIT')
      expect((await answer).code).toBe(200)
      expect(rows).toEqual([{ free: true }])
    } finally {
      holder.release()
    }
    await finished()
  })

  test('that are over when their recovery begins are not counted', async () => {
    await clear()
    const over = await insertAlarm(app.db, near, 'OVER', 1)
    await insertAlarm(app.db, near, 'ON', 2)
    const holder = await app.database.pool.connect()
    const recovered = async (count: number, ends: string) => {
      await holder.query('BEGIN')
      await holder.query(`SELECT pg_advisory_xact_lock(hashtextextended('alarm_recovery', 0))`)
      const answer = app.call(recoverAlarms, { isAll: 1, count, note: '处理' }, narrow)
      const waiting = async () =>
        (
          await app.database.pool.query(`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%alarm_recovery%'`)
        ).rows.length
      await expect.poll(waiting, { timeout: 20_000, interval: 5 }).toBe(1)
      await holder.query(`UPDATE alarm_state SET is_active = false, recovered_at = now() WHERE ${ends}`)
      await holder.query('COMMIT')
      return await answer
    }
    try {
      expect((await recovered(2, `episode_id = ${over}`)).code).toBe(200)
      expect(await finished()).toMatchObject({ total: 1, done: 1, skipped: 0 })
      await insertAlarm(app.db, near, 'ANOTHER', 3)
      expect(await recovered(1, 'is_active')).toMatchObject({ status: 409 })
    } finally {
      holder.release()
    }
  })

  test('and events around an alarm of a device are listed, events only for users who may list them', async () => {
    await clear()
    const [critical = ''] = graded
    const middle = await insertAlarm(app.db, near, critical, 60)
    const before = await insertAlarm(app.db, near, 'BEFORE', 61)
    const after = await insertAlarm(app.db, near, 'AFTER', 59)
    await insertAlarm(app.db, near, 'LONG AGO', 60 * 26)
    await insertAlarm(app.db, far, 'ELSEWHERE', 60)
    await sql`
      INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, value, is_fault)
      SELECT 1, now() - interval '60 minutes 30 seconds', id, operator_id, model_id, region_id, 'DOOR', 3, false
      FROM device WHERE id = ${near.id}`.execute(app.db)
    const told = async (token: string) =>
      (await app.call(readAlarmTimeline, { id: middle }, token)).data.rows
        .filter(({ semaphoreCode }) =>
          [critical, 'BEFORE', 'AFTER', 'LONG AGO', 'ELSEWHERE', 'DOOR'].includes(semaphoreCode),
        )
        .map(({ kind, id }) => `${kind} ${id}`)
    expect(await told(narrow)).toEqual([`alarm ${after}`, `alarm ${middle}`, `alarm ${before}`])
    expect(await told(curious)).toEqual([`alarm ${after}`, `alarm ${middle}`, 'event 1', `alarm ${before}`])
    const meaningOfEvent = async () =>
      (await app.call(readAlarmTimeline, { id: middle }, curious)).data.rows.find(
        ({ semaphoreCode }) => semaphoreCode === 'DOOR',
      )?.meaning
    expect(await meaningOfEvent()).toBeNull()
    await sql`
      INSERT INTO dictionary_entry (type, code, name, note, unit)
      VALUES ('EVENT', 'DOOR', '仓门打开', '', '号仓')`.execute(app.db)
    expect(await meaningOfEvent()).toBe('3号仓')
    await sql`DELETE FROM dictionary_entry WHERE type = 'EVENT' AND code = 'DOOR'`.execute(app.db)
    const foreign = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
    expect(await app.call(readAlarmTimeline, { id: middle }, foreign.token)).toMatchObject({
      status: 404,
      message: '告警不存在',
    })
  })
})
