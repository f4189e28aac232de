// Shelves of alarms by the calls: what they keep quiet, for whom, until when, and what comes back.
import {
  ackAlarms,
  agreeApproval,
  claimAlarms,
  countAlarmLevels,
  draftHandover,
  endAlarmShelf,
  endIdleShelves,
  type InputFor,
  insertAlarmShelf,
  listAlarmHistory,
  listAlarmShelves,
  listAlarms,
  listApprovals,
  previewAlarmShelf,
  readAlarm,
  readHandover,
  recoverAlarms,
  updateAlarmShelf,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  type TestDevice,
} from '../../../../test/factories.ts'

const functionCodes = [
  'alarm:page',
  'alarm:history',
  'alarm:ack',
  'alarm:export',
  'alarm:recover',
  'alarm:shelve',
  'alarm:shelve:long',
  'alarm:shelve:critical',
]
const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const otherOperatorId = await insertOperator(app.db, { organizationId })
const cabinet = await insertDevice(app.db, { operatorId })
const neighbour = await insertDevice(app.db, { operatorId })
const far = await insertDevice(app.db, { operatorId: otherOperatorId })
const me = await app.asUser({ organizationId, functionCodes })
const colleague = await app.asUser({ organizationId, functionCodes })
const narrow = await app.asUser({
  organizationId,
  functionCodes,
  authorities: [['O', String(otherOperatorId)]],
})
/** For the one test: of an organization that has another within it half of the share is its own. */
async function organizationBelow(): Promise<number> {
  const id = await insertOrganization(app.db, { parentId: organizationId })
  onTestFinished(() =>
    sql`UPDATE organization SET parent_id = 1 WHERE id = ${id}`.execute(app.db).then(() => undefined),
  )
  return id
}
const stranger = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
const short = await app.asUser({ organizationId, functionCodes: ['alarm:page', 'alarm:shelve'] })

/** Of smoke. */
const fire = '01110002'
const communication = '01110001'
/** Bits of compartments. */
const compartments = await sql<{ code: string }>`
  SELECT e.code FROM dictionary_entry e JOIN semaphore_definition f ON f.entry_id = e.id
  WHERE e.type = 'ALARM' AND e.analysis_type = 'BIT' AND NOT e.is_fire AND f.equip_classify = 'EC' AND f.bit_position = 2
    AND f.name LIKE '3号仓%' ORDER BY e.code LIMIT 1`
  .execute(app.db)
  .then(({ rows }) => rows[0]?.code ?? '')

beforeEach(async () => {
  // One after another: the watch is at some of these tables, too.
  for (const table of [
    'alarm_shelf',
    'alarm_state',
    'alarm_history',
    'alarm_handling',
    'history_delta',
    'approval',
  ])
    await sql`DELETE FROM ${sql.table(table)}`.execute(app.db)
})

const raise = (device: TestDevice = cabinet, code = communication, value = 1, minutesAgo = 1) =>
  insertAlarm(app.db, device, code, minutesAgo, { value })
type Form = Partial<InputFor<typeof insertAlarmShelf>>
const formOf = (form: Form) => ({ reason: '备件在途', ...form }) as InputFor<typeof insertAlarmShelf>
const shelve = async (form: Form, token = me.token) =>
  (await app.call(insertAlarmShelf, formOf(form), token)).data
const refused = async (form: Form, token = me.token) => {
  const answer = await app.call(insertAlarmShelf, formOf(form), token)
  return { status: answer.status, refusal: answer.refusal, message: answer.message }
}
const shownIds = async (input: InputFor<typeof listAlarms> = {}, token = me.token) =>
  (await app.call(listAlarms, input, token)).data.map(({ id }) => id).toSorted()
