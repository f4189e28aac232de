// What is told beside alarms: devices that stay offline, and tasks that pause or end.
import {
  insertAlarmShelf,
  insertNotifyChannel,
  insertNotifyRule,
  listParameterBatches,
  listUpgradeTasks,
  type RuleEvent,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, insertRole } from '../../../../test/factories.ts'
import { type Imitation, imitateWecom } from '../../../../test/robots.ts'
import { writeOthers } from './others.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8' })
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const otherOperatorId = await insertOperator(app.db, { organizationId })
const functionCodes = ['notifyRule:insert', 'notifyChannel:insert']
const tasksToo = [...functionCodes, String(listParameterBatches.access), String(listUpgradeTasks.access)]

const open: Imitation[] = []
afterEach(async () => {
  for (const robot of open.splice(0)) await robot.close()
  await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
})
let count = 0

/** A robot that is told by a rule of its own, which is about what happened within the last hour. */
async function robotTold(when: RuleEvent[], token = admin, filter = {}): Promise<Imitation> {
  const robot = await imitateWecom()
  open.push(robot)
  count += 1
  const form = { kind: 'wecom' as const, name: `渠道${count}`, address: robot.url }
  const { id } = (await app.call(insertNotifyChannel, form, token)).data
  const rule = {
    name: `规则${count}`,
    when,
    alarmLevels: [1 as const],
    channelIds: [id],
    groupWaitS: 0,
    offlineMinutes: 10,
    filter,
  }
  const made = await app.call(insertNotifyRule, rule, token)
  expect(made).toMatchObject({ code: 200 })
  await sql`UPDATE notify_rule SET enabled_at = now() - interval '1 hour' WHERE id = ${made.data.id}`.execute(
    app.db,
  )
  return robot
}
const shownBy = (robot: Imitation) => expect.poll(() => robot.shown.join('\n'), { interval: 50 })
const hourAgo = () => new Date(Date.now() - 3_600_000)
/** A look of a process that has run for an hour, in a server that has. */
async function look(startedAt = hourAgo()) {
  await sql`DELETE FROM report_beat`.execute(app.db)
  await sql`INSERT INTO report_beat (from_at, to_at) VALUES (now() - interval '1 hour', now())`.execute(
    app.db,
  )
  await writeOthers(app.db, new Date(), startedAt)
}
afterEach(async () => {
  await sql`UPDATE device_state SET is_online = true, online_changed_at = now()`.execute(app.db)
})
const itemsOf = async (event: string, ids: readonly number[], kind = 'device') =>
  (
    await sql`SELECT FROM notify_item WHERE subject_kind = ${kind} AND event = ${event} AND subject_id = ANY(${ids}::int[])`.execute(
      app.db,
    )
  ).rows.length

async function deviceOffline(minutes: number, operator = operatorId) {
  const device = await insertDevice(app.db, { operatorId: operator })
  await sql`
    INSERT INTO device_state (device_id, is_online, online_changed_at)
    VALUES (${device.id}, false, now() - ${minutes} * interval '1 min')
    ON CONFLICT (device_id) DO UPDATE SET is_online = false, online_changed_at = excluded.online_changed_at`.execute(
    app.db,
  )
  return { ...device, id: Number(device.id) }
}
const returns = (id: number) =>
  sql`UPDATE device_state SET is_online = true, online_changed_at = now() WHERE device_id = ${id}`.execute(
    app.db,
  )

