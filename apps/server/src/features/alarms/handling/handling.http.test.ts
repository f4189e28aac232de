// What people do about alarms, by the calls: rights, scope, two at once, many at once, and what lists show of it.

import {
  ackAlarms,
  assignAlarms,
  claimAlarms,
  closeAlarms,
  countAlarmLevels,
  listAlarmAssignees,
  listAlarmHistory,
  listAlarms,
  listTasks,
  noteAlarm,
  readAlarm,
  readAlarmHandling,
  readDeviceTimeline,
  releaseAlarms,
  unackAlarms,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { times } from '../../../../test/long.ts'
import { truncate } from '../../../../test/truncate.ts'

const functionCodes = [
  'alarm:page',
  'alarm:history',
  'alarm:ack',
  'alarm:assign',
  'alarm:close',
  'alarm:export',
  'equip:list',
]

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const near = await insertDevice(app.db, { operatorId })
const far = await insertDevice(app.db)
const me = await app.asUser({ organizationId, functionCodes })
const colleague = await app.asUser({ organizationId, functionCodes })
/** Of the same organization, limited to an operator that has no device. */
const elsewhere = await app.asUser({
  organizationId,
  functionCodes,
  authorities: [['O', String(await insertOperator(app.db, { organizationId }))]],
})
const stranger = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
const bitCode = await sql<{ code: string }>`
  SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND analysis_type = 'BIT' AND alarm_level = 2 LIMIT 1`
  .execute(app.db)
  .then(({ rows }) => rows[0]?.code ?? '')

let serial = 0
const opened = (options: Parameters<typeof insertAlarm>[4] = {}, device = near, code = `H${++serial}`) =>
  insertAlarm(app.db, device, code, 5, options)
const rowOf = async (id: string, token = me.token) => (await app.call(readAlarm, { id }, token)).data
const clear = () =>
  truncate(app.db, [
    'alarm_state',
    'alarm_history',
    'alarm_handling',
    'alarm_handling_action',
    'history_delta',
  ])

describe('one alarm', () => {
  test('is acknowledged, taken, noted and closed, and keeps every action', async () => {
    const id = await opened()
    expect(await rowOf(id)).toMatchObject({
      handling: 'unacknowledged',
      handlingVersion: 0,
      ackTime: null,
      ackUserName: null,
      assigneeId: null,
      assigneeName: null,
      causeName: null,
    })
    expect((await app.call(ackAlarms, { ids: [id], version: 0 }, me.token)).data).toEqual({
      done: 1,
      skipped: [],
      skippedCount: 0,
    })
    expect(await rowOf(id)).toMatchObject({
      handling: 'acknowledged',
      handlingVersion: 1,
      ackUserName: me.loginName,
      ackTime: expect.stringMatching(/^\d{4}-/),
      status: 1,
    })
    await app.call(claimAlarms, { ids: [id], version: 1 }, colleague.token)
    expect(await rowOf(id)).toMatchObject({
      handling: 'inProgress',
      handlingVersion: 2,
      ackUserName: me.loginName,
      assigneeId: String(colleague.id),
      assigneeName: colleague.loginName,
    })
    expect((await app.call(noteAlarm, { id, note: '已派人' }, me.token)).data).toEqual({ handlingVersion: 3 })
    await app.call(closeAlarms, { ids: [id], cause: 'falseAlarm', note: '探头松动', version: 3 }, me.token)
    expect(await rowOf(id)).toMatchObject({
      handling: 'closed',
      handlingVersion: 4,
      causeName: '误报',
      // What the device says is as it was.
      status: 1,
      recoveryTime: null,
    })
    const { data } = await app.call(readAlarmHandling, { id }, me.token)
    const side = (handling: string, assigneeName: string | null = null, causeName: string | null = null) => ({
      handling,
      assigneeName,
      causeName,
    })
    expect(data).toEqual([
      {
        time: expect.any(String),
        userName: me.loginName,
        source: 'api',
        kind: 'ack',
        note: null,
        before: side('unacknowledged'),
        after: side('acknowledged'),
      },
      expect.objectContaining({
        userName: colleague.loginName,
        kind: 'claim',
        before: side('acknowledged'),
        after: side('inProgress', colleague.loginName),
      }),
      expect.objectContaining({ userName: me.loginName, kind: 'note', note: '已派人' }),
      expect.objectContaining({
        kind: 'close',
        note: '探头松动',
        after: side('closed', colleague.loginName, '误报'),
      }),
    ])
    const timeline = await app.call(
      readDeviceTimeline,
      { id: String(near.id), kinds: ['handling'] },
      me.token,
    )
    expect(timeline.data.entries.map(({ state, by, detail }) => [state, by, detail])).toEqual([
      ['close', me.loginName, '误报；探头松动'],
      ['note', me.loginName, '已派人'],
      ['claim', colleague.loginName, colleague.loginName],
      ['ack', me.loginName, null],
    ])
    const { rows } = await sql<{ call: string; target: string; changes: unknown }>`
      SELECT call, target, changes FROM operation_log WHERE call LIKE '/alarm/%' AND result_code = 200
      ORDER BY at, id`.execute(app.db)
    expect(rows.map(({ call }) => call)).toEqual([
      '/alarm/ack',
      '/alarm/claim',
      '/alarm/note',
      '/alarm/close',
    ])
    expect(rows[3]).toMatchObject({
      target: expect.stringContaining(`设备 ${near.code} 告警`),
      changes: {
        before: { handling: '处理中', assigneeName: colleague.loginName },
        after: { handling: '已关闭', causeName: '误报', note: '探头松动' },
      },
    })
  })

  test('of which a newer action is not known is refused with who did what, when', async () => {
    const id = await opened()
    await app.call(claimAlarms, { ids: [id], version: 0 }, colleague.token)
    for (const call of [ackAlarms, claimAlarms, unackAlarms, releaseAlarms] as const) {
      expect(await app.call(call, { ids: [id], version: 0 }, me.token)).toMatchObject({
        status: 409,
        refusal: 'conflict',
        message: expect.stringMatching(
          new RegExp(
            `^${colleague.loginName} 已于 \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d 认领该告警，当前为“处理中”$`,
          ),
        ),
      })
    }
    expect((await app.call(readAlarmHandling, { id }, me.token)).data).toHaveLength(1)
  })

  test('that two take at the same moment is one’s, and the other is told whose', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await opened()
      const answers = await Promise.all(
        [me, colleague].map(({ token }) => app.call(claimAlarms, { ids: [id], version: 0 }, token)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const winner = answers[0]?.status === 200 ? me : colleague
      expect(await rowOf(id)).toMatchObject({ assigneeName: winner.loginName, handlingVersion: 1 })
      expect(answers.find(({ status }) => status === 409)?.message).toContain(winner.loginName)
    }
  })

  test('stands unacknowledged again with a new bit, a graver level, or when it is forgotten', async () => {
    const id = await opened({ value: 2 }, near, bitCode)
    await app.call(ackAlarms, { ids: [id] }, me.token)
    const shown = async () => (await rowOf(id)).handling
    const listed = async (handling: 'acknowledged' | 'unacknowledged') =>
      (await app.call(listAlarms, { handling: [handling], semaphoreCode: [bitCode] }, me.token)).total
    const says = (value: number) =>
      sql`WITH s AS (UPDATE alarm_state SET value = ${value} WHERE episode_id = ${id}::bigint)
        UPDATE alarm_history SET value = ${value} WHERE id = ${id}::bigint`.execute(app.db)
    expect([await shown(), await listed('acknowledged'), await listed('unacknowledged')]).toEqual([
      'acknowledged',
      1,
      0,
    ])
    await says(6)
    expect([await shown(), await listed('acknowledged'), await listed('unacknowledged')]).toEqual([
      'unacknowledged',
      0,
      1,
    ])
    await app.call(ackAlarms, { ids: [id] }, me.token)
    expect(await shown()).toBe('acknowledged')
    await sql`UPDATE dictionary_entry SET alarm_level = 1 WHERE type = 'ALARM' AND code = ${bitCode}`.execute(
      app.db,
    )
    expect(await shown()).toBe('unacknowledged')
    await app.call(ackAlarms, { ids: [id] }, me.token)
    // Of the gravest level after half an hour, by the setting's default.
    const { rows } = await sql<{ minutes: number }>`
      SELECT round(extract(epoch FROM lasts_until - acked_at) / 60)::int AS minutes FROM alarm_handling
      WHERE episode_id = ${id}::bigint`.execute(app.db)
    expect(rows).toEqual([{ minutes: 30 }])
    await sql`UPDATE alarm_handling SET lasts_until = now() WHERE episode_id = ${id}::bigint`.execute(app.db)
    expect([await shown(), await listed('acknowledged'), await listed('unacknowledged')]).toEqual([
      'unacknowledged',
      0,
      1,
    ])
    await sql`UPDATE dictionary_entry SET alarm_level = 2 WHERE type = 'ALARM' AND code = ${bitCode}`.execute(
      app.db,
    )
  })

  test('that is over is done with an acknowledgement, and may be opened again', async () => {
    const id = await opened({ recovered: true })
    expect((await rowOf(id)).handling).toBe('recoveredUnacknowledged')
    await app.call(ackAlarms, { ids: [id] }, me.token)
    expect((await rowOf(id)).handling).toBe('closed')
    await app.call(unackAlarms, { ids: [id] }, me.token)
    expect((await rowOf(id)).handling).toBe('recoveredUnacknowledged')
  })

  test('needs its functions, a cause of the dictionary, and one way to be chosen', async () => {
    const id = await opened()
    const reader = await app.asUser({ organizationId, functionCodes: ['alarm:page', 'alarm:ack'] })
    expect(await app.call(closeAlarms, { ids: [id], cause: 'other' }, reader.token)).toMatchObject({
      status: 403,
    })
    expect(await app.call(assignAlarms, { ids: [id], userId: String(me.id) }, reader.token)).toMatchObject({
      status: 403,
    })
    expect(await app.call(closeAlarms, { ids: [id], cause: 'nonsense' }, me.token)).toMatchObject({
      status: 400,
      data: [{ field: 'cause', message: '原因不存在' }],
    })
    for (const chosen of [
      {},
      { ids: [] },
      { ids: [id], filter: {}, count: 1 },
      { filter: {} },
      { filter: { operator: '1' }, count: 1 },
      { ids: [id, '1'], version: 1 },
    ])
      expect([chosen, (await app.call(ackAlarms, chosen as { ids: string[] }, me.token)).status]).toEqual([
        chosen,
        400,
      ])
    expect((await rowOf(id)).handlingVersion).toBe(0)
    // Released by who does not have it, without the function to assign.
    await app.call(claimAlarms, { ids: [id] }, me.token)
    expect((await app.call(releaseAlarms, { ids: [id] }, reader.token)).data.skipped).toEqual([
      { id, reason: `由 ${me.loginName} 负责，不能释放` },
    ])
    expect((await app.call(releaseAlarms, { ids: [id] }, colleague.token)).data.done).toBe(1)
  })
})

describe('the data scope', () => {
  test('an alarm out of it does not exist, in every call', async () => {
    const id = await opened({}, far)
    const missing = { done: 0, skipped: [{ id, reason: '告警不存在' }], skippedCount: 1 }
    for (const call of [ackAlarms, unackAlarms, claimAlarms, releaseAlarms] as const)
      expect((await app.call(call, { ids: [id] }, me.token)).data).toEqual(missing)
    expect((await app.call(closeAlarms, { ids: [id], cause: 'other' }, me.token)).data).toEqual(missing)
    expect((await app.call(assignAlarms, { ids: [id], userId: String(me.id) }, me.token)).data).toEqual(
      missing,
    )
    expect(await app.call(noteAlarm, { id, note: '看过' }, me.token)).toMatchObject({ status: 404 })
    expect(await app.call(readAlarmHandling, { id }, me.token)).toMatchObject({ status: 404 })
    expect((await app.call(listAlarmAssignees, { ids: [id] }, me.token)).data).toEqual([])
    const { rows } = await sql`SELECT FROM alarm_handling WHERE episode_id = ${id}::bigint`.execute(app.db)
    expect(rows).toEqual([])
  })

  test('an alarm is assigned only to users of the caller’s organizations who see its device', async () => {
    const id = await opened()
    const candidates = await app.call(listAlarmAssignees, { ids: [id] }, me.token)
    const names = candidates.data.map(({ userName }) => userName)
    expect(names).toEqual(expect.arrayContaining([me.loginName, colleague.loginName]))
    expect(names).not.toContain(elsewhere.loginName)
    expect(names).not.toContain(stranger.loginName)
    const assigned = (userId: number) =>
      app.call(assignAlarms, { ids: [id], userId: String(userId) }, me.token)
    expect((await assigned(elsewhere.id)).data.skipped).toEqual([{ id, reason: '该用户无权查看该设备' }])
    for (const userId of [stranger.id, 987_654])
      expect(await assigned(userId)).toMatchObject({
        status: 400,
        data: [{ field: 'userId', message: '该用户不存在，或不能处理告警' }],
      })
    expect((await assigned(colleague.id)).data.done).toBe(1)
    expect(await rowOf(id)).toMatchObject({ handling: 'inProgress', assigneeName: colleague.loginName })
    // The candidates of many alarms see all of them.
    expect(
      (await app.call(listAlarmAssignees, { filter: {}, userName: colleague.loginName }, me.token)).data,
    ).toEqual([{ id: String(colleague.id), userName: colleague.loginName }])
  })

  test('has so many notes, and of its record the newest is shown', async () => {
    const id = await opened()
    expect(await app.call(noteAlarm, { id, note: '第一条' }, me.token)).toMatchObject({ code: 200 })
    const more = (kind: string, count: number) =>
      sql`
        INSERT INTO alarm_handling_action (episode_id, device_id, user_id, user_name, source, address, kind, note,
          before, after)
        SELECT episode_id, device_id, user_id, user_name, source, address, ${kind}, n::text, before, after
        FROM alarm_handling_action, generate_series(1, ${count}::int) n
        WHERE episode_id = ${id} AND note = '第一条'`.execute(app.db)
    await more('note', 498)
    expect(await app.call(noteAlarm, { id, note: '第五百条' }, me.token)).toMatchObject({ code: 200 })
    expect(await app.call(noteAlarm, { id, note: '再一条' }, me.token)).toMatchObject({
      status: 409,
      refusal: 'tooManyNotes',
    })
    await more('ack', 800)
    const { data } = await app.call(readAlarmHandling, { id }, me.token)
    expect([data.length, data.at(-1)?.note]).toEqual([1_000, '800'])
    expect(await app.call(ackAlarms, { ids: [id] }, me.token)).toMatchObject({ code: 200 })
  })

  test('a user who is deleted leaves the alarm to the others, and the record as it was', async () => {
    const id = await opened()
    const leaving = await app.asUser({ organizationId, functionCodes })
    await app.call(claimAlarms, { ids: [id] }, leaving.token)
    await app.db.deleteFrom('app_user').where('id', '=', leaving.id).execute()
    expect(await rowOf(id)).toMatchObject({
      handling: 'acknowledged',
      assigneeId: null,
      assigneeName: null,
      ackUserName: leaving.loginName,
    })
    expect((await app.call(readAlarmHandling, { id }, me.token)).data).toMatchObject([
      { userName: leaving.loginName, kind: 'claim' },
    ])
  })
})

describe('lists', () => {
  test('filter, count and page by handling and by who has an alarm, in both lists', async () => {
    await clear()
    const active = await Promise.all(Array.from({ length: 6 }, () => opened()))
    const over = await Promise.all(Array.from({ length: 6 }, () => opened({ recovered: true })))
    for (const ids of [active, over]) {
      await app.call(ackAlarms, { ids: [ids[1] as string] }, me.token)
      await app.call(claimAlarms, { ids: [ids[2] as string] }, me.token)
      await app.call(claimAlarms, { ids: [ids[3] as string] }, colleague.token)
      await app.call(closeAlarms, { ids: [ids[4] as string], cause: 'other' }, me.token)
    }
    const places = (ids: readonly string[], ...ns: number[]) => ns.map((n) => ids[n] as string)
    const cases: [Parameters<typeof app.call<typeof listAlarmHistory>>[1], string[]][] = [
      [{ handling: ['unacknowledged'] }, places(active, 0, 5)],
      [{ handling: ['acknowledged'] }, places(active, 1)],
      [{ handling: ['inProgress'] }, [...places(active, 2, 3), ...places(over, 2, 3)]],
      [{ handling: ['recoveredUnacknowledged'] }, places(over, 0, 5)],
      [{ handling: ['closed'] }, [...places(active, 4), ...places(over, 1, 4)]],
      [
        { handling: ['unacknowledged', 'recoveredUnacknowledged'] },
        [...places(active, 0, 5), ...places(over, 0, 5)],
      ],
      [
        { handling: ['recoveredUnacknowledged', 'inProgress'] },
        [...places(active, 2, 3), ...places(over, 0, 2, 3, 5)],
      ],
      [{ handling: ['unacknowledged', 'closed'] }, [...places(active, 0, 4, 5), ...places(over, 1, 4)]],
      [{ assigneeId: 'me' }, [...places(active, 2), ...places(over, 2)]],
      [
        { assigneeId: String(colleague.id), handling: ['inProgress'] },
        [...places(active, 3), ...places(over, 3)],
      ],
      [{ assigneeId: 'me', handling: ['closed'] }, []],
    ]
    const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()
    for (const [input, wanted] of cases) {
      for (const [status, some] of [
        [undefined, [...active, ...over]],
        [1, active],
        [0, over],
      ] as const) {
        const expected = wanted.filter((id) => some.includes(id)).sort()
        const named = [input, status]
        const past = await app.call(
          listAlarmHistory,
          { ...input, pageSize: 50, ...(status !== undefined && { status }) },
          me.token,
        )
        expect([named, idsOf(past.data), past.total]).toEqual([named, expected, expected.length])
        // Page by page, in either direction, the same.
        const paged: string[] = []
        for (let pageNum = 1; pageNum <= expected.length; pageNum += 1) {
          const page = await app.call(
            listAlarmHistory,
            {
              ...input,
              pageSize: 1,
              pageNum,
              sortBy: 'occurrenceTime',
              sortOrder: 'asc',
              ...(status !== undefined && { status }),
            },
            me.token,
          )
          paged.push(...page.data.map(({ id }) => id))
        }
        expect([named, [...paged].sort()]).toEqual([named, expected])
        const which = {
          ...input,
          status: status === undefined ? ('all' as const) : (`${status}` as '0' | '1'),
        }
        const now = await app.call(listAlarms, { ...which, pageSize: 50 }, me.token)
        expect([named, idsOf(now.data), now.total]).toEqual([named, expected, expected.length])
        const { levels } = (await app.call(countAlarmLevels, which, me.token)).data
        expect([named, levels.reduce((sum, { count }) => sum + count, 0)]).toEqual([named, expected.length])
      }
    }
  })

  test('as sheets have the state, who has an alarm, who acknowledged it and why it was closed', async () => {
    for (const path of ['/api/alarm/export?status=all', '/api/alarm/history/export']) {
      const answer = await fetch(`${app.url}${path}`, { headers: { authorization: me.token } })
      expect(answer.status).toBe(200)
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
    }
  })
})

/** Alarms of a device, each of a code of its own. */
const openMany = (count: number) =>
  sql`
    WITH place AS (
      SELECT d.id AS device_id, d.operator_id, d.model_id, d.region_id, n, now() - n * interval '10 ms' AS at
      FROM device d, generate_series(1, ${count}::int) n WHERE d.id = ${near.id}
    ), history AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
      SELECT 5000000000::bigint + n, at, device_id, operator_id, model_id, region_id, 'M' || n, 1, 1 FROM place
    )
    INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
      operator_id, model_id, region_id)
    SELECT device_id, 'M' || n, 5000000000::bigint + n, true, 1, at, at, operator_id, model_id, region_id
    FROM place`.execute(app.db)

describe('many alarms', () => {
  test('that match a filter are handled within the scope, where about as many match as the user was shown', async () => {
    await clear()
    await Promise.all(Array.from({ length: 20 }, () => opened()))
    const hidden = await opened({}, far)
    const all = { filter: {} }
    for (const count of [10, 40])
      expect(await app.call(ackAlarms, { ...all, count }, me.token)).toMatchObject({
        status: 409,
        refusal: 'alarmsDiffer',
        message: '符合条件的告警现有 20 条，请重新确认',
      })
    expect((await app.call(ackAlarms, { ...all, count: 18 }, me.token)).data).toMatchObject({ done: 20 })
    expect((await rowOf(hidden, await app.asAdmin())).handling).toBe('unacknowledged')
    expect(
      (await app.call(claimAlarms, { filter: { handling: ['acknowledged'] }, count: 20 }, me.token)).data,
    ).toEqual({
      done: 20,
      skipped: [],
      skippedCount: 0,
    })
    const { skipped, skippedCount, done } = (
      await app.call(claimAlarms, { ...all, count: 20 }, colleague.token)
    ).data
    expect([done, skippedCount, new Set(skipped.map(({ reason }) => reason))]).toEqual([
      0,
      20,
      new Set([`已由 ${me.loginName} 负责`]),
    ])
  })

  test('are handled no further than who began it may: the rest is skipped, and says why', async () => {
    await clear()
    await openMany(4_100)
    const leaving = await app.asUser({ organizationId, functionCodes })
    const other = await app.db.connection().execute(async (connection) => {
      await sql`BEGIN`.execute(connection)
      // The first portion waits for the device, and so is under way while its user is disabled.
      await sql`SELECT FROM device WHERE id = ${near.id} FOR UPDATE`.execute(connection)
      const handled = app.call(ackAlarms, { filter: {}, count: 4_100 }, leaving.token)
      await expect
        .poll(async () => {
          const { rows } = await sql`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%FOR KEY SHARE OF d%'`.execute(app.db)
          return rows.length
        })
        .toBeGreaterThan(0)
      await sql`UPDATE app_user SET is_enabled = false WHERE id = ${leaving.id}`.execute(app.db)
      await sql`COMMIT`.execute(connection)
      return handled
    })
    const { done, skipped, skippedCount } = other.data
    expect([done, skippedCount]).toEqual([2_000, 2_100])
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set([`操作人 ${leaving.loginName} 已停用`]),
    )
  })

  test('thousands are handled by one call, whose progress is a task', { timeout: 180_000 }, async () => {
    // As many as a call may name; in every run, several portions.
    const many = times(8_000, 50_000)
    await clear()
    await openMany(many)
    await sql`ANALYZE alarm_state, alarm_history`.execute(app.db)
    const begunMs = performance.now()
    const handled = app.call(ackAlarms, { filter: {}, count: many }, me.token)
    const task = async () =>
      (await app.call(listTasks, {}, me.token)).data.tasks.find(({ kind }) => kind === 'alarmHandling')
    const seen: number[] = []
    const state = { isOver: false }
    void handled.finally(() => {
      state.isOver = true
    })
    while (!state.isOver) {
      const now = await task()
      if (now?.state === 'running') seen.push(now.done)
    }
    expect((await handled).data).toEqual({ done: many, skipped: [], skippedCount: 0 })
    console.log(`${many} acknowledged in ${Math.round(performance.now() - begunMs)} ms`)
    expect(seen.some((done) => done > 0 && done < many)).toBe(true)
    expect(await task()).toMatchObject({ state: 'done', done: many, total: many, skipped: 0 })
    expect((await app.call(listAlarms, { handling: ['acknowledged'] }, me.token)).total).toBe(many)
    const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM alarm_handling_action`.execute(
      app.db,
    )
    expect(rows).toEqual([{ n: many }])
    const again = (await app.call(ackAlarms, { filter: {}, count: many }, me.token)).data
    expect([again.done, again.skippedCount, again.skipped.length]).toEqual([0, many, 500])
  })
})