const quietIds = (token = me.token) => shownIds({ isShelved: '1' }, token)
const tell = (name: string, ids: unknown[] | null) =>
  sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name, ids })})`.execute(app.db)
const shelvesOf = async (input: InputFor<typeof listAlarmShelves> = {}, token = me.token) =>
  (await app.call(listAlarmShelves, input, token)).data
const shelf = async (id: string) => (await shelvesOf({ ids: [id] }))[0]
/** The shelf has met so many alarms. */
const hasMet = async (id: string, count: number) => {
  await tell('shelvesChanged', [Number(id)])
  await expect.poll(async () => (await shelf(id))?.matchedCount, { interval: 20 }).toBe(count)
}

describe('a shelf', () => {
  test('keeps a device’s alarm of a code quiet, which is counted and listed apart', async () => {
    const quiet = await raise()
    const other = await raise(neighbour)
    const { id } = await shelve({ ids: [quiet] })
    expect(await shownIds()).toEqual([other])
    expect(await quietIds()).toEqual([quiet])
    expect(await shownIds({ isShelved: 'all' })).toEqual([quiet, other])
    expect(await shownIds({ ids: [quiet] })).toEqual([])
    const { data } = await app.call(listAlarms, { isShelved: '1' }, me.token)
    expect(data[0]).toMatchObject({ isShelved: true, shelvedUntil: expect.stringMatching(/^\d{4}-/) })
    const levels = async (isShelved?: '1') =>
      (await app.call(countAlarmLevels, { isShelved }, me.token)).data.levels.reduce(
        (sum, { count }) => sum + count,
        0,
      )
    expect([await levels(), await levels('1')]).toEqual([1, 1])
    // Recorded like any other, and its history shows it.
    const past = async (isShelved?: '0' | '1') =>
      (await app.call(listAlarmHistory, { isShelved }, me.token)).data.map((row) => [row.id, row.isShelved])
    expect(await past()).toEqual([
      [other, false],
      [quiet, true],
    ])
    expect(await past('1')).toEqual([[quiet, true]])
    expect(await past('0')).toEqual([[other, false]])
    expect((await app.call(readAlarm, { id: quiet }, me.token)).data.isShelved).toBe(true)
    await hasMet(id, 1)
    expect(await shelf(id)).toMatchObject({
      kind: 'shelve',
      state: 'active',
      deviceCodes: [cabinet.code],
      deviceCount: 1,
      semaphoreNames: [expect.any(String)],
      reason: '备件在途',
      createBy: me.loginName,
      isOneShot: 0,
      isOfFire: false,
      mayEnd: true,
      stopped: null,
      isIdle: false,
    })
    expect((await shelvesOf({ alarmId: quiet })).map((row) => row.id)).toEqual([id])
    expect(await shelvesOf({ alarmId: other })).toEqual([])
  })

  test('lasts through flapping, and through another value', async () => {
    await shelve({ ids: [await raise()] })
    await sql`DELETE FROM alarm_state`.execute(app.db)
    const again = await raise(cabinet, communication, 6, 0)
    expect(await quietIds()).toEqual([again])
  })

  test('lasts two hours by default, and no longer than a day without a further right', async () => {
    const { id } = await shelve({ deviceCodes: [cabinet.code] })
    const row = await shelf(id)
    const minutes = (Date.parse(row?.endTime ?? '') - Date.parse(row?.startTime ?? '')) / 60_000
    expect(minutes).toBe(120)
    const long = { deviceCodes: [cabinet.code], minutes: 1_441 }
    expect(await refused(long, short.token)).toMatchObject({ status: 403 })
    expect(await shelve({ ...long, minutes: 1_440 }, short.token)).toHaveProperty('id')
    expect(await shelve(long, colleague.token)).toHaveProperty('id')
    expect(await refused({ kind: 'outOfService', deviceCodes: [cabinet.code] }, short.token)).toMatchObject({
      status: 403,
    })
  })

  test('until this episode ends is of this episode alone', async () => {
    const first = await raise()
    const { id } = await shelve({ deviceCodes: [cabinet.code], isOneShot: 1 })
    expect(await quietIds()).toEqual([first])
    await sql`DELETE FROM alarm_state`.execute(app.db)
    const second = await raise()
    expect(await shownIds()).toEqual([second])
    expect((await shelf(id))?.isOneShot).toBe(1)
    expect(await refused({ deviceCodes: [neighbour.code], isOneShot: 1 })).toMatchObject({
      status: 400,
      message: '当前没有符合条件的告警',
    })
  })

  test('of a device leaves its alarms of fire as they are', async () => {
    const other = await raise()
    const smoke = await raise(cabinet, fire)
    for (const form of [
      { deviceCodes: [cabinet.code] },
      { filter: { operatorId: String(operatorId) } },
      { filter: {}, alarmLevels: [1 as const, 2 as const] },
      { kind: 'outOfService' as const, deviceCodes: [cabinet.code] },
    ]) {
      const { id } = await shelve(form)
      expect(await shownIds()).toEqual([smoke])
      await app.call(endAlarmShelf, { id }, me.token)
      expect(await shownIds()).toEqual([other, smoke].toSorted())
    }
  })

  test('of a compartment keeps quiet what is of it alone', async () => {
    const third = await raise(cabinet, compartments, 0b100)
    expect(compartments).not.toBe('')
    await shelve({ deviceCodes: [cabinet.code], compartment: 3 })
    expect(await quietIds()).toEqual([third])
    await sql`UPDATE alarm_state SET value = ${0b101}`.execute(app.db)
    expect(await quietIds()).toEqual([])
    await shelve({ deviceCodes: [cabinet.code], compartment: 1 })
    expect(await quietIds()).toEqual([third])
    // What names no compartment is the whole cabinet's.
    const whole = await raise()
    expect(await shownIds()).toEqual([whole])
  })

  test('of a code, of a level and of a filter finds what comes later, too', async () => {
    await shelve({ filter: {}, semaphoreCodes: [communication] })
    await shelve({ filter: { operatorId: String(otherOperatorId) }, alarmLevels: [3, 4] })
    const later = await raise(neighbour)
    const major = await raise(far, '01110005')
    const level = (await app.call(readAlarm, { id: major }, me.token)).data.alarmLevel
    expect(await quietIds()).toEqual(level !== null && level >= 3 ? [later, major] : [later])
    expect(await refused({ filter: {} })).toMatchObject({ status: 400, message: '请至少给出一项条件' })
  })

  test('is previewed, and changes nothing by that', async () => {
    await raise()
    await raise(neighbour)
    const preview = async (form: Form) =>
      (await app.call(previewAlarmShelf, form as InputFor<typeof previewAlarmShelf>, me.token)).data
    expect(await preview({ filter: { operatorId: String(operatorId) } })).toMatchObject({
      deviceCount: 2,
      alarmCount: 2,
      isOfFire: false,
      next: [],
    })
    expect(await preview({ deviceCodes: [cabinet.code], semaphoreCodes: [fire] })).toMatchObject({
      isOfFire: true,
      alarmCount: 0,
    })
    expect(await quietIds()).toEqual([])
  })

  test.each<[string, Form, string]>([
    ['nothing', {}, '请选择告警、设备，或给出筛选条件'],
    ['two ways', { deviceCodes: ['A'], filter: { operatorId: '1' } }, '请选择告警、设备，或给出筛选条件'],
    ['an unknown device', { deviceCodes: ['NOSUCH'] }, '有设备不存在，请检查设备编号'],
    [
      'an end in the past',
      { deviceCodes: [cabinet.code], endTime: '2020-01-01 00:00:00' },
      '结束时间须晚于现在',
    ],
    [
      'a start',
      { deviceCodes: [cabinet.code], startTime: '2030-01-01 00:00:00' },
      '搁置立即开始，计划的时段请用维护窗口',
    ],
    ['no reason', { deviceCodes: [cabinet.code], reason: '' }, '请输入原因'],
    ['more than 90 days', { deviceCodes: [cabinet.code], endTime: '2090-01-01 00:00:00' }, '最长搁置 90 天'],
  ])('of %s is refused', async (_, form, message) => {
    expect(await refused(form)).toMatchObject({ status: 400, message })
    expect(await shelvesOf()).toEqual([])
  })
})

describe('an alarm of fire', () => {
  test('is shelved for half an hour of one device, when a second person has agreed', async () => {
    const smoke = await raise(cabinet, fire)
    expect(await refused({ ids: [smoke, await raise()] })).toMatchObject({ status: 400 })
    expect(await refused({ ids: [smoke], minutes: 31 })).toMatchObject({
      status: 400,
      message: '火情告警最长搁置 30 分钟',
    })
    expect(
      await refused({ deviceCodes: [cabinet.code, neighbour.code], semaphoreCodes: [fire] }),
    ).toMatchObject({ status: 400 })
    expect(await refused({ ids: [smoke] }, short.token)).toMatchObject({ status: 403 })
    const { approvalId } = await shelve({ ids: [smoke] })
    expect(await quietIds()).toEqual([])
    const agree = (token: string) => app.call(agreeApproval, { id: approvalId as string }, token)
    expect((await agree(me.token)).status).toBe(403)
    // Who does not see the device does not hear of it.
    expect((await agree(narrow.token)).status).toBe(404)
    expect((await app.call(listApprovals, {}, colleague.token)).data[0]).toMatchObject({
      kind: 'alarmShelf',
      causes: ['fire'],
      equipCode: cabinet.code,
      mayDecide: true,
    })
    expect((await agree(colleague.token)).status).toBe(200)
    expect(await quietIds()).toEqual([smoke])
    const [row] = await shelvesOf()
    expect(row).toMatchObject({ isOfFire: true, approveBy: colleague.loginName, createBy: me.loginName })
    expect((Date.parse(row?.endTime ?? '') - Date.parse(row?.startTime ?? '')) / 60_000).toBe(30)
    // The second person decides about it for as long as it lasts.
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${colleague.id}`.execute(app.db)
    expect(await shownIds()).toContain(smoke)
    expect((await shelvesOf())[0]?.stopped).toMatchObject({ name: colleague.loginName, reason: 'disabled' })
    await sql`UPDATE app_user SET is_enabled = true WHERE id = ${colleague.id}`.execute(app.db)
    expect(await quietIds()).toEqual([smoke])
  })
})

