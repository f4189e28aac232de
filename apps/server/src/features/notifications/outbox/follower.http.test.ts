// What is told of an alarm after its beginning: again, graver, after a shelf, and at its end.
import {
  ackAlarms,
  endAlarmShelf,
  insertAlarmShelf,
  insertNotifyChannel,
  insertNotifyRule,
  listAlarmNotices,
  listAlarmShelves,
  type RuleEvent,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertAlarm, insertDevice, type TestDevice } from '../../../../test/factories.ts'
import { type Imitation, imitateWecom } from '../../../../test/robots.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8' })
const admin = await app.asAdmin()
/** By bits, of level 2, and not of fire. */
const code = '01110001'

const open: Imitation[] = []
afterEach(async () => {
  for (const robot of open.splice(0)) await robot.close()
  await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
})
let count = 0

/** A robot that is told by a rule of its own. */
async function robotTold(
  when: RuleEvent[] = ['raised', 'recovered'],
  form: {
    groupWaitS?: number
    quietFrom?: string
    quietTo?: string
    steps?: { afterMinutes: number; channelIds: string[] }[]
  } = {},
): Promise<{ robot: Imitation; channelId: string }> {
  const robot = await imitateWecom()
  open.push(robot)
  count += 1
  const { id } = (
    await app.call(insertNotifyChannel, { kind: 'wecom', name: `渠道${count}`, address: robot.url }, admin)
  ).data
  const rule = {
    name: `规则${count}`,
    when,
    alarmLevels: [1, 2, 3, 4],
    channelIds: [id],
    groupWaitS: 0,
    ...form,
  }
  await app.call(insertNotifyRule, rule as never, admin)
  return { robot, channelId: id }
}
const tell = (name: string, ids: string[] | null) =>
  sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name, ids })})`.execute(app.db)
async function raise(device: TestDevice, value = 1, semaphoreCode = code): Promise<string> {
  await sql`DELETE FROM alarm_state WHERE device_id = ${device.id} AND semaphore_code = ${semaphoreCode}`.execute(
    app.db,
  )
  const id = await insertAlarm(app.db, device, semaphoreCode, 0, { value })
  await tell('alarmsOpened', [id])
  return id
}
async function recover(id: string) {
  await sql`
    UPDATE alarm_state SET is_active = false, recovered_at = now(), recovery_method = 1
    WHERE episode_id = ${id}`.execute(app.db)
  await tell('alarmsChanged', [id])
}
const rowsOf = async (id: string) =>
  (
    await sql<{ event: string; state: string | null; repeats: number; dueInS: number }>`
      SELECT i.event, y.state, i.repeats, extract(epoch FROM i.due_at - now())::float AS "dueInS"
      FROM notify_item i LEFT JOIN notify_delivery y ON y.id = i.delivery_id
      WHERE i.subject_id = ${id} ORDER BY i.id`.execute(app.db)
  ).rows
const eventsOf = (id: string) =>
  expect.poll(async () => (await rowsOf(id)).map(({ event }) => event), { interval: 50 })
const shownBy = (robot: Imitation) => expect.poll(() => robot.shown.join('\n'), { interval: 50 })
async function makeDue(channelId: string) {
  await sql`UPDATE notify_item SET due_at = now() WHERE channel_id = ${channelId} AND delivery_id IS NULL`.execute(
    app.db,
  )
  await sql`UPDATE notify_channel SET next_at = now() WHERE id = ${channelId}`.execute(app.db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
}

describe('the same trouble again within minutes', () => {
  test('is told once, and its end once, with how often it came', async () => {
    const { robot, channelId } = await robotTold()
    const device = await insertDevice(app.db)
    const first = await raise(device)
    await shownBy(robot).toContain(device.code)
    await recover(first)
    await eventsOf(first).toEqual(['raised', 'recovered'])
    const second = await raise(device)
    await eventsOf(second).toEqual(['repeated'])
    // Its recovery was not told yet, and is not any more.
    await eventsOf(first).toEqual(['raised'])
    const third = await raise(device)
    await eventsOf(third).toEqual(['repeated'])
    await recover(third)
    await eventsOf(third).toEqual(['repeated', 'recovered'])
    expect((await rowsOf(third))[1]?.dueInS).toBeGreaterThan(240)
    await makeDue(channelId)
    await shownBy(robot).toContain('【告警恢复】')
    expect(robot.shown[1]).toContain('（3 次）')
    expect(robot.shown).toHaveLength(2)
    await expect
      .poll(async () => (await app.call(listAlarmNotices, { id: third }, admin)).data)
      .toMatchObject([
        { event: 'repeated', state: 'delivered' },
        { event: 'recovered', state: 'delivered' },
      ])
  })

  test('of another compartment, or later, is another one', async () => {
    const { robot } = await robotTold()
    const device = await insertDevice(app.db)
    const first = await raise(device, 1)
    await shownBy(robot).toContain(device.code)
    await recover(first)
    await eventsOf(first).toEqual(['raised', 'recovered'])
    const other = await raise(device, 2)
    await expect.poll(() => robot.shown.length).toBe(2)
    await eventsOf(other).toEqual(['raised'])
    await recover(other)
    await eventsOf(other).toEqual(['raised', 'recovered'])
    await sql`UPDATE notify_item SET over_at = now() - interval '6 min' WHERE subject_id = ${other} AND event = 'raised'`.execute(
      app.db,
    )
    const later = await raise(device, 2)
    await eventsOf(later).toEqual(['raised'])
    await expect.poll(() => robot.shown.length).toBe(3)
  })

  test('that nobody was told of yet does not wait anew', async () => {
    const { robot } = await robotTold(['raised', 'recovered'], { groupWaitS: 3_600 })
    const device = await insertDevice(app.db)
    const first = await raise(device)
    await eventsOf(first).toEqual(['raised'])
    await recover(first)
    await expect.poll(async () => (await rowsOf(first))[0]?.state).toBe(null)
    // As if it had chattered for nearly as long as the rule waits.
    await sql`UPDATE notify_item SET due_at = now() WHERE subject_id = ${first}`.execute(app.db)
    await expect
      .poll(
        async () =>
          (
            await sql`SELECT FROM notify_item WHERE subject_id = ${first} AND over_at IS NOT NULL`.execute(
              app.db,
            )
          ).rows.length,
      )
      .toBe(1)
    const second = await raise(device)
    await shownBy(robot).toContain('（2 次）')
    await eventsOf(first).toEqual([])
    await eventsOf(second).toEqual(['raised'])
  })
})

test('an alarm that becomes graver by a bit is told, and not again for a bit that was told', async () => {
  const { robot } = await robotTold(['raised', 'levelRaised'])
  const other = await robotTold(['raised'])
  const device = await insertDevice(app.db)
  const alarm = await raise(device, 1)
  for (const told of [robot, other.robot]) await shownBy(told).toContain(device.code)
  const becomes = async (value: number) => {
    await sql`UPDATE alarm_state SET value = ${value} WHERE episode_id = ${alarm}`.execute(app.db)
    await tell('alarmsChanged', [alarm])
  }
  await becomes(3)
  await shownBy(robot).toContain('告警加重】')
  await becomes(1)
  await becomes(3)
  await becomes(7)
  await expect.poll(() => robot.shown.length).toBe(3)
  expect((await rowsOf(alarm)).map(({ event }) => event).toSorted()).toEqual([
    'levelRaised',
    'levelRaised',
    'raised',
    'raised',
  ])
  expect(other.robot.shown).toHaveLength(1)
})

const shelvesThatLeft = async (id: string) =>
  (await sql`SELECT FROM alarm_shelf_cover WHERE episode_id = ${id} AND until <= now()`.execute(app.db)).rows
    .length

describe('an alarm that was told and then shelved', () => {
  async function shelved(robot: Imitation) {
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await shownBy(robot).toContain(device.code)
    const form = { kind: 'shelve' as const, deviceCodes: [device.code], reason: '等待备件' }
    expect(await app.call(insertAlarmShelf, form, admin)).toMatchObject({ code: 200 })
    await expect
      .poll(
        async () =>
          (await sql`SELECT FROM alarm_shelf_cover WHERE episode_id = ${alarm}`.execute(app.db)).rows.length,
      )
      .toBe(1)
    const shelf = (await app.call(listAlarmShelves, {}, admin)).data.find(
      ({ reason }) => reason === '等待备件',
    )
    return { alarm, end: () => app.call(endAlarmShelf, { id: shelf?.id ?? '' }, admin) }
  }

  test('is told once more when the shelf is over', async () => {
    const { robot } = await robotTold()
    const { alarm, end } = await shelved(robot)
    expect(await end()).toMatchObject({ code: 200 })
    await shownBy(robot).toContain('告警搁置到期】')
    await tell('alarmsUnshelved', [alarm])
    await tell('alarmsOpened', null)
    const marker = await robotTold()
    const device = await insertDevice(app.db)
    await raise(device)
    await shownBy(marker.robot).toContain(device.code)
    await eventsOf(alarm).toEqual(['raised', 'returned'])
  })

  test('is not where somebody has acknowledged it by then', async () => {
    const { robot } = await robotTold()
    const { alarm, end } = await shelved(robot)
    await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
    await end()
    await expect.poll(() => shelvesThatLeft(alarm)).toBe(1)
    expect(await app.call(ackAlarms, { ids: [alarm] }, admin)).toMatchObject({ data: { done: 1 } })
    await sql`UPDATE notify_rule SET is_enabled = true WHERE name = ${`规则${count}`}`.execute(app.db)
    await tell('alarmsUnshelved', [alarm])
    const device = await insertDevice(app.db)
    await raise(device)
    await shownBy(robot).toContain(device.code)
    await eventsOf(alarm).toEqual(['raised'])
  })
})

describe('an alarm of a rule with steps that was shelved', () => {
  const runsOf = async (id: string) =>
    (
      await sql<{ turn: number; reason: string | null }>`
        SELECT turn, end_reason AS reason FROM notify_escalation WHERE episode_id = ${id}`.execute(app.db)
    ).rows
  /** A robot that is told at once or after the group wait, and another one by the step after five minutes. */
  async function twoTold(groupWaitS: number) {
    const second = await robotTold([])
    await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
    const steps = [{ afterMinutes: 5, channelIds: [second.channelId] }]
    return { first: await robotTold(['raised'], { groupWaitS, steps }), second }
  }
  async function shelve(device: TestDevice, alarm: string) {
    const form = { kind: 'shelve' as const, deviceCodes: [device.code], reason: `等待 ${device.code}` }
    expect(await app.call(insertAlarmShelf, form, admin)).toMatchObject({ code: 200 })
    await expect.poll(async () => (await runsOf(alarm))[0]?.reason, { interval: 50 }).toBe('shelved')
    const shelf = (await app.call(listAlarmShelves, {}, admin)).data.find(
      ({ reason }) => reason === form.reason,
    )
    return async () =>
      expect(await app.call(endAlarmShelf, { id: shelf?.id ?? '' }, admin)).toMatchObject({ code: 200 })
  }
  async function turnComes(id: string) {
    await sql`UPDATE notify_escalation SET next_at = now() WHERE episode_id = ${id} AND next_at IS NOT NULL`.execute(
      app.db,
    )
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_escalation 0"]}')`.execute(
      app.db,
    )
  }

  test('before anybody was told is told when the shelf is over, and by the next step', async () => {
    const { first, second } = await twoTold(600)
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await expect.poll(() => runsOf(alarm)).toEqual([{ turn: 0, reason: null }])
    const end = await shelve(device, alarm)
    // The group wait is over while the shelf lasts.
    await makeDue(first.channelId)
    await eventsOf(alarm).toEqual([])
    await end()
    await eventsOf(alarm).toEqual(['raised'])
    await makeDue(first.channelId)
    await shownBy(first.robot).toContain(device.code)
    expect(await runsOf(alarm)).toEqual([{ turn: 0, reason: null }])
    await turnComes(alarm)
    await shownBy(second.robot).toContain('告警无人确认】')
  })

  test('is found by the look that repeats where the notice of its end was lost', async () => {
    await twoTold(600)
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await expect.poll(() => runsOf(alarm)).toEqual([{ turn: 0, reason: null }])
    const end = await shelve(device, alarm)
    await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
    await end()
    await expect.poll(() => shelvesThatLeft(alarm)).toBe(1)
    await sql`UPDATE notify_rule SET is_enabled = true WHERE name = ${`规则${count}`}`.execute(app.db)
    await tell('alarmsOpened', null)
    await expect.poll(() => runsOf(alarm)).toEqual([{ turn: 0, reason: null }])
  })

  test('after a step was told goes through its steps anew, and not twice through one', async () => {
    const { first, second } = await twoTold(0)
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await shownBy(first.robot).toContain(device.code)
    await turnComes(alarm)
    await shownBy(second.robot).toContain(device.code)
    const end = await shelve(device, alarm)
    await end()
    await shownBy(first.robot).toContain('告警搁置到期】')
    await expect.poll(() => runsOf(alarm)).toEqual([{ turn: 0, reason: null }])
    await tell('alarmsOpened', null)
    await turnComes(alarm)
    await eventsOf(alarm).toEqual(['raised', 'escalated', 'returned', 'escalated'])
    await expect.poll(() => second.robot.shown.length).toBe(2)
    await app.call(ackAlarms, { ids: [alarm] }, admin)
    await tell('alarmsOpened', null)
    await expect.poll(() => runsOf(alarm)).toEqual([{ turn: 1, reason: 'acknowledged' }])
    expect(first.robot.shown).toHaveLength(2)
  })
})

test('a recovery waits for the end of the quiet hours', async () => {
  const clock = (ms: number) => {
    const at = new Date(ms)
    return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  }
  const [quietFrom, quietTo] = [clock(Date.now() - 60_000), clock(Date.now() + 7_200_000)]
  const { robot } = await robotTold(['raised', 'recovered'], { quietFrom, quietTo })
  const device = await insertDevice(app.db)
  // Level 1 is told in them.
  const alarm = await raise(device, 1, '01110002')
  await shownBy(robot).toContain(device.code)
  await recover(alarm)
  await eventsOf(alarm).toEqual(['raised', 'recovered'])
  expect((await rowsOf(alarm))[1]?.dueInS).toBeGreaterThan(3_600)
})
