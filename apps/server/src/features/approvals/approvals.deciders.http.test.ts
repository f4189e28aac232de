import {
  agreeApproval,
  insertParameterBatch,
  insertUpgradeTask,
  listApprovals,
  listOperations,
  readDeviceTimeline,
  resumeUpgradeTask,
  retryParameterBatch,
  retryUpgradeTask,
  updateUpgradeTask,
  upgradeDevices,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { makeKey } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import * as batches from '../../../test/batches.ts'
import { insertOperator, insertOrganization, type TestUser } from '../../../test/factories.ts'
import * as upgrades from '../../../test/upgrades.ts'

// What a second person agreed to is that user's decision for as long as it goes on, as it is that of who asked.

const app = await appOfTests({ CONSENT_DEVICES: '1' })
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const elsewhere = () => insertOperator(app.db, { organizationId })

type User = TestUser & { token: string }
const upgradeCodes = ['list', 'insert', 'update', 'control', 'device'].map((code) => `upgrade:${code}`)
const functionCodes = [
  ...upgradeCodes,
  ...['batchSet:insert', 'batchSet:list', 'batchSet:retry', 'apiKey:insert'],
]
const colleague = (operatorId?: number): Promise<User> =>
  app.asUser({
    organizationId,
    functionCodes,
    authorities: operatorId === undefined ? [] : [['O', String(operatorId)]],
  })
const disable = (id: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`.execute(app.db)
const takeFunctions = (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`.execute(app.db)
const remove = async (id: number) => {
  await sql`DELETE FROM user_session WHERE user_id = ${id}`.execute(app.db)
  await sql`DELETE FROM app_user WHERE id = ${id}`.execute(app.db)
}
const goes = [
  ['is disabled', disable, '已停用'],
  ['loses the function', takeFunctions, '已没有所需的权限'],
  ['is deleted', remove, '已不存在'],
] as const

/** What somebody asked for, once the second person has agreed; returns its id. */
async function agreed(
  { code, data, message }: { code: number; data: { approvalId?: string | undefined }; message: string },
  second: User,
): Promise<string> {
  if (code !== 200 || data.approvalId === undefined) throw new Error(`nothing waits: ${message}`)
  const answer = await app.call(agreeApproval, { id: data.approvalId }, second.token)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.resultId
}

const timelineOf = async (id: number, kind: 'batch' | 'upgrade') =>
  (await app.call(readDeviceTimeline, { id: String(id), kinds: [kind] }, admin)).data.entries
const agreementsIn = async (target: string) =>
  (await app.call(listOperations, { pageSize: 500 }, admin)).data.flatMap((entry) =>
    entry.target?.startsWith(target) ? [entry.changes?.after?.agreedBy ?? null] : [],
  )

describe('a batch that a second person agreed to', () => {
  async function begun() {
    const fleet = await batches.insertFleet(app.db, 2, { organizationId })
    const [asker, second] = [await colleague(), await colleague(fleet.operatorId)]
    const asked = await app.call(
      insertParameterBatch,
      {
        paramSetRule: { upgradeCount: 3, interval: 3 },
        entitys: batches.entitysOf({ [batches.soc]: 80 }),
        queryParam: batches.ofFleet(fleet),
      },
      asker.token,
    )
    return { fleet, asker, second, id: await agreed(asked, second) }
  }

  test.each(goes)('is stopped for good where that user %s', async (_, change, why) => {
    const { id, second, asker } = await begun()
    await change(second.id)
    await batches.lookNow(app.db)
    const stopNote = `同意人 ${second.loginName} ${why}`
    await batches.batchBecomes(app, admin, id, { state: 'stopped', stopNote, counts: { stopped: 2 } })
    expect(await app.call(retryParameterBatch, { id }, asker.token)).toMatchObject({
      status: 409,
      message: `${stopNote}，不能重试`,
    })
  })

  test('brings nothing more to a device that has left that user’s scope, before each attempt and before each command', async () => {
    const { id, fleet } = await begun()
    const [handed, due] = fleet.devices.map(({ id: deviceId }) => deviceId)
    const waitingCommands = async () =>
      (
        await sql`
          SELECT FROM device_command WHERE device_id = ANY(${[handed, due]}::int[]) AND next_at IS NOT NULL`.execute(
          app.db,
        )
      ).rows.length
    await expect.poll(waitingCommands).toBe(2)
    await sql`UPDATE device SET operator_id = ${await elsewhere()} WHERE operator_id = ${fleet.operatorId}`.execute(
      app.db,
    )
    // One has its command, which waits; the other is about to have another attempt.
    await sql`DELETE FROM device_command WHERE device_id = ${due}`.execute(app.db)
    await sql`
      UPDATE parameter_target SET state = 'waiting', command_id = NULL, next_at = now()
      WHERE batch_id = ${id} AND device_id = ${due}`.execute(app.db)
    await batches.hurry(app.db)
    await batches.batchBecomes(app, admin, id, { state: 'finished', counts: { stopped: 2 } })
    const reasons = (await batches.devicesOf(app, admin, id)).map(({ reason }) => reason)
    expect(reasons).toEqual(Array(2).fill('设备已不在同意人的数据范围内'))
    expect(await waitingCommands()).toBe(0)
  })

  test('names that user in its detail, in the timeline of its devices and in the operation log', async () => {
    const { id, fleet, asker, second } = await begun()
    const { code, approvedBy } = await batches.batchOf(app, admin, id)
    expect(approvedBy).toBe(second.loginName)
    expect(await timelineOf(fleet.devices[0]?.id as number, 'batch')).toMatchObject([
      { by: `${asker.loginName}（${second.loginName} 同意）` },
    ])
    expect(await agreementsIn(`批量设置 ${code}`)).toEqual([second.loginName])
  })
})

describe('an upgrade that a second person agreed to', () => {
  const oneByOne = {
    stages: [
      { percent: 50, soakMinutes: 0 },
      { percent: 100, soakMinutes: 0 },
    ],
    skipGate: true,
  }

  async function world() {
    const fleet = await upgrades.insertFleet(app.db, 2, { organizationId })
    const image = await upgrades.insertPackageFor(app.db, fleet)
    return { fleet, image, asker: await colleague(), second: await colleague(fleet.operatorId) }
  }
  type World = Awaited<ReturnType<typeof world>>
  const form = ({ fleet, image }: World, more: object = {}) => ({
    softwareVersionId: String(image.id),
    upgradeTime: '2099-01-01 00:00:00',
    devices: { filters: { operatorId: String(fleet.operatorId) } },
    ...more,
  })
  const planned = async (here: World, more: object = {}) =>
    agreed(await app.call(insertUpgradeTask, form(here, more), here.asker.token), here.second)
  const atOnce = async ({ fleet, image, asker, second }: World) =>
    agreed(
      await app.call(
        upgradeDevices,
        { equipIds: fleet.devices.map(({ id }) => String(id)), softwareVersionId: String(image.id) },
        asker.token,
      ),
      second,
    )
  const waitingCommandsOf = async (taskId: string) =>
    (
      await sql`SELECT FROM device_command WHERE body ->> 'taskId' = ${taskId} AND next_at IS NOT NULL`.execute(
        app.db,
      )
    ).rows.length

  test.each(goes)('pauses where that user %s, and hands out nothing more', async (_, change, why) => {
    const here = await world()
    const id = await atOnce(here)
    await upgrades.taskBecomes(app, admin, id, { state: 'running', counts: { sent: 2 } })
    await change(here.second.id)
    await upgrades.lookNow(app.db)
    const note = `同意人 ${here.second.loginName} ${why}，任务已暂停`
    await upgrades.taskBecomes(app, admin, id, {
      state: 'paused',
      pause: { reason: 'decider', note },
      counts: { waiting: 2 },
    })
    expect(await waitingCommandsOf(id)).toBe(0)
  })

  test.each(goes)('and is planned is not executed where that user %s', async (_, change, why) => {
    const here = await world()
    const id = await planned(here)
    await change(here.second.id)
    const what = `同意人 ${here.second.loginName} ${why}`
    await upgrades.taskBecomes(app, admin, id, { stopNote: `${what}，到时不会执行` })
    await upgrades.comes(app.db, id)
    await upgrades.taskBecomes(app, admin, id, { state: 'cancelled', stopNote: `${what}，任务未执行` })
  })

  test('reaches no device that has left that user’s scope: when it begins, at the next stage, and with a command that waits', async () => {
    const here = await world()
    const { fleet, asker, second } = here
    const [first = '', other = ''] = fleet.devices.map(({ code }) => code)
    const away = await elsewhere()
    const reason = `超出任务创建人 ${asker.loginName}、同意人 ${second.loginName} 的数据权限`
    const whole = { codes: [first, other] }

    const late = await planned(here, { devices: whole })
    await upgrades.moveDevice(app.db, other, away)
    await upgrades.comes(app.db, late)
    await upgrades.taskBecomes(app, admin, late, { state: 'running' })
    expect((await upgrades.targetsOf(app, admin, late)).map(({ code }) => code)).toEqual([first])
    await upgrades.ends(app, admin, late, 'failed')
    await upgrades.moveDevice(app.db, other, fleet.operatorId)

    const staged = await planned(here, { upgradeTime: upgrades.now(), upgradeRule: oneByOne })
    await upgrades.taskBecomes(app, admin, staged, { state: 'running', counts: { sent: 1, waiting: 1 } })
    const targets = await upgrades.targetsOf(app, admin, staged)
    const [sent = '', next = ''] = ['sent', 'waiting'].map(
      (state) => targets.find(({ result }) => result === state)?.code,
    )
    await upgrades.moveDevice(app.db, next, away)
    const device = fleet.devices.find(({ code }) => code === sent) as upgrades.Fleet['devices'][0]
    await upgrades.reportVersions(app.db, device, { [`${upgrades.master} 0`]: '1.4' })
    await upgrades.lookNow(app.db)
    await upgrades.targetsBecome(app, admin, staged, { [sent]: 'succeeded', [next]: 'skipped' })
    expect((await upgrades.targetsOf(app, admin, staged)).find(({ code }) => code === next)).toMatchObject({
      reason,
    })

    await upgrades.moveDevice(app.db, next, fleet.operatorId)
    await upgrades.reportVersions(app.db, device, { [`${upgrades.master} 0`]: '1.3' })
    const now = await atOnce(here)
    await upgrades.taskBecomes(app, admin, now, { counts: { sent: 2 } })
    await upgrades.moveDevice(app.db, next, away)
    await upgrades.lookNow(app.db)
    await upgrades.targetsBecome(app, admin, now, { [sent]: 'sent', [next]: 'skipped' })
    expect(await waitingCommandsOf(now)).toBe(1)
  })

  test('reaches none by a retry either', async () => {
    const here = await world()
    const [moved = ''] = here.fleet.devices.map(({ code }) => code)
    const id = await atOnce(here)
    await upgrades.taskBecomes(app, admin, id, { counts: { sent: 2 } })
    await upgrades.ends(app, admin, id, 'failed')
    await upgrades.moveDevice(app.db, moved, await elsewhere())
    expect(await app.call(retryUpgradeTask, { id }, here.asker.token)).toMatchObject({ data: { count: 1 } })
  })

  test('takes nothing along to the organization that this user goes to', async () => {
    const here = await world()
    const { fleet, asker, second } = here
    // The decision of a SYSTEM user stays in no organization.
    await sql`
      INSERT INTO user_role (user_id, role_id) SELECT ${asker.id}, id FROM role WHERE code = 'SYSTEM'`.execute(
      app.db,
    )
    const id = await planned(here)
    const other = await insertOrganization(app.db)
    await sql`UPDATE app_user SET organization_id = ${other} WHERE id = ${second.id}`.execute(app.db)
    await sql`UPDATE operator SET organization_id = ${other} WHERE id = ${fleet.operatorId}`.execute(app.db)
    await upgrades.comes(app.db, id)
    await upgrades.taskBecomes(app, admin, id, { state: 'finished', counts: { total: 0 } })
  })

  test('is agreed to by who agreed to its last form alone', async () => {
    const here = await world()
    const id = await planned(here)
    const editor = await colleague()
    const changed = await app.call(updateUpgradeTask, { ...form(here), id, remark: '改期' }, editor.token)
    // Who planned it agrees to the change of the other.
    await agreed(changed, here.asker)
    await upgrades.taskBecomes(app, admin, id, { remark: '改期', approvedBy: here.asker.loginName })
    await disable(here.second.id)
    await upgrades.taskBecomes(app, admin, id, { stopNote: null })
    // A form for few devices needs nobody.
    const few = {
      ...form(here),
      id,
      devices: { codes: here.fleet.devices.slice(0, 1).map(({ code }) => code) },
    }
    expect((await app.call(updateUpgradeTask, few, here.asker.token)).data?.approvalId).toBeUndefined()
    await upgrades.taskBecomes(app, admin, id, { approvedBy: null })
  })

  test('names that user in its detail, in the timeline of its devices and in the operation log', async () => {
    const here = await world()
    const id = await atOnce(here)
    await upgrades.taskBecomes(app, admin, id, {
      approvedBy: here.second.loginName,
      counts: { sent: 2 },
    })
    expect(await timelineOf(here.fleet.devices[0]?.id as number, 'upgrade')).toMatchObject([
      { by: `${here.asker.loginName}（${here.second.loginName} 同意）` },
    ])
    expect(await agreementsIn(`升级任务 ${id}（`)).toEqual([here.second.loginName])
  })

  test('goes on by nobody’s decision alone: without that user it is neither resumed nor tried again', async () => {
    const here = await world()
    const { asker, second } = here
    const id = await atOnce(here)
    await upgrades.taskBecomes(app, admin, id, { counts: { sent: 2 } })
    await disable(second.id)
    await upgrades.lookNow(app.db)
    await upgrades.taskBecomes(app, admin, id, { state: 'paused' })
    const refused = { status: 409, refusal: 'upgradeWithoutApprover' }
    const message = `同意人 ${second.loginName} 已停用，任务不能继续`
    for (const { token } of [asker, { token: admin }])
      expect(await app.call(resumeUpgradeTask, { id }, token)).toMatchObject({ ...refused, message })
    await sql`UPDATE upgrade_target SET state = 'failed', next_at = NULL WHERE task_id = ${id}::int`.execute(
      app.db,
    )
    await sql`UPDATE upgrade_task SET state = 'finished', next_at = NULL WHERE id = ${id}::int`.execute(
      app.db,
    )
    expect(await app.call(retryUpgradeTask, { id }, asker.token)).toMatchObject({ ...refused, message })
    expect(await upgrades.taskOf(app, admin, id)).toMatchObject({ state: 'finished' })
    expect((await upgrades.targetsOf(app, admin, id)).map(({ result }) => result)).toEqual([
      'failed',
      'failed',
    ])
  })

  test('goes on without who asked by the decision of a third person, and not of the second', async () => {
    const here = await world()
    const { asker, second } = here
    const id = await atOnce(here)
    await upgrades.taskBecomes(app, admin, id, { counts: { sent: 2 } })
    await disable(asker.id)
    await upgrades.lookNow(app.db)
    await upgrades.taskBecomes(app, admin, id, { state: 'paused' })
    expect(await app.call(resumeUpgradeTask, { id }, second.token)).toMatchObject({
      status: 409,
      refusal: 'upgradeWithoutApprover',
    })
    // An API key of the second person is no third one.
    const key = await makeKey(app, second.token, { functionCodes: ['upgrade:control'] })
    expect(await app.call(resumeUpgradeTask, { id }, key.secret)).toMatchObject({
      status: 409,
      refusal: 'upgradeWithoutApprover',
    })
    const third = await colleague()
    expect(await app.call(resumeUpgradeTask, { id }, third.token)).toMatchObject({ code: 200 })
    await upgrades.taskBecomes(app, admin, id, {
      state: 'running',
      approvedBy: second.loginName,
      counts: { sent: 2 },
    })
    await disable(second.id)
    await upgrades.lookNow(app.db)
    const note = `同意人 ${second.loginName} 已停用，任务已暂停`
    await upgrades.taskBecomes(app, admin, id, { state: 'paused', pause: { note } })
  })
})

test('what was asked for within an organization is void where who asked has become SYSTEM', async () => {
  const fleet = await upgrades.insertFleet(app.db, 2, { organizationId })
  const pack = await upgrades.insertPackageFor(app.db, fleet)
  const [asker, since] = [await colleague(), await colleague()]
  const makeSystem = ({ id }: User) =>
    sql`INSERT INTO user_role (user_id, role_id) SELECT ${id}, id FROM role WHERE code = 'SYSTEM'`.execute(
      app.db,
    )
  const ask = async ({ token }: User) => {
    const task = {
      softwareVersionIds: [String(pack.id)],
      upgradeTime: '2099-01-01 00:00:00',
      upgradeRule: {},
      devices: { filters: { operatorId: String(fleet.operatorId) } },
    }
    return (await app.call(insertUpgradeTask, task, token)).data.approvalId ?? ''
  }
  const asked = await ask(asker)
  await makeSystem(asker)
  const why = `申请人 ${asker.loginName} 已成为系统管理员`
  expect(await app.call(agreeApproval, { id: asked }, admin)).toMatchObject({
    refusal: 'approvalVoid',
    message: `${why}，申请已作废`,
  })
  const { data } = await app.call(listApprovals, { ids: [asked] }, admin)
  expect(data).toMatchObject([{ state: 'void', note: why }])
  // What a SYSTEM user asks for stays in no organization.
  await makeSystem(since)
  expect(await app.call(agreeApproval, { id: await ask(since) }, admin)).toMatchObject({ code: 200 })
})