describe('the data scope', () => {
  test('of its maker is asked each time, and bounds what a shelf reaches', async () => {
    const [near, other] = [await raise(), await raise(far)]
    await shelve({ filter: {}, semaphoreCodes: [communication] }, narrow.token)
    expect(await quietIds()).toEqual([other])
    await sql`UPDATE user_authority SET value = ${String(operatorId)} WHERE user_id = ${narrow.id}`.execute(
      app.db,
    )
    expect(await quietIds()).toEqual([near])
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${narrow.id}`.execute(app.db)
    expect(await quietIds()).toEqual([])
    expect((await shelvesOf())[0]?.stopped).toMatchObject({ reason: 'disabled' })
    await sql`UPDATE app_user SET is_enabled = true WHERE id = ${narrow.id}`.execute(app.db)
    await sql`UPDATE user_authority SET value = ${String(otherOperatorId)} WHERE user_id = ${narrow.id}`.execute(
      app.db,
    )
  })

  test('of a reader bounds which shelves are seen and ended', async () => {
    const alarm = await raise()
    const both = await shelve({ deviceCodes: [cabinet.code, far.code] })
    const own = await shelve({ ids: [alarm] })
    const byFilter = await shelve({ filter: {}, alarmLevels: [4] })
    expect((await shelvesOf({}, colleague.token)).map(({ id }) => id)).toEqual([byFilter.id, own.id, both.id])
    const seen = await shelvesOf({}, narrow.token)
    expect(seen.map(({ id, deviceCodes, mayEnd }) => [id, deviceCodes, mayEnd])).toEqual([
      [byFilter.id, null, false],
      [both.id, [far.code], false],
    ])
    expect(await shelvesOf({ alarmId: alarm }, narrow.token)).toEqual([])
    expect(await shelvesOf({}, stranger.token)).toEqual([])
    const end = async (id: string, token: string) => (await app.call(endAlarmShelf, { id }, token)).status
    expect(await end(own.id, stranger.token)).toBe(404)
    expect(await end(own.id, narrow.token)).toBe(404)
    expect(await end(both.id, narrow.token)).toBe(403)
    expect(await end(byFilter.id, narrow.token)).toBe(403)
    expect(await quietIds()).toEqual([alarm])
    expect(await end(own.id, colleague.token)).toBe(200)
    expect(await refused({ ids: [alarm] }, stranger.token)).toMatchObject({ status: 404 })
    expect(await refused({ deviceCodes: [cabinet.code] }, narrow.token)).toMatchObject({ status: 400 })
  })
})

describe('what a shelf tells and ends beyond its reader', () => {
  test('a SYSTEM user’s, which is about all organizations, is not ended by who sees the own one alone', async () => {
    const { id: roleId } = await app.db
      .selectFrom('role')
      .select('id')
      .where('code', '=', 'SYSTEM')
      .executeTakeFirstOrThrow()
    const root = await app.asUser({ organizationId, roleIds: [roleId] })
    const elsewhere = await insertDevice(app.db)
    const [alarm, foreign] = [await raise(), await raise(elsewhere)].toSorted()
    const { id } = await shelve({ filter: {}, semaphoreCodes: [communication] }, root.token)
    expect(await quietIds(root.token)).toEqual([alarm, foreign])
    expect((await shelvesOf({}, colleague.token)).map(({ mayEnd }) => mayEnd)).toEqual([false])
    expect(await app.call(endAlarmShelf, { id }, colleague.token)).toMatchObject({ status: 403 })
    expect(await quietIds(root.token)).toEqual([alarm, foreign])
    expect(await app.call(endAlarmShelf, { id }, root.token)).toMatchObject({ code: 200 })
  })

  test('a window by filter that its maker has given other times in a higher organization is not ended in the former one', async () => {
    const below = await organizationBelow()
    const [maker, left] = [
      await app.asUser({ organizationId: below, functionCodes }),
      await app.asUser({ organizationId: below, functionCodes }),
    ]
    const times = { startTime: '2030-03-30 02:30:00', endTime: '2030-03-30 03:30:00', timeZone: 'Asia/Tokyo' }
    const { id } = await shelve(
      { kind: 'maintenance', filter: {}, alarmLevels: [4], ...times } as Form,
      maker.token,
    )
    const mayEnd = async (token: string) => (await shelvesOf({ ids: [id] }, token)).map((row) => row.mayEnd)
    expect(await mayEnd(left.token)).toEqual([true])
    await sql`UPDATE app_user SET organization_id = ${organizationId} WHERE id = ${maker.id}`.execute(app.db)
    const form = { id, ...times, reason: '改期' } as InputFor<typeof updateAlarmShelf>
    expect(await app.call(updateAlarmShelf, form, maker.token)).toMatchObject({ code: 200 })
    expect(await mayEnd(left.token)).toEqual([false])
    expect(await app.call(endAlarmShelf, { id }, left.token)).toMatchObject({ status: 403 })
    expect(await mayEnd(colleague.token)).toEqual([true])
  })

  test('of the alarms that it has met, a reader is told the number of the own ones, and when', async () => {
    const [own, beyond] = [await raise(far), await raise()]
    const { id } = await shelve({ filter: {}, semaphoreCodes: [communication] })
    await hasMet(id, 2)
    expect(await quietIds()).toEqual([own, beyond].toSorted())
    const [seen] = await shelvesOf({ ids: [id] }, narrow.token)
    expect(seen).toMatchObject({ matchedCount: 1, lastMatchedTime: expect.any(String) })
    expect((await shelvesOf({ ids: [id] }, colleague.token))[0]).toMatchObject({ matchedCount: 2 })
    await sql`DELETE FROM alarm_shelf_cover WHERE device_id = ${far.id}`.execute(app.db)
    expect((await shelvesOf({ ids: [id] }, narrow.token))[0]).toMatchObject({
      matchedCount: 0,
      lastMatchedTime: null,
    })
  })
})

describe('what a filter names', () => {
  const elsewhere = () => insertOrganization(app.db)

  test('lies within what the maker sees, or is refused', async () => {
    const foreign = await elsewhere()
    const theirs = await insertOperator(app.db, { organizationId: foreign })
    for (const [filter, message] of [
      [{ organizationId: String(foreign) }, '组织不存在'],
      [{ operatorId: String(theirs) }, '运营商不存在'],
      [{ operatorId: '99999999' }, '运营商不存在'],
      [{ equipTypeId: '99999999' }, '设备类型不存在'],
      [{ equipModelId: '99999999' }, '设备型号不存在'],
      [{ regionCode: 'NOSUCH' }, '区域不存在'],
    ] as const) {
      const wrong = { status: 400, data: [{ field: 'filter', message }] }
      const form = formOf({ filter })
      expect(await app.call(insertAlarmShelf, form, me.token)).toMatchObject(wrong)
      expect(
        await app.call(previewAlarmShelf, form as InputFor<typeof previewAlarmShelf>, me.token),
      ).toMatchObject(wrong)
    }
    expect(await refused({ filter: { operatorId: String(operatorId) } }, narrow.token)).toMatchObject({
      status: 400,
      message: '运营商不存在',
    })
    expect(await shelvesOf()).toEqual([])
    const own = { organizationId: String(organizationId), operatorId: String(operatorId) }
    expect(await refused({ filter: own })).toMatchObject({ status: 200 })
  })

  test('is told to who sees it, in lists and on pages of shifts', async () => {
    const roleIds = [
      (await app.db.selectFrom('role').select('id').where('code', '=', 'SYSTEM').executeTakeFirstOrThrow())
        .id,
    ]
    const root = await app.asUser({ organizationId, roleIds })
    const reader = await app.asUser({ organizationId, functionCodes: [...functionCodes, 'handover:list'] })
    const foreign = await elsewhere()
    const theirs = await insertOperator(app.db, { organizationId: foreign })
    const names = async (token: string) =>
      (await shelvesOf({}, token)).map(({ organizationName, operatorName }) => [
        organizationName,
        operatorName,
      ])
    await shelve({ filter: { organizationId: String(foreign), operatorId: String(theirs) } }, root.token)
    const shift = { startTime: shiftText(-8), endTime: shiftText(0) }
    const { data } = await app.call(draftHandover, shift, root.token)
    const places = async (token: string) =>
      (await app.call(readHandover, { id: data.id }, token)).data.shelves.map(({ placeNames }) => placeNames)
    const told = await names(root.token)
    expect(told).toEqual([[expect.any(String), expect.any(String)]])
    expect(told.flat()).not.toContain('***')
    expect(await names(reader.token)).toEqual([['***', '***']])
    expect(await places(root.token)).toEqual([told[0]])
    expect(await places(reader.token)).toEqual([['***']])

    const { id } = await shelve({ filter: { operatorId: String(operatorId) } })
    const [seen] = await shelvesOf({ ids: [id] })
    expect(seen?.organizationName).toBeNull()
    expect(seen?.operatorName).not.toBe('***')
    expect((await shelvesOf({ ids: [id] }, narrow.token))[0]).toMatchObject({ operatorName: '***' })
  })
})
const shiftText = (hours: number) =>
  new Date(Date.now() + (8 + hours) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

describe('what comes back', () => {
  test('stands unacknowledged when the time is over, whoever had it', async () => {
    const alarm = await raise()
    await app.call(claimAlarms, { ids: [alarm] }, me.token)
    const { id } = await shelve({ ids: [alarm] })
    await hasMet(id, 1)
    expect((await app.call(readAlarm, { id: alarm }, me.token)).data.handling).toBe('inProgress')
    await sql`UPDATE alarm_shelf SET end_at = now() + interval '1 second'`.execute(app.db)
    await tell('shelvesChanged', [Number(id)])
    await expect
      .poll(async () => (await app.call(readAlarm, { id: alarm }, me.token)).data.handling, { interval: 50 })
      .toBe('unacknowledged')
    expect(await shownIds({ handling: ['unacknowledged'] })).toEqual([alarm])
    expect((await shelf(id))?.state).toBe('over')
    await app.call(ackAlarms, { ids: [alarm] }, me.token)
    expect((await app.call(readAlarm, { id: alarm }, me.token)).data.handling).toBe('inProgress')
  })

  test('stands unacknowledged when somebody ends it, at once', async () => {
    const alarm = await raise()
    await app.call(ackAlarms, { ids: [alarm] }, me.token)
    const { id } = await shelve({ deviceCodes: [cabinet.code] })
    await hasMet(id, 1)
    await app.call(endAlarmShelf, { id }, colleague.token)
    expect((await app.call(readAlarm, { id: alarm }, me.token)).data).toMatchObject({
      handling: 'unacknowledged',
      isShelved: false,
      shelvedUntil: null,
    })
    expect(await shelf(id)).toMatchObject({ state: 'over', endBy: colleague.loginName, mayEnd: false })
  })

  test('does not, where it was over before: shelving that meets a recovery is an ordinary end', async () => {
    const alarm = await raise()
    await app.call(ackAlarms, { ids: [alarm] }, me.token)
    const { id } = await shelve({ ids: [alarm] })
    await hasMet(id, 1)
    await sql`UPDATE alarm_state SET is_active = false, value = 0, recovered_at = now(), recovery_method = 1`.execute(
      app.db,
    )
    await sql`UPDATE alarm_history SET recovered_at = now(), recovery_method = 1`.execute(app.db)
    await app.call(endAlarmShelf, { id }, me.token)
    expect((await app.call(readAlarm, { id: alarm }, me.token)).data).toMatchObject({
      handling: 'closed',
      isShelved: false,
    })
    // And one that is shelved after it is over has nothing to keep quiet, until it comes again.
    const next = await shelve({ ids: [alarm] })
    expect(await quietIds()).toEqual([])
    expect(next.id).not.toBe(id)
  })
})

describe('two at once', () => {
  test('who end the same shelf: the later is told who did when', async () => {
    const { id } = await shelve({ deviceCodes: [cabinet.code] })
    const answers = await Promise.all(
      [me, colleague].map(async ({ token, loginName }) => ({
        loginName,
        ...(await app.call(endAlarmShelf, { id }, token)),
      })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const [first, second] = answers.toSorted((a, b) => a.status - b.status)
    expect(second).toMatchObject({ refusal: 'alarmShelfOver' })
    expect(second?.message).toContain(`${first?.loginName} 已于 `)
  })

  test('one shelf over another: the alarm is quiet until both have left it', async () => {
    const alarm = await raise()
    const [one, other] = await Promise.all([
      shelve({ ids: [alarm] }),
      shelve({ deviceCodes: [cabinet.code], minutes: 240 }, colleague.token),
    ])
    await app.call(endAlarmShelf, { id: other.id }, me.token)
    expect(await quietIds()).toEqual([alarm])
    await app.call(endAlarmShelf, { id: one.id }, me.token)
    expect(await shownIds()).toEqual([alarm])
  })
})

test('a shelf that met nothing for a week is proposed for ending', async () => {
  const { id } = await shelve({ deviceCodes: [cabinet.code], minutes: 20_000 })
  expect(await shelvesOf({ isIdle: 1 })).toEqual([])
  await sql`UPDATE alarm_shelf SET start_at = now() - interval '8 days'`.execute(app.db)
  expect((await shelvesOf({ isIdle: 1 })).map((row) => row.id)).toEqual([id])
  await raise()
  await hasMet(id, 1)
  expect(await shelvesOf({ isIdle: 1 })).toEqual([])
})

test('what is proposed for ending is so from a week on to the second, and ended at once by who may, as many as were shown', async () => {
  const week = 7 * 86_400
  const clock = async (id: string, quietFor: number) =>
    sql`
      UPDATE alarm_shelf SET start_at = now() - ${quietFor} * interval '1 second' - interval '30 days',
        last_matched_at = now() - ${quietFor} * interval '1 second' WHERE id = ${id}`.execute(app.db)
  const long = { minutes: 120_000 }
  const ids = [
    (await shelve({ deviceCodes: [cabinet.code], ...long })).id,
    (await shelve({ deviceCodes: [neighbour.code], ...long })).id,
    (await shelve({ deviceCodes: [cabinet.code], kind: 'outOfService' })).id,
  ] as [string, string, string]
  await clock(ids[0], week - 30)
  await clock(ids[1], week + 1)
  await clock(ids[2], week + 1)
  expect((await shelvesOf({ isIdle: 1 })).map(({ id }) => id).toSorted()).toEqual([ids[1], ids[2]].toSorted())
  // Whoever sees only another operator's devices ends none of these.
  expect((await app.call(endIdleShelves, { count: 2 }, narrow.token)).refusal).toBe('alarmsDiffer')
  expect((await app.call(endIdleShelves, { count: 2 }, stranger.token)).refusal).toBe('alarmsDiffer')
  const refused = await app.call(endIdleShelves, { count: 3 }, me.token)
  expect([refused.status, refused.message]).toEqual([409, '建议结束的搁置现有 2 项，请重新确认'])
  expect(await shelvesOf({ isIdle: 1 })).toHaveLength(2)
  expect((await app.call(endIdleShelves, { count: 2 }, me.token)).data).toEqual({ done: 2 })
  expect(await shelvesOf({ isIdle: 1 })).toEqual([])
  expect((await shelvesOf({ states: ['active'] })).map(({ id }) => id)).toEqual([ids[0]])
})

test('a shelf of all that match is made of as many alarms as were shown, or not at all', async () => {
  for (const device of [cabinet, neighbour, far]) await raise(device)
  const form = { filter: { operatorId: String(operatorId) }, semaphoreCodes: [communication], reason: '检修' }
  const { data } = await app.call(previewAlarmShelf, form, me.token)
  expect(data).toMatchObject({ deviceCount: 2, alarmCount: 2 })
  const other = await app.call(insertAlarmShelf, { ...form, count: 9 }, me.token)
  expect([other.status, other.refusal, other.message]).toEqual([
    409,
    'alarmsDiffer',
    '符合条件的告警现有 2 条，请重新确认',
  ])
  expect(await quietIds()).toEqual([])
  expect((await app.call(insertAlarmShelf, { ...form, count: data.alarmCount }, me.token)).status).toBe(200)
  expect(await quietIds()).toHaveLength(data.alarmCount)
})

test('what a shelf meets is searched before others who make one have to wait', async () => {
  await raise()
  const holder = await app.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE alarm_state')
    const made = shelve({ filter: { equipTypeId: '1' }, semaphoreCodes: [communication], count: 1 })
    const searching = async () =>
      (
        await app.database.pool.query(`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query LIKE '%SELECT DISTINCT episode_id%'`)
      ).rows.length
    await expect.poll(searching, { timeout: 20_000, interval: 5 }).toBe(1)
    const { rows } = await holder.query(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('alarm_shelf made', 0)) AS free`,
    )
    await holder.query('COMMIT')
    expect(await made).toEqual({ id: expect.any(String) })
    expect(rows).toEqual([{ free: true }])
  } finally {
    holder.release()
  }
})