describe('devices that are offline', () => {
  test('are told when they have been for long enough, many in one message, each once; and when they are back', async () => {
    const robot = await robotTold(['deviceOffline', 'recovered'], admin, { operatorId: String(operatorId) })
    const devices = await Promise.all(Array.from({ length: 30 }, () => deviceOffline(15)))
    const short = await deviceOffline(5)
    const before = await deviceOffline(90)
    await look()
    await shownBy(robot).toContain('【设备离线 30 台】')
    await look()
    expect(
      await itemsOf(
        'deviceOffline',
        devices.map(({ id }) => id),
      ),
    ).toBe(30)
    expect(await itemsOf('deviceOffline', [short.id, before.id])).toBe(0)
    await returns(devices[0]?.id ?? 0)
    await look()
    await shownBy(robot).toContain('【设备恢复在线】')
    expect(robot.shown).toHaveLength(2)
    expect(robot.shown[1]).toContain(devices[0]?.code)
  })

  test('are not told by a server that could not have heard of them', async () => {
    const robot = await robotTold(['deviceOffline'], admin, { operatorId: String(operatorId) })
    const device = await deviceOffline(20)
    await look(new Date())
    expect(await itemsOf('deviceOffline', [device.id])).toBe(0)
    // The process has run long, and the server came back from an outage a moment ago.
    await sql`UPDATE report_beat SET from_at = now()`.execute(app.db)
    await writeOthers(app.db, new Date(), hourAgo())
    expect(await itemsOf('deviceOffline', [device.id])).toBe(0)
    await look()
    await shownBy(robot).toContain(device.code)
  })

  test('are told of what the rule’s owner sees, and not while they are out of service', async () => {
    const user = await app.asUser({
      organizationId,
      functionCodes,
      authorities: [['O', String(otherOperatorId)]],
    })
    const robot = await robotTold(['deviceOffline'], user.token)
    const [own, foreign, retired] = [
      await deviceOffline(15, otherOperatorId),
      await deviceOffline(15, operatorId),
      await deviceOffline(15, otherOperatorId),
    ]
    const shelf = { kind: 'outOfService' as const, deviceCodes: [retired.code], reason: '已拆除' }
    expect(await app.call(insertAlarmShelf, shelf, admin)).toMatchObject({ code: 200 })
    await look()
    await shownBy(robot).toContain(own.code)
    expect(await itemsOf('deviceOffline', [foreign.id, retired.id])).toBe(0)
  })

  test('that are back before anybody was told are not told', async () => {
    const robot = await robotTold(['deviceOffline'], admin, { operatorId: String(operatorId) })
    const [gone, back] = [await deviceOffline(15), await deviceOffline(15)]
    await sql`UPDATE notify_rule SET group_wait_s = 3600 WHERE name = ${`规则${count}`}`.execute(app.db)
    await look()
    await returns(back.id)
    await sql`UPDATE notify_item SET due_at = now() WHERE delivery_id IS NULL`.execute(app.db)
    await sql`UPDATE notify_channel SET next_at = now() WHERE name = ${`渠道${count}`}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
    await shownBy(robot).toContain(gone.code)
    expect(robot.shown.join()).not.toContain(back.code)
  })
})

describe('a task', () => {
  async function batch(state: 'paused' | 'finished', operators: readonly number[]): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO parameter_batch (code, kind, state, wanted, devices, max_attempts, interval_minutes, ends_at,
        created_by, created_by_name, organization_id, trial_count, trial_ended_at, finished_at, next_at, name)
      VALUES (${`B${Date.now()}${count}${state}`}, 'set', ${state}, '[]', '{}', 1, 1, now(), 1, 'a', ${organizationId}, 1,
        now(), CASE WHEN ${state} = 'finished' THEN now() END,
        CASE WHEN ${state} = 'paused' THEN now() + interval '1 day' END, '调低充电电流')
      RETURNING id`.execute(app.db)
    const id = rows[0]?.id ?? 0
    for (const operator of operators) {
      const device = await insertDevice(app.db, { operatorId: operator })
      await sql`
        INSERT INTO parameter_target (batch_id, device_id, state, former) VALUES (${id}, ${device.id}, 'succeeded', '[]')`.execute(
        app.db,
      )
    }
    return id
  }
  async function upgrade(operator: number): Promise<number> {
    const device = await insertDevice(app.db, { operatorId: operator })
    const { rows } = await sql<{ id: number }>`
      INSERT INTO upgrade_task (type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id, pause)
      SELECT 'SCHEDULE', 'paused', now(), '{}', '{}', m.equip_type_id, 1, 'a', ${organizationId},
        ${JSON.stringify({ reason: 'failures', time: '', note: '失败过多' })}::jsonb
      FROM device d JOIN equip_model m ON m.id = d.model_id WHERE d.id = ${device.id} RETURNING id`.execute(
      app.db,
    )
    const id = rows[0]?.id ?? 0
    await sql`
      INSERT INTO upgrade_transition (task_id, to_state, cause) VALUES (${id}, 'paused', 'failures')`.execute(
      app.db,
    )
    await sql`
      INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions)
      VALUES (${id}, ${device.id}, 'X', 1, 1, 1, 1, 'failed', '[]')`.execute(app.db)
    return id
  }

  test('that pauses or ends is told once, with the devices that its people see', async () => {
    const user = await app.asUser({
      organizationId,
      functionCodes: tasksToo,
      authorities: [['O', String(otherOperatorId)]],
    })
    const robot = await robotTold(['taskPaused', 'taskEnded'], user.token)
    const paused = await batch('paused', [operatorId, otherOperatorId, otherOperatorId])
    const foreign = await batch('finished', [operatorId])
    await look()
    await shownBy(robot).toContain('【任务暂停】批量设置 调低充电电流（2 台）')
    await upgrade(otherOperatorId)
    await look()
    await shownBy(robot).toContain('失败过多')
    expect(robot.shown).toHaveLength(2)
    expect(await itemsOf('taskPaused', [paused], 'batch')).toBe(1)
    expect(await itemsOf('taskEnded', [foreign], 'batch')).toBe(0)
  })

  /** Makes due what waits on the newest channel. */
  async function makeDue() {
    await sql`UPDATE notify_item SET due_at = now() WHERE delivery_id IS NULL`.execute(app.db)
    await sql`UPDATE notify_channel SET next_at = now() WHERE name = ${`渠道${count}`}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
  }
  const wait = () =>
    sql`UPDATE notify_rule SET group_wait_s = 3600 WHERE name = ${`规则${count}`}`.execute(app.db)

  test('that waits is told with the devices that its people see when it is told', async () => {
    const user = await app.asUser({ organizationId, functionCodes: tasksToo })
    const robot = await robotTold(['taskPaused'], user.token)
    await wait()
    const id = await batch('paused', [operatorId, otherOperatorId, otherOperatorId])
    await look()
    expect(await itemsOf('taskPaused', [id], 'batch')).toBe(1)
    await sql`
      INSERT INTO user_authority (user_id, authority_type, value)
      VALUES (${user.id}, 'O', ${String(otherOperatorId)})`.execute(app.db)
    await makeDue()
    await shownBy(robot).toContain('批量设置 调低充电电流（2 台）')
    expect(robot.shown.join()).not.toContain('3 台')
  })

  test('that waits is not told to who may not list tasks any more', async () => {
    const roleId = await insertRole(app.db, { functionCodes: tasksToo.slice(functionCodes.length) })
    const user = await app.asUser({ organizationId, functionCodes, roleIds: [roleId] })
    const robot = await robotTold(['taskEnded'], user.token)
    await wait()
    const id = await batch('finished', [operatorId])
    await look()
    expect(await itemsOf('taskEnded', [id], 'batch')).toBe(1)
    await sql`DELETE FROM user_role WHERE role_id = ${roleId}`.execute(app.db)
    await makeDue()
    await expect.poll(() => itemsOf('taskEnded', [id], 'batch')).toBe(0)
    expect(robot.received).toEqual([])
  })

  test('is not told to who may not list tasks', async () => {
    const user = await app.asUser({ organizationId, functionCodes })
    const robot = await robotTold(['taskEnded'], user.token)
    const allowed = await app.asUser({ organizationId, functionCodes: tasksToo })
    const other = await robotTold(['taskEnded'], allowed.token)
    await batch('finished', [operatorId])
    await look()
    await shownBy(other).toContain('【任务')
    expect(robot.received).toEqual([])
  })
})
