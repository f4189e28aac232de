// Handovers by their calls: what a page keeps, who is told of what, and who signs.
import {
  ackAlarms,
  claimAlarms,
  closeAlarms,
  draftHandover,
  formatDateTime,
  insertAlarmShelf,
  listHandovers,
  noteAlarm,
  readHandover,
  signHandover,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { truncate } from '../../../test/truncate.ts'
import { createHandoverJob } from './handover.jobs.ts'

const functionCodes = [
  'handover:list',
  'handover:draft',
  'handover:sign',
  'alarm:page',
  'alarm:ack',
  'alarm:close',
  'alarm:shelve',
]

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const otherOperatorId = await insertOperator(app.db, { organizationId })
const near = await insertDevice(app.db, { operatorId })
const far = await insertDevice(app.db, { operatorId: otherOperatorId })
const foreign = await insertDevice(app.db)
const drafter = await app.asUser({ organizationId, functionCodes })
const next = await app.asUser({ organizationId, functionCodes })
const another = await app.asUser({ organizationId, functionCodes })
const narrow = await app.asUser({
  organizationId,
  functionCodes,
  authorities: [['O', String(operatorId)]],
})
const stranger = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
const below = await app.asUser({
  organizationId: await insertOrganization(app.db, { parentId: organizationId }),
  functionCodes,
})
const codes = Object.fromEntries(
  (
    await sql<{ level: number; code: string }>`
      SELECT DISTINCT ON (alarm_level) alarm_level AS level, code FROM dictionary_entry
      WHERE type = 'ALARM' AND alarm_level IS NOT NULL ORDER BY alarm_level, code`.execute(app.db)
  ).rows.map(({ level, code }) => [level, code]),
) as Record<1 | 2 | 3 | 4, string>

const hourMs = 3_600_000
const hoursAgo = (hours: number) => formatDateTime(new Date(Date.now() - hours * hourMs))
const shift = () => ({ startTime: hoursAgo(8), endTime: hoursAgo(-1) })
const drafted = async (form: object = {}, token = drafter.token) =>
  (await app.call(draftHandover, { ...shift(), ...form }, token)).data.id
const read = async (id: string, token = drafter.token) => (await app.call(readHandover, { id }, token)).data
const listed = async (token: string, input: object = {}) =>
  (await app.call(listHandovers, input, token)).data.map(({ id }) => id)
const endedAgo = (id: string, minutes: number) =>
  sql`UPDATE handover SET to_at = now() - ${minutes} * interval '1 minute' WHERE id = ${id}`.execute(app.db)

beforeEach(async () => {
  await truncate(app.db, [
    'alarm_shelf',
    'alarm_shelf_target',
    'alarm_shelf_cover',
    'alarm_state',
    'alarm_history',
    'alarm_handling',
    'alarm_handling_action',
    'history_delta',
    'handover',
    'handover_alarm',
    'handover_note',
    'handover_shelf',
  ])
})

describe('a page', () => {
  test('keeps what is open, who has it and what was noted, as it was when it was drawn', async () => {
    const grave = await insertAlarm(app.db, near, codes[1], 60)
    const minor = await insertAlarm(app.db, near, codes[3], 1)
    const seen = await insertAlarm(app.db, far, codes[2], 1)
    const done = await insertAlarm(app.db, far, codes[1], 1)
    await app.call(claimAlarms, { ids: [grave] }, next.token)
    await app.call(noteAlarm, { id: grave, note: '已派人到现场' }, next.token)
    await app.call(ackAlarms, { ids: [seen] }, drafter.token)
    await app.call(closeAlarms, { ids: [done], cause: 'falseAlarm', note: '探头松动' }, drafter.token)
    const id = await drafted({ note: '1号站备件周五到货' })
    const page = await read(id)
    expect(page).toMatchObject({
      state: 'drafted',
      draftUserName: drafter.loginName,
      note: '1号站备件周五到货',
      isOwn: true,
      isWhole: true,
      openCount: 3,
      levels: [
        { level: 1, count: 1, handlings: [{ handling: 'inProgress', count: 1 }] },
        { level: 2, count: 1, handlings: [{ handling: 'acknowledged', count: 1 }] },
        { level: 3, count: 1, handlings: [{ handling: 'unacknowledged', count: 1 }] },
      ],
      upgradeCount: 0,
      batchCount: 0,
      isNotesCut: false,
    })
    expect(page.alarms.map((alarm) => [alarm.id, alarm.code])).toEqual([
      [grave, near.code],
      [seen, far.code],
      [minor, near.code],
    ])
    expect(page.alarms[0]).toMatchObject({
      assigneeName: next.loginName,
      lastNote: '已派人到现场',
      lastNoteUserName: next.loginName,
    })
    expect(page.notes.map(({ note, kind, code, userName }) => [note, kind, code, userName])).toEqual([
      ['探头松动', 'close', far.code, drafter.loginName],
      ['已派人到现场', 'note', near.code, next.loginName],
    ])
    await app.call(closeAlarms, { ids: [grave, minor, seen], cause: 'falseAlarm' }, next.token)
    expect(await read(id)).toEqual(page)
  })

  test('names the compartment or the module, as it was when it was drawn', async () => {
    const hot = '01120003'
    const alarm = await insertAlarm(app.db, near, hot, 60, { value: 0b1010 })
    await app.call(noteAlarm, { id: alarm, note: '已派人到现场' }, next.token)
    const id = await drafted()
    const page = await read(id)
    expect(page.alarms).toMatchObject([{ semaphoreName: '仓位过温', meaning: '2号仓、4号仓' }])
    expect(page.notes).toMatchObject([{ semaphoreName: '仓位过温', meaning: '2号仓、4号仓' }])
    await sql`UPDATE alarm_state SET value = 1`.execute(app.db)
    await sql`UPDATE alarm_history SET value = 1`.execute(app.db)
    expect(await read(id)).toEqual(page)
    // Of many alarms at once there is no one compartment.
    const other = await insertAlarm(app.db, far, hot, 5, { value: 0b1 })
    await app.call(ackAlarms, { ids: [alarm, other], note: '统一确认' }, next.token)
    const again = await read(await drafted({ startTime: hoursAgo(7) }))
    expect(again.notes[0]).toMatchObject({ note: '统一确认', semaphoreName: null, meaning: null })
  })

  test('says what is quiet, until when and why, as far as each reader sees', async () => {
    const shelved = await insertAlarm(app.db, near, codes[2], 60)
    await insertAlarm(app.db, far, codes[3], 5)
    const until = formatDateTime(new Date(Date.now() + 2 * hourMs))
    const shelf = { reason: '等备件', endTime: until }
    await app.call(
      insertAlarmShelf,
      { ...shelf, deviceCodes: [near.code], semaphoreCodes: [codes[2]] },
      next.token,
    )
    await app.call(
      insertAlarmShelf,
      { ...shelf, deviceCodes: [far.code, near.code], alarmLevels: [4] },
      next.token,
    )
    await app.call(
      insertAlarmShelf,
      { ...shelf, filter: { operatorId: String(otherOperatorId) }, alarmLevels: [3] },
      next.token,
    )
    const id = await drafted()
    const page = await read(id)
    expect(page).toMatchObject({ openCount: 2, shelvedCount: 2 })
    expect(page.alarms.map((alarm) => [alarm.id, alarm.isShelved, alarm.shelvedUntil])[0]).toEqual([
      shelved,
      1,
      until,
    ])
    expect(
      page.shelves.map(({ deviceCodes, deviceCount, alarmLevels, endTime, createBy, reason }) => [
        deviceCodes,
        deviceCount,
        alarmLevels,
        endTime,
        createBy,
        reason,
      ]),
    ).toEqual([
      [null, 0, [3], until, next.loginName, '等备件'],
      [[near.code, far.code].sort(), 2, [4], until, next.loginName, '等备件'],
      [[near.code], 1, null, until, next.loginName, '等备件'],
    ])
    // Of what is named, a narrower reader is told of the own devices alone, and does not sign for the others.
    const seen = await read(id, narrow.token)
    expect(seen).toMatchObject({ openCount: 1, shelvedCount: 1, isWhole: false })
    expect(seen.shelves.map(({ deviceCodes, deviceCount }) => [deviceCodes, deviceCount])).toEqual([
      [null, 0],
      [[near.code], 1],
      [[near.code], 1],
    ])
    await sql`UPDATE alarm_shelf SET ended_at = now(), ended_by_name = 'x'`.execute(app.db)
    expect(await read(id)).toEqual(page)
    await app.call(draftHandover, { ...shift(), id, version: page.version }, drafter.token)
    expect(await read(id)).toMatchObject({ shelvedCount: 0, shelves: [] })
  })

  test('of a SYSTEM user says what is quiet by filter to who reads of that organization alone', async () => {
    const { id: roleId } = await app.db
      .selectFrom('role')
      .select('id')
      .where('code', '=', 'SYSTEM')
      .executeTakeFirstOrThrow()
    const root = await app.asUser({ organizationId, roleIds: [roleId] })
    for (const { token, loginName } of [next, stranger])
      await app.call(insertAlarmShelf, { filter: {}, alarmLevels: [4], reason: loginName }, token)
    const id = await drafted({}, root.token)
    const seenBy = async (token: string) => {
      const { shelves, isWhole } = await read(id, token)
      return [shelves.map(({ reason }) => reason).toSorted(), isWhole]
    }
    const all = [next.loginName, stranger.loginName].toSorted()
    for (const keep of [true, false]) {
      if (!keep) await sql`UPDATE handover_shelf SET organization_id = NULL`.execute(app.db)
      expect(await seenBy(root.token)).toEqual([all, true])
      expect(await seenBy(next.token)).toEqual([[next.loginName], false])
    }
    // Nobody answers for what is not shown.
    expect(await app.call(signHandover, { id }, next.token)).toMatchObject({
      refusal: 'handoverReachesBeyond',
    })
  })

  test('has what recovered unseen in the shift, and what is over but somebody has; no older ones', async () => {
    const over = async (code: string, began: number, ended: number) => {
      const id = await insertAlarm(app.db, near, code, began * 60, { recovered: true })
      for (const [table, key] of [
        ['alarm_state', 'episode_id'],
        ['alarm_history', 'id'],
      ] as const)
        await sql`
          UPDATE ${sql.table(table)} SET recovered_at = now() - ${ended} * interval '1 hour'
          WHERE ${sql.ref(key)} = ${id}`.execute(app.db)
      return id
    }
    const unseen = await over(codes[1], 20, 1)
    const taken = await over(codes[2], 30, 20)
    await over(codes[3], 30, 20)
    const seen = await over(codes[4], 2, 1)
    await app.call(claimAlarms, { ids: [taken] }, next.token)
    await app.call(ackAlarms, { ids: [seen] }, next.token)
    const { alarms } = await read(await drafted())
    expect(alarms.map(({ id, handling }) => [id, handling])).toEqual([
      [unseen, 'recoveredUnacknowledged'],
      [taken, 'inProgress'],
    ])
  })

  test('has the gravest in full and counts all of them; what was written on many is one note', async () => {
    const ids: string[] = []
    for (let index = 0; index < 205; index += 1)
      ids.push(await insertAlarm(app.db, index < 3 ? far : near, `M${index}`, 1))
    await app.call(ackAlarms, { ids, note: '统一处理' }, drafter.token)
    const id = await drafted()
    const page = await read(id)
    expect([page.openCount, page.alarms.length, page.levels.length]).toEqual([205, 200, 1])
    expect(page.notes).toMatchObject([{ note: '统一处理', alarmCount: 205, semaphoreName: null }])
    const part = await read(id, narrow.token)
    expect(part.openCount).toBe(202)
    expect(part.notes).toMatchObject([{ alarmCount: 202, code: near.code }])
  })

  test('is of the scope of its drafter, and every reader is told of the own', async () => {
    for (const device of [near, far, foreign]) {
      const id = await insertAlarm(app.db, device, codes[1], 1)
      await app.call(
        noteAlarm,
        { id, note: device.code },
        device === foreign ? await app.asAdmin() : next.token,
      )
    }
    const id = await drafted()
    const seenBy = async (token: string) => {
      const { alarms, notes, openCount, levels, isWhole } = await read(id, token)
      return {
        alarms: alarms.map(({ code }) => code).toSorted(),
        notes: notes.map(({ note }) => note).toSorted(),
        openCount,
        critical: levels[0]?.count,
        isWhole,
      }
    }
    const both = [near.code, far.code].toSorted()
    const whole = { alarms: both, notes: both, openCount: 2, critical: 2, isWhole: true }
    expect(await seenBy(drafter.token)).toEqual(whole)
    expect(await seenBy(await app.asAdmin())).toEqual(whole)
    const part = { alarms: [near.code], notes: [near.code], openCount: 1, critical: 1, isWhole: false }
    expect(await seenBy(narrow.token)).toEqual(part)
    // The device goes to another operator, and what the page has of it with it.
    await sql`UPDATE device SET operator_id = ${operatorId} WHERE id = ${far.id}`.execute(app.db)
    expect(await seenBy(narrow.token)).toEqual(whole)
    await sql`UPDATE device SET operator_id = ${otherOperatorId} WHERE id = ${far.id}`.execute(app.db)
  })

  test('counts the work under way that has a device of the reader', async () => {
    const task = async (state: string, device: { id: number }) => {
      const { rows } = await sql<{ id: number }>`
        INSERT INTO parameter_batch (code, kind, state, wanted, devices, max_attempts, interval_minutes, ends_at,
          created_by, created_by_name, organization_id, next_at)
        VALUES (gen_random_uuid()::text, 'set', ${state}, '{}', '{}', 1, 1, now(), 1, 'x', ${organizationId},
          CASE WHEN ${state} = 'running' THEN now() + interval '1 day' END)
        RETURNING id`.execute(app.db)
      await sql`
        INSERT INTO parameter_target (batch_id, device_id, state, former)
        VALUES (${rows[0]?.id}, ${device.id}, 'waiting', '{}')`.execute(app.db)
    }
    await task('running', near)
    await task('running', far)
    await task('running', foreign)
    await task('finished', near)
    const id = await drafted()
    expect((await read(id)).batchCount).toBe(2)
    expect((await read(id, narrow.token)).batchCount).toBe(1)
  })

  test('is found by the organization and those above it, and by nobody else', async () => {
    const id = await drafted()
    expect(await listed(drafter.token)).toEqual([id])
    expect(await listed(await app.asAdmin(), { ids: [id] })).toEqual([id])
    for (const { token } of [stranger, below]) {
      expect(await listed(token)).toEqual([])
      for (const endpoint of [readHandover, signHandover])
        expect(await app.call(endpoint, { id }, token)).toMatchObject({ refusal: 'handoverNotFound' })
      expect(await app.call(draftHandover, { id, ...shift() }, token)).toMatchObject({
        refusal: 'handoverNotFound',
      })
    }
    const ofBelow = await drafted({}, below.token)
    expect((await listed(next.token)).toSorted()).toEqual([id, ofBelow].toSorted())
  })

  test('asks for functions', async () => {
    const id = await drafted()
    const reader = await app.asUser({ organizationId, functionCodes: ['handover:list'] })
    expect(await listed(reader.token)).toEqual([id])
    expect((await app.call(draftHandover, shift(), reader.token)).code).toBe(403)
    expect((await app.call(signHandover, { id }, reader.token)).code).toBe(403)
    const none = await app.asUser({ organizationId })
    expect((await app.call(listHandovers, {}, none.token)).code).toBe(403)
  })
})

describe('a draft', () => {
  test('is drawn anew by its drafter, who is not overtaken by a stale form', async () => {
    const id = await drafted({ note: '第一稿' })
    await insertAlarm(app.db, near, codes[1], 1)
    const form = { id, ...shift(), note: '第二稿', version: 1 }
    expect(await app.call(draftHandover, form, next.token)).toMatchObject({ refusal: 'handoverNotOwn' })
    expect(await read(id)).toMatchObject({ note: '第一稿', openCount: 0 })
    expect(await app.call(draftHandover, form, drafter.token)).toMatchObject({
      code: 200,
      message: '交接单已重新生成',
    })
    expect(await read(id)).toMatchObject({ note: '第二稿', openCount: 1, version: 2 })
    expect(await app.call(draftHandover, form, drafter.token)).toMatchObject({ refusal: 'conflict' })
  })

  test('is one for a shift and a drafter', async () => {
    const form = shift()
    await drafted(form)
    expect(await app.call(draftHandover, form, drafter.token)).toMatchObject({
      code: 409,
      refusal: 'handoverTaken',
    })
    await drafted(form, next.token)
    expect(await listed(drafter.token)).toHaveLength(2)
  })

  test.each([
    ['that ends before it starts', 1, 2, '结束时间应晚于开始时间'],
    ['that has not begun', -1, -9, '班次尚未开始'],
    ['that lasts for days', 49, 0, '班次不能超过 48 小时'],
    ['that is long over', 34, 26, '班次结束已超过 24 小时，不能再生成交接单'],
  ])('of a shift %s is refused', async (_, start, end, message) => {
    const form = { startTime: hoursAgo(start), endTime: hoursAgo(end) }
    expect(await app.call(draftHandover, form, drafter.token)).toMatchObject({ code: 400, message })
    expect(await listed(drafter.token)).toEqual([])
  })

  test('is overdue when nobody has signed it half an hour after the end', async () => {
    const id = await drafted()
    const states = async (token = drafter.token) =>
      (await app.call(listHandovers, {}, token)).data.map(({ state }) => state)
    await endedAgo(id, 29)
    expect(await states()).toEqual(['drafted'])
    await endedAgo(id, 31)
    expect(await states()).toEqual(['overdue'])
    expect(await listed(next.token, { states: ['overdue'] })).toEqual([id])
    expect(await listed(next.token, { states: ['drafted', 'signed'] })).toEqual([])
    await app.call(signHandover, { id }, next.token)
    expect(await states()).toEqual(['signed'])
  })

  test('is found by the time of its shift', async () => {
    const id = await drafted()
    expect(await listed(next.token, { startTime: hoursAgo(2) })).toEqual([id])
    expect(await listed(next.token, { endTime: hoursAgo(9) })).toEqual([])
    expect(await listed(next.token, { startTime: hoursAgo(-2) })).toEqual([])
  })
})

describe('the signature', () => {
  test('is somebody else’s, and ends the drawing', async () => {
    const id = await drafted()
    expect(await app.call(signHandover, { id }, drafter.token)).toMatchObject({
      code: 403,
      refusal: 'handoverOwn',
    })
    expect(await app.call(signHandover, { id, note: '已核对', version: 1 }, next.token)).toMatchObject({
      code: 200,
      message: '已签收',
    })
    const signed = { state: 'signed', signUserName: next.loginName, signNote: '已核对', isOwn: true }
    expect(await read(id)).toMatchObject(signed)
    expect(await app.call(draftHandover, { id, ...shift() }, drafter.token)).toMatchObject({
      code: 409,
      refusal: 'handoverSigned',
      message: expect.stringMatching(new RegExp(`^${next.loginName} 已于 .+ 签收该交接单$`)),
    })
    expect(await read(id)).toMatchObject(signed)
    const { rows } = await sql<{ call: string }>`
      SELECT call FROM operation_log WHERE call LIKE '/handover/%' AND result_code = 200 ORDER BY at DESC, id DESC
      LIMIT 2`.execute(app.db)
    expect(rows.map(({ call }) => call)).toEqual([`/handover/sign/:id`, '/handover/draft'])
  })

  test('is one of many that come at once: the others are told who was faster', async () => {
    const id = await drafted()
    const answers = await Promise.all(
      [next, another, next, another].map(({ token }) => app.call(signHandover, { id }, token)),
    )
    const taken = answers.filter(({ code }) => code === 200)
    expect(taken).toHaveLength(1)
    const { signUserName } = await read(id)
    for (const answer of answers.filter(({ code }) => code !== 200))
      expect(answer).toMatchObject({
        code: 409,
        refusal: 'handoverSigned',
        message: expect.stringContaining(`${signUserName} 已于 `),
      })
    const { rows } = await sql`
      SELECT FROM operation_log WHERE call LIKE '/handover/sign%' AND result_code = 200 AND target LIKE '交接单%'
        AND at >= (SELECT created_at FROM handover WHERE id = ${id})`.execute(app.db)
    expect(rows).toHaveLength(1)
  })

  test('is of the page that was read: one drawn anew since is read again', async () => {
    const id = await drafted()
    await app.call(draftHandover, { id, ...shift(), version: 1 }, drafter.token)
    expect(await app.call(signHandover, { id, version: 1 }, next.token)).toMatchObject({
      refusal: 'conflict',
    })
    expect((await app.call(signHandover, { id, version: 2 }, next.token)).code).toBe(200)
  })

  test('meets a new drawing once: either the signer is told of it, or the drafter of the signature', async () => {
    const id = await drafted()
    const [signing, drawing] = await Promise.all([
      app.call(signHandover, { id, version: 1 }, next.token),
      app.call(draftHandover, { id, ...shift(), version: 1 }, drafter.token),
    ])
    const outcome = [signing, drawing].map(({ code, refusal }) => (code === 200 ? 'done' : refusal))
    expect([
      ['done', 'handoverSigned'],
      ['conflict', 'done'],
    ]).toContainEqual(outcome)
  })

  test('is refused to who does not see all of it', async () => {
    await insertAlarm(app.db, far, codes[1], 1)
    const id = await drafted()
    expect(await app.call(signHandover, { id }, narrow.token)).toMatchObject({
      code: 403,
      refusal: 'handoverReachesBeyond',
    })
    expect(await read(id)).toMatchObject({ state: 'drafted', version: 1 })
    // A note alone is a part of it, too.
    await sql`UPDATE handover SET open_devices = '{}', open_levels = '{}', open_handlings = '{}', open_counts = '{}'`.execute(
      app.db,
    )
    await sql`
      INSERT INTO handover_note (handover_id, place, at, user_name, kind, note, device_ids)
      VALUES (${id}, 0, now(), 'x', 'note', 'y', ${[near.id, far.id]}::int[])`.execute(app.db)
    expect(await app.call(signHandover, { id }, narrow.token)).toMatchObject({
      refusal: 'handoverReachesBeyond',
    })
    await sql`DELETE FROM handover_note`.execute(app.db)
    expect((await app.call(signHandover, { id }, narrow.token)).code).toBe(200)
  })

  test('is not of a user who was disabled; a page of one is signed by others', async () => {
    const leaving = await app.asUser({ organizationId, functionCodes })
    const own = await drafted({}, leaving.token)
    const id = await drafted()
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${leaving.id}`.execute(app.db)
    expect((await app.call(signHandover, { id }, leaving.token)).code).not.toBe(200)
    expect(await read(id)).toMatchObject({ state: 'drafted', signUserName: null })
    expect((await app.call(draftHandover, { id: own, ...shift() }, leaving.token)).code).not.toBe(200)
    expect((await app.call(signHandover, { id: own }, next.token)).code).toBe(200)
    expect(await read(own)).toMatchObject({ draftUserName: leaving.loginName, signUserName: next.loginName })
  })
})

test('pages older than the history are deleted with their rows', async () => {
  await insertAlarm(app.db, near, codes[1], 1)
  const old = await drafted()
  const kept = await drafted({ startTime: hoursAgo(7) })
  await sql`UPDATE handover SET from_at = now() - interval '41 days', to_at = now() - interval '40 days' WHERE id = ${old}`.execute(
    app.db,
  )
  await createHandoverJob({ db: app.db, keptDays: 39 }).run(new AbortController().signal)
  expect(await listed(drafter.token)).toEqual([kept])
  const { rows } = await sql<{ id: number }>`SELECT DISTINCT handover_id AS id FROM handover_alarm`.execute(
    app.db,
  )
  expect(rows.map(({ id }) => String(id))).toEqual([kept])
})
