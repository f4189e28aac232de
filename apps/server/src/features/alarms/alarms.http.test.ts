import {
  alarmLevels,
  countHistoryLevels,
  decodeAlarms,
  exportAlarmHistory,
  exportAlarms,
  listAlarmHistory,
  listAlarms,
  listEvents,
  readAlarm,
  readHistorySums,
  recoverAlarm,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'

const codes = [
  'alarm:page',
  'alarm:history',
  'alarm:detail',
  'alarm:recover',
  'alarm:export',
  'event:list',
  'event:export',
]

const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const near = await insertDevice(app.db, { operatorId })
await app.db
  .updateTable('device')
  .set({ name: '南山一号柜', address: '科技园路 1 号' })
  .where('id', '=', near.id)
  .execute()
const far = await insertDevice(app.db)
/** A user who sees only the operator of `near`. */
const narrow = (await app.asUser({ organizationId, functionCodes: codes })).token

describe('alarms', () => {
  // proves: call GET /alarm/page; rule online status
  test('that are active are listed newest first, with all names', async () => {
    const older = await insertAlarm(app.db, near, '01110001', 20)
    const newer = await insertAlarm(app.db, far, '01110002', 10)
    await insertAlarm(app.db, near, 'GONE', 30, { recovered: true })
    const { data, total } = await app.call(listAlarms, {}, admin)
    expect(data.map(({ id }) => id)).toEqual([newer, older])
    expect(total).toBe(2)
    expect(data[1]).toMatchObject({
      code: near.code,
      equipCode: near.code,
      equipId: String(near.id),
      semaphoreCode: '01110001',
      value: 5,
      status: 1,
      flag: 'fault',
      recoveryTime: null,
      recoveryMethodName: null,
      isOnline: 0,
    })
    expect(data[1]?.semaphoreName).not.toBe('01110001')
  })

  test('out of scope are neither listed, counted, read nor recovered', async () => {
    const hidden = await insertAlarm(app.db, far, 'HIDDEN', 5)
    const { data, total } = await app.call(listAlarms, { pageSize: 500 }, narrow)
    expect(new Set(data.map(({ code }) => code))).toEqual(new Set([near.code]))
    expect(total).toBe(data.length)
    expect(await app.call(readAlarm, { id: hidden }, narrow)).toMatchObject({
      status: 404,
      message: '告警不存在',
    })
    expect(await app.call(recoverAlarm, { id: hidden, note: '已处理' }, narrow)).toMatchObject({
      status: 404,
      message: '告警不存在',
    })
    expect((await app.call(listAlarmHistory, { code: [far.code] }, narrow)).total).toBe(0)
  })

  // proves: call GET /alarm/page; screen 1
  test('are found by any part of the name, and by device, level and time', async () => {
    const [first] = (await app.call(listAlarms, { semaphoreCode: ['01110001'] }, admin)).data
    if (!first) throw new Error('no alarm')
    const found = async (filter: Record<string, unknown>) =>
      (await app.call(listAlarms, filter, admin)).data.map(({ semaphoreCode }) => semaphoreCode)
    expect(await found({ semaphoreName: first.semaphoreName.slice(0, 2) })).toContain('01110001')
    expect(await found({ semaphoreName: '%' })).toEqual([])
    expect(await found({ semaphoreName: 'HIDDEN' })).toEqual(['HIDDEN'])
    expect(await found({ semaphoreName: '没有这种告警' })).toEqual([])
    expect(await found({ equipId: near.id })).toEqual(['01110001'])
    const place = await app.db
      .selectFrom('device as d')
      .innerJoin('operator as o', 'o.id', 'd.operator_id')
      .select([
        'o.organization_id as organizationId',
        'd.operator_id as operatorId',
        'd.model_id as equipModelId',
      ])
      .where('d.id', '=', near.id)
      .executeTakeFirstOrThrow()
    for (const [name, id] of Object.entries(place))
      expect(await found({ [name]: String(id) }), name).toEqual(['01110001'])
    const pages = [await found({ pageSize: 2 }), await found({ pageSize: 2, pageNum: 2 })]
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    expect(pages.flat().sort()).toEqual(['01110001', '01110002', 'HIDDEN'])
    expect(await found({ code: `${near.code},nobody` })).toEqual(['01110001'])
    expect(await found({ alarmLevel: first.alarmLevel })).toContain('01110001')
    expect(await found({ startTime: '2001-01-01', endTime: '2001-01-02' })).toEqual([])
    expect(await found({ startTime: first.occurrenceTime, endTime: first.occurrenceTime })).toEqual([
      '01110001',
    ])
    expect(await found({ operatorId: '999999999999' })).toEqual([])
    expect(await found({ regionCode: 'nowhere' })).toEqual([])
  })

  test('that have recovered are filtered by status', async () => {
    const { data } = await app.call(listAlarms, { status: '0' }, admin)
    expect(data).toMatchObject([
      {
        semaphoreCode: 'GONE',
        value: 0,
        status: 0,
        flag: 'normal',
        recoveryMethod: 1,
        recoveryMethodName: '自动恢复',
      },
    ])
    expect((await app.call(listAlarms, { status: 'all' }, admin)).total).toBe(4)
  })

  // proves: call POST /alarm/history/list; screen 2
  test('of the past are counted and paged by status', async () => {
    const all = await app.call(listAlarmHistory, { pageSize: 3 }, admin)
    expect([all.data.length, all.total]).toEqual([3, 4])
    const rest = await app.call(listAlarmHistory, { pageSize: 3, pageNum: 2 }, admin)
    expect(rest.data).toMatchObject([{ semaphoreCode: 'GONE', firstValue: 1, value: 5 }])
    const over = await app.call(listAlarmHistory, { status: 0 }, admin)
    expect([over.data.map(({ semaphoreCode }) => semaphoreCode), over.total]).toEqual([['GONE'], 1])
    const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    const named = expect.stringMatching(/./)
    expect(over.data[0]).toMatchObject({
      code: near.code,
      operatorName: named,
      equipModelName: named,
      occurrenceTime: time,
      recoveryTime: time,
      isOnline: 0,
      flag: 'normal',
    })
    const active = await app.call(listAlarmHistory, { status: 1, pageSize: 2 }, admin)
    expect([active.data.length, active.total]).toEqual([2, 3])
    expect(active.data[0]).toMatchObject({ recoveryTime: null, flag: 'fault' })
    expect((await app.call(listAlarmHistory, { pageNum: 9 }, admin)).data).toEqual([])
  })

  test('of the past are also sorted oldest first, page by page', async () => {
    const idsOf = async (input: object) =>
      (await app.call(listAlarmHistory, input, admin)).data.map(({ id }) => id)
    for (const status of [undefined, 0, 1] as const) {
      const oldestFirst = (await idsOf({ status })).reverse()
      const upwards = { status, sortBy: 'occurrenceTime', sortOrder: 'asc' }
      expect(await idsOf(upwards)).toEqual(oldestFirst)
      const pages = await Promise.all([1, 2, 3].map((pageNum) => idsOf({ ...upwards, pageNum, pageSize: 2 })))
      expect(pages.flat()).toEqual(oldestFirst)
    }
    expect(await app.call(listAlarmHistory, { sortBy: 'level' }, admin)).toMatchObject({ status: 400 })
  })

  test('can be read one by one, with late reports', async () => {
    const id = await insertAlarm(app.db, near, 'LATE', 50, { recovered: true, late: '[[1760000000000, 7]]' })
    const { data } = await app.call(readAlarm, { id }, narrow)
    expect(data).toMatchObject({ id, semaphoreCode: 'LATE', firstValue: 1 })
    const device = await app.db
      .selectFrom('device as d')
      .innerJoin('region as r', 'r.id', 'd.region_id')
      .select(['d.name as equipName', 'd.address', 'r.full_name as regionName'])
      .where('d.id', '=', near.id)
      .executeTakeFirst()
    expect(data).toMatchObject({ ...device, equipName: '南山一号柜', address: '科技园路 1 号' })
    expect(data.lateReports).toEqual([{ time: '2025-10-09 16:53:20', value: 7 }])
    const again = await app.call(readAlarm, { id, occurrenceTime: data.occurrenceTime }, narrow)
    expect(again.data).toEqual(data)
    await sql`DELETE FROM alarm_state WHERE semaphore_code = 'LATE'`.execute(app.db)
    expect((await app.call(readAlarm, { id }, narrow)).data.id).toBe(id)
  })

  test('can be recovered once by a user, with a note that is kept', async () => {
    const id = await insertAlarm(app.db, near, 'MANUAL', 3)
    expect(await app.call(recoverAlarm, { id }, narrow)).toMatchObject({
      status: 400,
      message: '请输入处理说明',
    })
    expect((await app.call(recoverAlarm, { id, note: '现场已复位' }, narrow)).code).toBe(200)
    const { data } = await app.call(readAlarm, { id }, narrow)
    expect(data).toMatchObject({ status: 0, value: 5, recoveryMethodName: '手动恢复', note: '现场已复位' })
    expect(data.recoveredBy).toBeTruthy()
    expect(data.recoveryTime).toBeTruthy()
    expect(await app.call(recoverAlarm, { id, note: '再来' }, narrow)).toMatchObject({
      status: 409,
      message: '该告警此前已恢复，无需再次恢复',
    })
    const log = await sql<{ target: string }>`
      SELECT target FROM operation_log WHERE call = '/alarm/recover/:id' AND result_code = 200`.execute(
      app.db,
    )
    expect(log.rows).toHaveLength(1)
    expect(log.rows[0]?.target).toContain(near.code)
  })

  // proves: call POST /alarm/detail
  test('are decoded bit by bit', async () => {
    const [definition] = (
      await sql<{ code: string; classify: string; position: string; name: string }>`
        SELECT e.code, d.equip_classify AS classify, d.bit_position AS position, d.name
        FROM semaphore_definition d JOIN dictionary_entry e ON e.id = d.entry_id
        WHERE e.analysis_type = 'BIT' ORDER BY d.bit_position DESC LIMIT 1`.execute(app.db)
    ).rows
    if (!definition) throw new Error('no definition')
    const { code, classify, position, name } = definition
    const { data } = await app.call(
      decodeAlarms,
      { alarmCodes: [{ alarmCode: 2 ** Number(position), code }], classify },
      admin,
    )
    expect(data).toEqual([
      {
        code,
        equipClassify: classify,
        name,
        type: 'ALARM',
        typeName: '告警',
        bitPosition: Number(position),
        analysisType: 'BIT',
      },
    ])
    const nothing = await app.call(decodeAlarms, { alarmCodes: [{ alarmCode: 0, code }], classify }, admin)
    expect(nothing.data).toEqual([])
  })

  test('contain the meaning of their values in their rows, the same as decoded, also after the recovery', async () => {
    const { rows: entries } = await sql<{ code: string; kind: string; value: string }>`
      SELECT e.code, e.analysis_type AS kind,
        CASE e.analysis_type WHEN 'BIT' THEN sum(1::bigint << d.bit_position::int) ELSE max(d.bit_position) END AS value
      FROM dictionary_entry e JOIN semaphore_definition d ON d.entry_id = e.id
      WHERE d.bit_position < 40 AND d.equip_classify = (
        SELECT t.classify FROM device v JOIN equip_model m ON m.id = v.model_id
        JOIN equip_type t ON t.id = m.equip_type_id WHERE v.id = ${near.id})
      GROUP BY e.id ORDER BY e.analysis_type, bool_or(d.name LIKE '1号' || e.name) DESC, e.code`.execute(
      app.db,
    )
    const bits = entries.filter(({ kind }) => kind === 'BIT').slice(0, 3)
    const values = entries.filter(({ kind }) => kind === 'VALUE').slice(0, 2)
    expect([bits.length, values.length]).toEqual([3, 2])
    const meant = [
      ...bits.map(({ code, value }) => ({ code, value: Number(value) })),
      ...values.map(({ code, value }) => ({ code, value: Number(value) })),
      { code: 'NODEF', value: 3 },
    ]
    const shortened = (name: string, of: string) => {
      if (name.length <= of.length || !name.endsWith(of)) return name
      const rest = name.slice(0, -of.length)
      // A number keeps the noun that it counts.
      return rest.endsWith('号') ? rest + (/^(?:充电)?(仓|模块|风扇|风机)/u.exec(of)?.[1] ?? '') : rest
    }
    await sql`DELETE FROM alarm_state WHERE device_id = ${near.id}`.execute(app.db)
    for (const { code, value } of meant) {
      await insertAlarm(app.db, near, code, 2, { value, recovered: code === bits[2]?.code })
    }
    const { data } = await app.call(listAlarms, { status: 'all', pageSize: 100, equipId: near.id }, narrow)
    expect(data).toHaveLength(meant.length)
    for (const row of data) {
      const { value = 0 } = meant.find(({ code }) => code === row.semaphoreCode) ?? {}
      const decoded = await app.call(
        decodeAlarms,
        { alarmCodes: [{ alarmCode: value, code: row.semaphoreCode }], classify: row.equipClassify },
        narrow,
      )
      expect(decoded.code).toBe(200)
      expect(row.meaning).toBe(
        decoded.data.map(({ name }) => shortened(name, row.semaphoreName)).join('、') || null,
      )
      expect(row).toMatchObject({ address: '科技园路 1 号', regionName: expect.any(String) })
    }
    expect(data.filter(({ meaning }) => meaning === null)).toHaveLength(1)
    expect(data.filter(({ meaning }) => /^1号.*、2号/u.test(meaning ?? ''))).toHaveLength(3)
    const past = await app.call(listAlarmHistory, { equipId: near.id, pageSize: 100 }, narrow)
    for (const { id, meaning } of data) expect(past.data.find((row) => row.id === id)?.meaning).toBe(meaning)
    await sql`DELETE FROM alarm_state WHERE device_id = ${near.id}`.execute(app.db)
  })

  test('are exported with the filters of the list, under a Chinese file name', async () => {
    for (const [endpoint, name] of [
      [exportAlarms, '当前告警'],
      [exportAlarmHistory, '历史告警'],
    ] as const) {
      const answer = await app.request(`/api${endpoint.path}`, { headers: { authorization: narrow } })
      expect(answer.status).toBe(200)
      expect(decodeURIComponent(answer.headers.get('content-disposition') ?? '')).toMatch(
        new RegExp(`${name}_\\d{14}\\.xlsx`),
      )
      expect(answer.text.startsWith('PK')).toBe(true)
    }
  })

  test('and events without rows are an empty page', async () => {
    expect(await app.call(listEvents, {}, narrow)).toMatchObject({ code: 200, data: [], total: 0 })
  })

  test('are listed by id where they match filters and scope, replaced ones as recovered', async () => {
    const before = await insertAlarm(app.db, near, 'BYID1', 40, { recovered: true })
    await app.db.deleteFrom('alarm_state').where('semaphore_code', '=', 'BYID1').execute()
    const now = await insertAlarm(app.db, near, 'BYID1', 30)
    const other = await insertAlarm(app.db, near, 'BYID2', 35)
    const hidden = await insertAlarm(app.db, far, 'BYID1', 30)
    const ids = [other, before, now, hidden, '999999999999']
    const listed = async (input: object, token = narrow) => {
      const { data, total } = await app.call(listAlarms, { ids, ...input }, token)
      expect(total).toBe(data.length)
      return data.map(({ id, status }) => `${id} ${status}`)
    }
    expect(await listed({})).toEqual([`${now} 1`, `${other} 1`])
    expect(await listed({ status: 'all' })).toEqual([`${now} 1`, `${other} 1`, `${before} 0`])
    expect(await listed({ status: '0' })).toEqual([`${before} 0`])
    expect(await listed({ status: 'all', semaphoreCode: ['BYID2'] })).toEqual([`${other} 1`])
    expect(await listed({ status: 'all', code: [far.code] })).toEqual([])
    expect(await listed({ status: 'all', code: [far.code] }, admin)).toEqual([`${hidden} 1`])
    const second = await app.call(listAlarms, { ids, pageSize: 1, pageNum: 2 }, narrow)
    expect([second.data.map(({ id }) => id), second.total]).toEqual([[other], 2])
    const many = Array.from({ length: 201 }, (_, at) => String(at + 1))
    expect(await app.call(listAlarms, { ids: many }, narrow)).toMatchObject({
      status: 400,
      message: '告警最多 200 项',
    })
    await app.db.deleteFrom('alarm_state').where('semaphore_code', 'in', ['BYID1', 'BYID2']).execute()
  })
})

describe('levels of the history', () => {
  test('are counted beside the list, each as its own list counts it', async () => {
    await insertAlarm(app.db, near, '01110003', 70, { recovered: true })
    const filters = [
      {},
      { status: 0 },
      { status: 1 },
      { code: [near.code] },
      { semaphoreName: '01110003' },
      { handling: ['closed'] },
      { isShelved: '1' },
    ]
    for (const [user, filter] of filters.flatMap((one) => [[admin, one] as const, [narrow, one] as const])) {
      const { levels } = (await app.call(countHistoryLevels, filter, user)).data
      const of = async (more: object) =>
        (await app.call(listAlarmHistory, { ...filter, ...more, pageSize: 1 }, user)).total ?? 0
      const all = await of({})
      const each = await Promise.all(alarmLevels.map((alarmLevel) => of({ alarmLevel: [alarmLevel] })))
      const rest = all - each.reduce((sum, one) => sum + one, 0)
      expect(levels, JSON.stringify(filter)).toEqual([
        ...alarmLevels.map((level, index) => ({ level, count: each[index] })),
        ...(rest > 0 ? [{ level: 0, count: rest }] : []),
      ])
    }
    const counted = async (user: string) => {
      const { levels } = (await app.call(countHistoryLevels, {}, user)).data
      return levels.reduce((sum, { count }) => sum + count, 0)
    }
    // What a narrower user does not see is not counted either: a code without a level lies beyond the scope.
    expect(await counted(narrow)).toBeLessThan(await counted(admin))
  })
})

describe('the history in figures', () => {
  const dayOf = (minutesAgo: number) => {
    const at = new Date(Date.now() - minutesAgo * 60_000)
    return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`
  }

  test('counts each day as its own list does, with the mean of what is over', async () => {
    const days = [1, 2, 26, 27, 28].map((hours) => hours * 60)
    for (const [index, minutes] of days.entries()) {
      // The state of a semaphore is its newest episode.
      await app.db.deleteFrom('alarm_state').where('semaphore_code', '=', '01110003').execute()
      await insertAlarm(app.db, near, '01110003', minutes, { recovered: index !== days.length - 1 })
      await insertAlarm(app.db, far, `SUM${index}`, minutes, { recovered: true })
    }
    await sql`UPDATE alarm_history SET recovered_at = occurred_at + interval '10 minutes'
      WHERE semaphore_code = '01110003' AND recovered_at IS NOT NULL`.execute(app.db)
    const filters = [
      {},
      { status: 0 },
      { status: 1 },
      { code: [near.code] },
      { semaphoreName: '01110003' },
      { alarmLevel: [1] },
      { handling: ['closed'] },
      { isShelved: '1' },
      { startTime: `${dayOf(28 * 60)} 00:00:01`, endTime: dayOf(0) },
    ]
    for (const [user, filter] of filters.flatMap((one) => [[admin, one] as const, [narrow, one] as const])) {
      const told = JSON.stringify(filter)
      const sums = (await app.call(readHistorySums, filter, user)).data
      const rows = (await app.call(listAlarmHistory, { ...filter, pageSize: 100 }, user)).data
      expect(sums.total, told).toBe(rows.length)
      const byDay = Map.groupBy(rows, ({ occurrenceTime }) => occurrenceTime.slice(0, 10))
      expect(sums.days, told).toEqual(
        [...byDay]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([day, own]) => ({
            day,
            count: own.length,
            levels: alarmLevels.map((level) => own.filter((row) => row.alarmLevel === level).length),
          })),
      )
      const over = rows.flatMap(({ occurrenceTime, recoveryTime }) =>
        recoveryTime === null ? [] : [(Date.parse(recoveryTime) - Date.parse(occurrenceTime)) / 1000],
      )
      const mean = over.length === 0 ? null : over.reduce((sum, one) => sum + one, 0) / over.length
      expect(sums.isMeanLeftOut, told).toBe(false)
      if (mean === null) expect(sums.meanSeconds, told).toBeNull()
      // The list tells times without their milliseconds.
      else expect(Math.abs(Number(sums.meanSeconds) - mean), told).toBeLessThan(1)
    }
    const { startDay, endDay } = (await app.call(readHistorySums, {}, narrow)).data
    expect([startDay, endDay]).toEqual([dayOf(29 * 24 * 60), dayOf(0)])
  })

  test('leaves the mean out where it would read more rows than it may', async () => {
    const code = 'SUMMANY'
    await sql`
      WITH added AS (
        INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
          first_value, value, recovered_at, recovery_method)
        SELECT 8000000000 + n, date_trunc('second', now()) - n * interval '1 second', id, operator_id, model_id, region_id,
          ${code}, 1, 1, now(), 1
        FROM device CROSS JOIN generate_series(1, 20001) AS n WHERE id = ${far.id}
        RETURNING occurred_at::date AS day, operator_id, model_id, region_id
      )
      INSERT INTO history_delta
      SELECT 1, day, operator_id, model_id, region_id, ${code}, count(*)::int FROM added GROUP BY day, operator_id, model_id, region_id
    `.execute(app.db)
    const { data } = await app.call(readHistorySums, { semaphoreCode: [code] }, admin)
    expect(data).toMatchObject({ total: 20_001, meanSeconds: null, isMeanLeftOut: true })
    expect(data.days.reduce((sum, { count }) => sum + count, 0)).toBe(20_001)
    // Somebody else's many rows do not hide one's own mean.
    expect((await app.call(readHistorySums, {}, narrow)).data.isMeanLeftOut).toBe(false)
  })
})