test('what is done with all that match leaves out what is shelved, as the list does', async () => {
  const quiet = await raise()
  const other = await raise(neighbour)
  await shelve({ ids: [quiet] })
  expect((await app.call(ackAlarms, { filter: {}, count: 1 }, me.token)).data.done).toBe(1)
  expect((await app.call(readAlarm, { id: other }, me.token)).data.handling).toBe('acknowledged')
  expect((await app.call(readAlarm, { id: quiet }, me.token)).data.handling).toBe('unacknowledged')
  expect(await app.call(recoverAlarms, { isAll: 1, count: 1, note: '已处理' }, me.token)).toMatchObject({
    status: 200,
  })
  await expect
    .poll(async () => (await app.call(readAlarm, { id: other }, me.token)).data.status, { interval: 50 })
    .toBe(0)
  expect((await app.call(readAlarm, { id: quiet }, me.token)).data.status).toBe(1)
})

describe('a maintenance window', () => {
  const window = (more: Form = {}): Form => ({
    kind: 'maintenance',
    filter: { operatorId: String(operatorId) },
    startTime: '2030-03-30 02:30:00',
    endTime: '2030-03-30 04:00:00',
    repeat: 'FREQ=WEEKLY;BYDAY=SA,SU',
    timeZone: 'Europe/Berlin',
    ...more,
  })

  test('shows its next three by the clocks of its own zone', async () => {
    const { id } = await shelve(window())
    expect(await shelf(id)).toMatchObject({
      kind: 'maintenance',
      state: 'planned',
      timeZone: 'Europe/Berlin',
      repeat: 'FREQ=WEEKLY;BYDAY=SA,SU',
      endTime: null,
      next: [
        {
          localStartTime: '2030-03-30 02:30:00',
          localEndTime: '2030-03-30 04:00:00',
          startTime: '2030-03-30 09:30:00',
          endTime: '2030-03-30 11:00:00',
        },
        // Clocks are put on in that night: 02:30 does not come.
        {
          localStartTime: '2030-03-31 03:30:00',
          localEndTime: '2030-03-31 04:00:00',
          startTime: '2030-03-31 09:30:00',
          endTime: '2030-03-31 10:00:00',
        },
        expect.objectContaining({ localStartTime: '2030-04-06 02:30:00', startTime: '2030-04-06 08:30:00' }),
      ],
    })
  })

  test('keeps quiet what is in it while it lasts, and nothing between two occurrences', async () => {
    const alarm = await raise()
    const text = (at: number) => new Date(at + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
    const hour = 3_600_000
    const now = Date.now()
    const times = (from: number, to: number) => ({ startTime: text(now + from), endTime: text(now + to) })
    const daily = { timeZone: undefined, repeat: 'FREQ=DAILY' }
    const { id } = await shelve(window({ ...daily, ...times(-48 * hour - hour, -48 * hour + hour) }))
    expect(await quietIds()).toEqual([alarm])
    expect((await shelf(id))?.state).toBe('active')
    expect((await shelvesOf({ states: ['active'] })).map((row) => row.id)).toEqual([id])
    await app.call(endAlarmShelf, { id }, me.token)
    await shelve(window({ ...daily, ...times(-50 * hour, -49 * hour) }))
    expect(await shownIds()).toEqual([alarm])
    expect((await shelvesOf({ states: ['planned'] })).length).toBe(1)
    expect((await shelvesOf({ states: ['planned', 'over'] })).length).toBe(2)
  })

  const times = { startTime: '2031-01-01 01:00:00', endTime: '2031-01-01 02:00:00', timeZone: 'Asia/Tokyo' }
  const change = async (id: string, more: object = {}, token = me.token) =>
    await app.call(
      updateAlarmShelf,
      { id, ...times, reason: '改期', ...more } as InputFor<typeof updateAlarmShelf>,
      token,
    )

  test('is given other times and another reason, which is recorded, and keeps quiet by them at once', async () => {
    const alarm = await raise()
    const { id } = await shelve(window({ filter: undefined, deviceCodes: [cabinet.code] }))
    const { version } = (await shelf(id)) ?? {}
    expect(await shelf(id)).toMatchObject({ mayChange: true, localStartTime: '2030-03-30 02:30:00' })
    expect(await change(id, { version })).toMatchObject({ status: 200, message: '修改成功' })
    expect(await shelf(id)).toMatchObject({
      localStartTime: '2031-01-01 01:00:00',
      localEndTime: '2031-01-01 02:00:00',
      startTime: '2031-01-01 00:00:00',
      timeZone: 'Asia/Tokyo',
      repeat: null,
      reason: '改期',
      deviceCodes: [cabinet.code],
      next: [expect.objectContaining({ localStartTime: '2031-01-01 01:00:00' })],
    })
    // Opened before the change.
    expect(await change(id, { version })).toMatchObject({ status: 409, refusal: 'conflict' })
    const { rows } = await sql<{ changes: { before: object; after: object } }>`
      SELECT changes FROM operation_log WHERE target = ${`维护窗口 ${id}`} AND result_code = 200`.execute(
      app.db,
    )
    expect(rows[0]?.changes).toMatchObject({
      before: { startTime: '2030-03-30 02:30:00', reason: '备件在途', repeat: 'FREQ=WEEKLY;BYDAY=SA,SU' },
      after: { startTime: '2031-01-01 01:00:00', reason: '改期' },
    })

    expect(await quietIds()).toEqual([])
    const local = (minutes: number) =>
      new Date(Date.now() + 9 * 3_600_000 + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')
    await change(id, { startTime: local(-30), endTime: local(30) })
    expect(await quietIds()).toEqual([alarm])
    await change(id, { startTime: local(10), endTime: local(30) })
    expect(await shownIds()).toEqual([alarm])
  })

  test('is not widened by a colleague who sees less of it, and of who sees it all it is the own one from then on', async () => {
    const { id } = await shelve(window({ filter: undefined, deviceCodes: [cabinet.code, far.code] }))
    expect((await shelvesOf({ ids: [id] }, narrow.token))[0]).toMatchObject({ mayChange: false })
    expect(await change(id, {}, narrow.token)).toMatchObject({ status: 403, refusal: 'notPermitted' })
    expect(await change(id, {}, stranger.token)).toMatchObject({ refusal: 'alarmShelfNotFound' })
    expect(await change(id, {}, short.token)).toMatchObject({ status: 403 })
    expect(await shelf(id)).toMatchObject({ reason: '备件在途', version: 1 })
    expect(await change(id, {}, colleague.token)).toMatchObject({ status: 200 })
    expect(await shelf(id)).toMatchObject({ createBy: colleague.loginName, reason: '改期', mayChange: true })

    // One by filter reaches as far as its maker sees.
    const theirs = { filter: { operatorId: String(otherOperatorId) } }
    const byFilter = (await shelve(window(theirs), narrow.token)).id
    expect((await shelvesOf({ ids: [byFilter] }))[0]).toMatchObject({ mayChange: false, mayEnd: true })
    expect(await change(byFilter)).toMatchObject({ status: 403, refusal: 'notPermitted' })
    expect(await change(byFilter, {}, narrow.token)).toMatchObject({ status: 200 })
  })

  test('alone is changed, while it is not over, to times that can be', async () => {
    const quiet = (await shelve({ deviceCodes: [cabinet.code] })).id
    expect(await change(quiet)).toMatchObject({ status: 403, refusal: 'notPermitted' })
    const { id } = await shelve(window())
    expect(await change(id, { endTime: '2031-01-01 00:30:00' })).toMatchObject({
      status: 400,
      data: [{ field: 'endTime', message: '结束时间须晚于开始时间' }],
    })
    expect(await change(id, { timeZone: 'Mars/Olympus' })).toMatchObject({ status: 400 })
    expect(await shelf(id)).toMatchObject({ localStartTime: '2030-03-30 02:30:00', version: 1 })
    await app.call(endAlarmShelf, { id }, me.token)
    expect(await change(id)).toMatchObject({ status: 409, refusal: 'alarmShelfOver' })
    expect(await change('999999')).toMatchObject({ refusal: 'alarmShelfNotFound' })
  })

  test.each<[string, Form, string]>([
    ['no start', { startTime: undefined }, '请选择开始时间'],
    ['an unknown zone', { timeZone: 'Mars/Olympus' }, '时区应为 IANA 名称，如 Asia/Shanghai'],
    ['an end before its start', { endTime: '2030-03-30 02:00:00' }, '结束时间须晚于开始时间'],
    ['more than a week', { endTime: '2030-04-07 02:00:00' }, '一次维护最长 7 天'],
    ['an unknown rule', { repeat: 'FREQ=HOURLY' }, '重复规则无效'],
    [
      'a time that is over',
      { startTime: '2020-01-01 00:00:00', endTime: '2020-01-01 01:00:00', repeat: undefined },
      '该窗口不会再出现',
    ],
  ])('with %s is refused', async (_, more, message) => {
    expect(await refused(window(more))).toMatchObject({ status: 400, message })
  })
})

test('neither a user nor an organization has all shelves by filter: the others keep half of what is left', async () => {
  const byFilter = { filter: {}, semaphoreCodes: [communication] }
  const made = async (token: string) => (await app.call(insertAlarmShelf, formOf(byFilter), token)).code
  const full = { status: 409, refusal: 'tooManyShelves' }
  for (let n = 0; n < 25; n += 1) expect(await made(me.token)).toBe(200)
  expect(await refused(byFilter)).toMatchObject(full)
  for (let n = 0; n < 25; n += 1) expect(await made(colleague.token)).toBe(200)
  const below = await organizationBelow()
  for (const organization of [organizationId, below]) {
    const { token } = await app.asUser({ organizationId: organization, functionCodes })
    expect(await refused(byFilter, token)).toMatchObject(full)
  }
  // What is about a device by name is not counted.
  expect(await refused({ deviceCodes: [cabinet.code] })).toMatchObject({ status: 200 })
  for (let n = 0; n < 25; n += 1) expect(await made(stranger.token)).toBe(200)
  expect(await refused(byFilter, stranger.token)).toMatchObject(full)
  await sql`
    INSERT INTO alarm_shelf (kind, organization_id, filter, reason, start_at, end_at, decided_by, decided_by_name)
    SELECT 'shelve', organization_id, '{}', '备件在途', now(), now() + interval '1 hour', 1, 'x'
    FROM alarm_shelf, generate_series(1, 2)`.execute(app.db)
  const late = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
  for (let n = 0; n < 4; n += 1) expect(await made(late.token)).toBe(200)
  expect(await refused(byFilter, late.token)).toMatchObject(full)
})

describe('of named devices', () => {
  /** As if so many were made, each of one device and of these pairs. */
  const stand = async (count: number, { organization = organizationId, pairs = 1 } = {}) => {
    await sql`
      WITH made AS (
        INSERT INTO alarm_shelf (kind, organization_id, reason, start_at, end_at, decided_by, decided_by_name, pair_count)
        SELECT 'shelve', ${organization}, '备件在途', now(), now() + interval '1 hour', ${colleague.id}, 'x', ${pairs}
        FROM generate_series(1, ${count}) RETURNING id
      ) INSERT INTO alarm_shelf_target (shelf_id, device_id) SELECT id, ${neighbour.id} FROM made`.execute(
      app.db,
    )
  }
  const full = { status: 409, refusal: 'tooManyNamedShelves' }

  test('one organization has so many that are not over, also where several are made at once', async () => {
    await stand(498)
    const answers = await Promise.all(
      [cabinet, neighbour, far].map(({ code }) =>
        app.call(insertAlarmShelf, formOf({ deviceCodes: [code] }), me.token),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject(full)
    expect(await refused({ deviceCodes: [cabinet.code] }, colleague.token)).toMatchObject(full)
    const elsewhere = await insertOrganization(app.db)
    const theirs = await insertDevice(app.db, {
      operatorId: await insertOperator(app.db, { organizationId: elsewhere }),
    })
    const other = await app.asUser({ organizationId: elsewhere, functionCodes })
    expect(await refused({ deviceCodes: [theirs.code] }, other.token)).toMatchObject({ status: 200 })
    await sql`UPDATE alarm_shelf SET end_at = now() WHERE decided_by = ${colleague.id}`.execute(app.db)
    expect(await refused({ deviceCodes: [neighbour.code] }, colleague.token)).toMatchObject({ status: 200 })
  })

  test('one user has half of what the own organization may have', async () => {
    await stand(250)
    expect(await refused({ deviceCodes: [cabinet.code] }, colleague.token)).toMatchObject(full)
    expect(await refused({ deviceCodes: [cabinet.code] })).toMatchObject({ status: 200 })
  })

  test('what they are looked up by is so much, whatever many there are', async () => {
    await stand(1, { pairs: 2_000 })
    await stand(4, { pairs: 1_999 })
    const both = { deviceCodes: [cabinet.code, neighbour.code] }
    expect(await refused(both)).toMatchObject({ status: 200 })
    expect(await refused({ ...both, semaphoreCodes: [communication, '01110005'] })).toMatchObject(full)
    expect(await refused({ deviceCodes: [far.code] })).toMatchObject({ status: 200 })
  })

  test('those of more pairs than are looked up count as those by filter', async () => {
    const { rows } = await sql<{ code: string }>`
      SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND NOT is_fire ORDER BY code LIMIT 50`.execute(
      app.db,
    )
    const many = []
    for (let n = 0; n * rows.length <= 2_000; n += 1)
      many.push((await insertDevice(app.db, { operatorId })).code)
    const wide = { deviceCodes: many, semaphoreCodes: rows.map(({ code }) => code) }
    expect(await refused(wide)).toMatchObject({ status: 200 })
    await stand(49, { pairs: 2_001 })
    expect(await refused(wide, colleague.token)).toMatchObject({ status: 409, refusal: 'tooManyShelves' })
    expect(await refused({ filter: {}, alarmLevels: [4] })).toMatchObject({ refusal: 'tooManyShelves' })
    expect(await refused({ deviceCodes: many })).toMatchObject({ status: 200 })
  })

  test('the same is not shelved twice by one user while it lasts', async () => {
    const form = { deviceCodes: [neighbour.code, cabinet.code], semaphoreCodes: [communication, '01110005'] }
    const taken = { status: 409, refusal: 'alarmShelfTaken' }
    const { id } = await shelve(form)
    const again = {
      deviceCodes: form.deviceCodes.toReversed(),
      semaphoreCodes: form.semaphoreCodes.toReversed(),
    }
    expect(await refused({ ...again, minutes: 600 })).toMatchObject(taken)
    expect(await shelvesOf()).toHaveLength(1)
    for (const [other, token] of [
      [{ ...form, semaphoreCodes: [communication] }, me.token],
      [{ ...form, deviceCodes: [cabinet.code] }, me.token],
      [{ deviceCodes: form.deviceCodes }, me.token],
      [form, colleague.token],
    ] as const)
      expect(await refused(other as Form, token)).toMatchObject({ status: 200 })
    await app.call(endAlarmShelf, { id }, me.token)
    expect(await refused(again)).toMatchObject({ status: 200 })
    const window = (hour: number): Form => ({
      kind: 'maintenance',
      deviceCodes: [cabinet.code],
      startTime: `2031-01-01 0${hour}:00:00`,
      endTime: '2031-01-01 09:00:00',
    })
    expect(await refused(window(1))).toMatchObject({ status: 200 })
    expect(await refused(window(2))).toMatchObject({ status: 200 })
    expect(await refused(window(1))).toMatchObject(taken)
  })

  test('of an alarm that many keep quiet those are written down that do longest', async () => {
    const alarm = await raise(neighbour)
    await stand(30)
    await sql`UPDATE alarm_shelf SET end_at = now() + id * interval '1 hour'`.execute(app.db)
    await tell('shelvesChanged', null)
    const covers = async () =>
      (
        await sql<{ id: number }>`
          SELECT shelf_id AS id FROM alarm_shelf_cover WHERE episode_id = ${alarm} AND is_open ORDER BY shelf_id`.execute(
          app.db,
        )
      ).rows.map(({ id }) => id)
    await expect.poll(async () => (await covers()).length > 0, { interval: 20 }).toBe(true)
    const longest = await sql<{ id: number }>`
      SELECT id FROM (SELECT id FROM alarm_shelf ORDER BY end_at DESC LIMIT 10) AS l ORDER BY id`.execute(
      app.db,
    )
    expect(await covers()).toEqual(longest.rows.map(({ id }) => id))
    expect(await quietIds()).toEqual([alarm])
    await sql`UPDATE alarm_shelf SET ended_at = now(), ended_by_name = 'x'`.execute(app.db)
    await tell('shelvesChanged', null)
    await expect.poll(covers, { interval: 20 }).toEqual([])
    expect(await shownIds()).toEqual([alarm])
  })
})

describe('a window that began before today', () => {
  const dayMs = 86_400_000
  const text = (daysAgo: number, hour = 1) =>
    `${new Date(Date.now() + 8 * 3_600_000 - daysAgo * dayMs).toISOString().slice(0, 10)} 0${hour}:00:00`
  const window = (daysAgo: number, more: Form = {}): Form => ({
    kind: 'maintenance',
    filter: { operatorId: String(operatorId) },
    startTime: text(daysAgo),
    endTime: text(daysAgo, 2),
    repeat: 'FREQ=DAILY',
    ...more,
  })
  const touched = async () =>
    (
      await sql<{ id: number | null }>`
        SELECT DISTINCT device_id AS id FROM report_touched WHERE from_at < now() - interval '2 days' ORDER BY 1`.execute(
        app.db,
      )
    ).rows.map(({ id }) => id)
  beforeEach(() => sql`DELETE FROM report_touched`.execute(app.db).then(() => undefined))

  test('by filter has the days added up again of the devices that it reaches, and of no others', async () => {
    const empty = await insertOperator(app.db, { organizationId })
    const nothing = (await shelve(window(10, { filter: { operatorId: String(empty) } }))).id
    expect(await touched()).toEqual([])
    const { id } = await shelve(window(10, { filter: { operatorId: String(otherOperatorId) } }))
    expect(await touched()).toEqual([far.id])
    await sql`DELETE FROM report_touched`.execute(app.db)
    const change = async (which: string, hour: number) =>
      app.call(
        updateAlarmShelf,
        {
          id: which,
          version: (await shelf(which))?.version,
          startTime: text(10),
          endTime: text(10, hour),
          repeat: 'FREQ=DAILY',
          reason: '改期',
        } as InputFor<typeof updateAlarmShelf>,
        me.token,
      )
    expect((await change(nothing, 3)).status).toBe(200)
    expect(await touched()).toEqual([])
    // Whom it reached on a day that is kept, wherever that device is by now.
    await sql`INSERT INTO report_plan VALUES (now()::date - 5, ${id}::int, ARRAY[${cabinet.id}::int])`.execute(
      app.db,
    )
    expect((await change(id, 3)).status).toBe(200)
    expect(await touched()).toEqual([cabinet.id, far.id].toSorted((a, b) => a - b))
    // Of thousands, the days as a whole: no row of each.
    await sql`DELETE FROM report_touched`.execute(app.db)
    await sql`
      INSERT INTO report_plan
      SELECT now()::date - 5, ${id}::int, array_agg(n) FROM generate_series(900001, 902500) AS n`.execute(
      app.db,
    )
    expect((await change(id, 4)).status).toBe(200)
    expect(await touched()).toEqual([null])
  })

  test('has the days added up again of whomever it reaches where a release changed it that does not say who', async () => {
    const { id } = await shelve(window(10, { filter: { operatorId: String(otherOperatorId) } }))
    await sql`DELETE FROM report_touched`.execute(app.db)
    await sql`
      UPDATE alarm_shelf SET end_local = ${text(10, 3)}, version = version + 1 WHERE id = ${id}::int`.execute(
      app.db,
    )
    expect(await touched()).toEqual([null])
  })

  test('began no more than a month ago, unless it stays as it was', async () => {
    expect(await refused(window(33))).toMatchObject({
      status: 400,
      message: '开始时间不能早于 31 天前',
    })
    const { id } = await shelve(window(20))
    await sql`UPDATE alarm_shelf SET start_local = ${text(60)}, end_local = ${text(60, 2)}`.execute(app.db)
    const change = async (daysAgo: number) =>
      app.call(
        updateAlarmShelf,
        {
          id,
          version: (await shelf(id))?.version,
          startTime: text(daysAgo),
          endTime: text(daysAgo, 3),
          repeat: 'FREQ=DAILY',
          reason: '改期',
        } as InputFor<typeof updateAlarmShelf>,
        me.token,
      )
    expect((await change(61)).status).toBe(400)
    expect((await change(60)).status).toBe(200)
  })
})

describe('beside a machine whose clock is five minutes off', () => {
  const machineIsOff = (minutes: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
  }
  const wallOf = async (minutes: number) => {
    const { rows } = await sql<{ wall: string }>`
      SELECT to_char(now() + ${minutes} * interval '1 minute', 'YYYY-MM-DD HH24:MI:SS') AS wall`.execute(
      app.db,
    )
    return rows[0]?.wall ?? ''
  }

  test.each([5, -5])('a shelf is made and lasts by the database’s (%d minutes)', async (minutes) => {
    const id = await raise()
    machineIsOff(minutes)
    const made = await shelve({ ids: [id], minutes: 2 })
    const { rows } = await sql<{ startsNow: boolean; lasts: number }>`
      SELECT abs(extract(epoch FROM now() - start_at)) < 60 AS "startsNow",
        round(extract(epoch FROM end_at - start_at))::int AS lasts
      FROM alarm_shelf WHERE id = ${made.id}::int`.execute(app.db)
    expect(rows).toEqual([{ startsNow: true, lasts: 120 }])
    expect(await quietIds()).toEqual([id])
    await hasMet(made.id ?? '', 1)
    // One that has ended keeps nothing quiet, although by the machine it has minutes left.
    await sql`UPDATE alarm_shelf SET end_at = now() - interval '1 second'`.execute(app.db)
    expect(await quietIds()).toEqual([])
    await tell('shelvesChanged', null)
    await expect.poll(() => shownIds({ handling: ['unacknowledged'] }), { interval: 20 }).toEqual([id])
  })

  test('a window is in force when it has begun, and refused when it is over', async () => {
    const id = await raise()
    const window = async (from: number, to: number) => ({
      kind: 'maintenance' as const,
      deviceCodes: [cabinet.code],
      startTime: await wallOf(from),
      endTime: await wallOf(to),
      timeZone: process.env.TZ ?? 'Asia/Shanghai',
    })
    machineIsOff(5)
    await shelve(await window(3, 60))
    expect(await quietIds()).toEqual([])
    await shelve(await window(-60, 3))
    expect(await quietIds()).toEqual([id])
    vi.setSystemTime(Date.now() - 10 * 60_000)
    expect(await refused(await window(-60, -2))).toMatchObject({ status: 400, message: '该窗口不会再出现' })
  })
})
