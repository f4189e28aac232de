import {
  cancelUpgradeTask,
  deleteApiKey,
  insertUpgradeTask,
  listDictionary,
  listUpgradeTransitions,
  pauseUpgradeTask,
  readUpgradeTask,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  updateDictionaryEntry,
  updateUpgradeTask,
  upgradeDevices,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from '../../../test/api-keys.ts'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertOperator, insertOrganization, type TestUser } from '../../../test/factories.ts'
import {
  comes,
  ends,
  type Fleet,
  insertFleet,
  insertPackageFor,
  lookNow,
  master,
  moveDevice,
  offerAutomatic,
  raiseAlarm,
  reportVersions,
  startTask,
  targetsBecome,
  targetsOf,
  taskBecomes,
} from '../../../test/upgrades.ts'

// A task under way reaches at most the devices of everybody who decided about it, as of now.

type User = TestUser & { token: string }

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(() => app.close())

const upgradeCodes = ['list', 'insert', 'update', 'control', 'device'].map((code) => `upgrade:${code}`)
const firmwareCodes = ['list', 'upload', 'insert', 'update'].map((code) => `firmware:${code}`)

interface World {
  own: Fleet
  organizationId: number
  creator: User
  /** Of another organization. */
  elsewhere: number
}

async function world(devices: number): Promise<World> {
  const organizationId = await insertOrganization(app.db)
  return {
    own: await insertFleet(app.db, devices, { organizationId }),
    organizationId,
    creator: await app.asUser({ organizationId, functionCodes: [...upgradeCodes, ...firmwareCodes] }),
    elsewhere: await insertOperator(app.db, { organizationId: await insertOrganization(app.db) }),
  }
}

const oneByOne = {
  stages: [
    { percent: 50, soakMinutes: 0 },
    { percent: 100, soakMinutes: 0 },
  ],
  skipGate: true,
}
const atOnce = { stages: [{ percent: 100, soakMinutes: 0 }], skipGate: true }

/** A task of the creator with that rule; of the first stage, each device has its command. */
async function begun({ own, creator }: World, rule: object): Promise<string> {
  const id = await startTask(app, creator.token, own, [await insertPackageFor(app.db, own)], rule)
  await expect
    .poll(async () => (await targetsOf(app, admin, id)).filter(({ result }) => result === 'sent').length, {
      timeout: 30_000,
    })
    .toBeGreaterThan(0)
  return id
}
const withState = async (id: string, state: string) =>
  (await targetsOf(app, admin, id)).filter(({ result }) => result === state).map(({ code }) => code)

async function succeeds({ own }: World, code: string): Promise<void> {
  const device = own.devices.find((one) => one.code === code) as Fleet['devices'][0]
  await reportVersions(app.db, device, { [`${master} 0`]: '1.4' })
  await lookNow(app.db)
}
/** Commands of the task that a device may still get, by device. */
async function commandsOf(taskId: string): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT d.code FROM device_command c JOIN device d ON d.id = c.device_id
    WHERE c.body ->> 'taskId' = ${taskId} AND c.next_at IS NOT NULL`.execute(app.db)
  return rows.map(({ code }) => code)
}
/** Waits until the work queue has checked the task once more. */
async function checked(taskId: string): Promise<void> {
  await lookNow(app.db)
  await expect
    .poll(
      async () =>
        (
          await sql<{
            at: Date | null
          }>`SELECT checked_at AS at FROM upgrade_task WHERE id = ${taskId}::int`.execute(app.db)
        ).rows[0]?.at ?? null,
      { timeout: 30_000 },
    )
    .not.toBeNull()
}
const disable = (id: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`
const takeFunctions = (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`

describe('a device that has left the scope of the task’s creator', () => {
  test('gets nothing when its stage begins', async () => {
    const here = await world(2)
    const id = await begun(here, oneByOne)
    const [first = ''] = await withState(id, 'sent')
    const [moved = ''] = await withState(id, 'waiting')
    await moveDevice(app.db, moved, here.elsewhere)
    await succeeds(here, first)
    await targetsBecome(app, admin, id, { [first]: 'succeeded', [moved]: 'skipped' })
    const note = `超出任务创建人 ${here.creator.loginName} 的数据权限`
    const targets = await targetsOf(app, admin, id)
    expect(targets.find(({ code }) => code === moved)).toMatchObject({ reason: note })
    expect(await commandsOf(id)).toEqual([])
    await taskBecomes(app, admin, id, { state: 'finished' })
  })

  test('is not handed the command that waits for it', async () => {
    const here = await world(2)
    const id = await begun(here, atOnce)
    const [moved = '', other = ''] = here.own.devices.map(({ code }) => code)
    await taskBecomes(app, admin, id, { counts: { sent: 2 } })
    await moveDevice(app.db, moved, here.elsewhere)
    await lookNow(app.db)
    await targetsBecome(app, admin, id, { [moved]: 'skipped', [other]: 'sent' })
    expect(await commandsOf(id)).toEqual([other])
  })

  test('of a package’s maker, likewise', async () => {
    const here = await world(1)
    const by = await app.asUser({ organizationId: here.organizationId })
    const made = await insertPackageFor(app.db, here.own, { by })
    const id = await startTask(app, admin, here.own, [made], atOnce)
    const [code = ''] = here.own.devices.map((device) => device.code)
    await taskBecomes(app, admin, id, { counts: { sent: 1 } })
    await moveDevice(app.db, code, here.elsewhere)
    await lookNow(app.db)
    await targetsBecome(app, admin, id, { [code]: 'skipped' })
    expect((await targetsOf(app, admin, id))[0]?.reason).toMatch(
      new RegExp(`超出固件(创建|上传)人 ${by.loginName} 的数据权限`),
    )
  })

  test.each(['finished', 'waiting'])(
    'and is %s does not keep the creator from stopping the others',
    async (was) => {
      const here = await world(2)
      const id = await begun(here, oneByOne)
      const [first = ''] = await withState(id, 'sent')
      const [second = ''] = await withState(id, 'waiting')
      if (was === 'finished') await succeeds(here, first)
      await moveDevice(app.db, was === 'finished' ? first : second, here.elsewhere)
      if (was === 'finished') await targetsBecome(app, admin, id, { [first]: 'succeeded', [second]: 'sent' })
      await checked(id)
      const { token } = here.creator
      expect((await app.call(readUpgradeTask, { id }, token)).data).toMatchObject({
        isWhole: false,
        isControllable: true,
      })
      expect(await app.call(pauseUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
      expect(await app.call(resumeUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
      expect(await app.call(cancelUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
    },
  )
})

describe('a task under way', () => {
  test.each([
    ['was disabled', '已停用', disable],
    ['lost the function', '已没有所需的权限', takeFunctions],
  ])('whose creator %s pauses, and goes on by the decision of who resumes it', async (_, text, act) => {
    const here = await world(1)
    const id = await begun(here, atOnce)
    await act(here.creator.id).execute(app.db)
    await lookNow(app.db)
    const note = `创建人 ${here.creator.loginName} ${text}，任务已暂停`
    await taskBecomes(app, admin, id, {
      state: 'paused',
      pause: { reason: 'decider', note, by: null },
      counts: { waiting: 1 },
    })
    expect(await commandsOf(id)).toEqual([])
    const { data: steps } = await app.call(listUpgradeTransitions, { taskId: id }, admin)
    expect(steps).toContainEqual(expect.objectContaining({ to: 'paused', cause: note }))

    const narrow = await app.asUser({
      organizationId: here.organizationId,
      functionCodes: upgradeCodes,
      authorities: [['O', String(here.elsewhere)]],
    })
    expect(await app.call(resumeUpgradeTask, { id }, narrow.token)).toMatchObject({ status: 403 })
    const colleague = await app.asUser({ organizationId: here.organizationId, functionCodes: upgradeCodes })
    expect(await app.call(resumeUpgradeTask, { id }, colleague.token)).toMatchObject({ code: 200 })
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
    await checked(id)
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
    // The decision is the colleague’s now.
    await disable(colleague.id).execute(app.db)
    await lookNow(app.db)
    const { loginName } = colleague
    await taskBecomes(app, admin, id, {
      state: 'paused',
      pause: { note: `任务接管人 ${loginName} 已停用，任务已暂停` },
    })
  })

  test('that is automatic pauses where one of the package’s people was disabled', async () => {
    const here = await world(1)
    const { creator, own } = here
    await insertPackageFor(app.db, own, { isAutoUpgrade: true, by: creator })
    await sql`UPDATE device_state SET is_online = true WHERE device_id = ${own.devices[0]?.id}`.execute(
      app.db,
    )
    await offerAutomatic(app)
    const { rows } = await sql<{ id: string }>`
      SELECT id::text FROM upgrade_task WHERE created_by = ${creator.id}`.execute(app.db)
    const id = rows[0]?.id as string
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
    await disable(creator.id).execute(app.db)
    await lookNow(app.db)
    const note = `自动升级开启人 ${creator.loginName} 已停用，任务已暂停`
    await taskBecomes(app, admin, id, { state: 'paused', pause: { note } })
    expect(await app.call(resumeUpgradeTask, { id }, admin)).toMatchObject({ code: 200 })
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
  })
})

async function planned(
  { own }: Pick<World, 'own'>,
  token: string,
  softwareVersionId: string,
  upgradeRule = {},
): Promise<string> {
  const answer = await app.call(
    insertUpgradeTask,
    {
      softwareVersionId,
      upgradeTime: '2099-01-01 00:00:00',
      upgradeRule,
      devices: { filters: { operatorId: String(own.operatorId) } },
    },
    token,
  )
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.id
}

describe('a planned task', () => {
  test.each(['another', 'the one above', 'the same'])(
    'reaches the devices of its organization alone when its creator has gone to %s organization',
    async (where) => {
      const here = await world(1)
      const [own = ''] = here.own.devices.map(({ code }) => code)
      const top = await insertOrganization(app.db)
      await sql`UPDATE organization SET parent_id = ${top} WHERE id = ${here.organizationId}`.execute(app.db)
      const target = { another: await insertOrganization(app.db), 'the one above': top }[where]
      const organizationId = target ?? here.organizationId
      const { modelId } = here.own
      const other = await insertFleet(app.db, 1, { organizationId: target ?? top, modelId })
      const pack = await insertPackageFor(app.db, here.own)
      const form = { softwareVersionId: String(pack.id), upgradeTime: '2099-01-01 00:00:00' }
      const { data } = await app.call(
        insertUpgradeTask,
        { ...form, upgradeRule: atOnce, devices: { isAll: 1 } },
        here.creator.token,
      )
      await sql`UPDATE app_user SET organization_id = ${organizationId} WHERE id = ${here.creator.id}`.execute(
        app.db,
      )
      await sql`UPDATE upgrade_task SET upgrade_at = now(), next_at = now() WHERE id = ${data.id}::int`.execute(
        app.db,
      )
      await lookNow(app.db)
      const reached = where === 'another' ? [] : [own]
      await taskBecomes(app, admin, data.id, { state: reached.length > 0 ? 'running' : 'finished' })
      expect((await targetsOf(app, admin, data.id)).map(({ code }) => code)).toEqual(reached)
      expect(other.devices).toHaveLength(1)
    },
  )

  test('whose creator has lost the function to plan tasks, but not the others of upgrades, ends without a device', async () => {
    const here = await world(1)
    const made = await insertPackageFor(app.db, here.own)
    const id = await planned(here, here.creator.token, String(made.id))
    await sql`
      DELETE FROM role_menu rm USING user_role ur, menu m
      WHERE ur.role_id = rm.role_id AND ur.user_id = ${here.creator.id} AND m.id = rm.menu_id
        AND m.remark = 'upgrade:insert'`.execute(app.db)
    const why = `创建人 ${here.creator.loginName} 已没有所需的权限`
    await taskBecomes(app, admin, id, { stopNote: `${why}，到时不会执行` })
    await comes(app.db, id)
    await taskBecomes(app, admin, id, { state: 'cancelled', stopNote: `${why}，任务未执行` })
  })

  test('ends without a device where the supplier of its file is disabled, and not where that user was deleted', async () => {
    const here = await world(1)
    const supplier = await app.asUser({ organizationId: here.organizationId })
    const made = await insertPackageFor(app.db, here.own, { by: supplier })
    const [one, other] = [
      await planned(here, admin, String(made.id)),
      await planned(here, admin, String(made.id)),
    ]
    await disable(supplier.id).execute(app.db)
    const why = `固件上传人 ${supplier.loginName} 已停用`
    await taskBecomes(app, admin, one, { stopNote: `${why}，到时不会执行` })
    await comes(app.db, one)
    await taskBecomes(app, admin, one, { state: 'cancelled', stopNote: `${why}，任务未执行` })
    await sql`DELETE FROM user_session WHERE user_id = ${supplier.id}`.execute(app.db)
    await sql`DELETE FROM app_user WHERE id = ${supplier.id}`.execute(app.db)
    await taskBecomes(app, admin, other, { stopNote: null })
    await comes(app.db, other)
    await taskBecomes(app, admin, other, { state: 'running', counts: { sent: 1 } })
  })

  test('ends without a device where the supplier was an API key that is revoked since, and its maker is disabled', async () => {
    const here = await world(1)
    const { organizationId } = here
    const maker = await app.asUser({
      organizationId,
      functionCodes: [...firmwareCodes, 'apiKey:insert', 'apiKey:delete'],
    })
    const key = await makeKey(app, maker.token, { functionCodes: firmwareCodes })
    const by = { ...maker, id: Number(key.id), loginName: key.name }
    const made = await insertPackageFor(app.db, here.own, { by })
    expect(await app.call(deleteApiKey, { id: key.id }, maker.token)).toMatchObject({ code: 200 })
    const id = await planned(here, admin, String(made.id))
    await taskBecomes(app, admin, id, { stopNote: null })
    await disable(maker.id).execute(app.db)
    const why = `固件上传人 ${key.name} 已停用`
    await taskBecomes(app, admin, id, { stopNote: `${why}，到时不会执行` })
    await comes(app.db, id)
    await taskBecomes(app, admin, id, { state: 'cancelled', stopNote: `${why}，任务未执行` })
  })

  test('that is automatic is not changed', async () => {
    const here = await world(1)
    const made = await insertPackageFor(app.db, here.own)
    const id = await planned(here, admin, String(made.id))
    await sql`UPDATE upgrade_task SET type = 'AUTO' WHERE id = ${id}::int`.execute(app.db)
    const form = {
      id,
      softwareVersionId: String(made.id),
      upgradeTime: '2099-02-01 00:00:00',
      lockVersion: 1,
    }
    expect(await app.call(updateUpgradeTask, form, admin)).toMatchObject({ refusal: 'upgradeStarted' })
  })
})

describe('a retry', () => {
  test('of a task that a narrower user took over is nobody else’s limit once the task is over again', async () => {
    const here = await world(2)
    const id = await begun(here, atOnce)
    await taskBecomes(app, admin, id, { counts: { sent: 2 } })
    const fail = async () => {
      await sql`UPDATE upgrade_target SET state = 'failed', next_at = NULL WHERE task_id = ${id}::int`.execute(
        app.db,
      )
      await sql`UPDATE upgrade_task SET state = 'finished', next_at = NULL WHERE id = ${id}::int`.execute(
        app.db,
      )
    }
    await fail()
    await disable(here.creator.id).execute(app.db)
    const [first] = here.own.devices
    const mine = await insertOperator(app.db, { organizationId: here.organizationId })
    await moveDevice(app.db, first?.code as string, mine)
    const narrow = await app.asUser({
      organizationId: here.organizationId,
      functionCodes: upgradeCodes,
      authorities: [['O', String(mine)]],
    })
    expect(await app.call(retryUpgradeTask, { id }, narrow.token)).toMatchObject({ data: { count: 1 } })
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
    await fail()
    expect(await app.call(retryUpgradeTask, { id }, admin)).toMatchObject({ data: { count: 2 } })
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 2 } })
  })

  const nothing = { status: 409, refusal: 'upgradeNothingToRetry' }

  test('does not bring a package that was deleted', async () => {
    const here = await world(1)
    const id = await begun(here, atOnce)
    await ends(app, admin, id, 'failed')
    await sql`UPDATE software_package SET deleted_at = now() WHERE id IN (
      SELECT package_id FROM upgrade_task_package WHERE task_id = ${id}::int)`.execute(app.db)
    expect(await app.call(retryUpgradeTask, { id }, admin)).toMatchObject(nothing)
  })

  test('reaches no device that the task’s creator does not reach', async () => {
    const here = await world(1)
    const id = await begun(here, atOnce)
    await ends(app, admin, id, 'failed')
    await moveDevice(app.db, here.own.devices[0]?.code as string, here.elsewhere)
    expect(await app.call(retryUpgradeTask, { id }, admin)).toMatchObject(nothing)
  })

  describe.each(['its command', 'its release'])('of a device that waits for %s', (waitsFor) => {
    test.each([
      ['has left the scope of who asked', /^超出重试人 .+ 的数据权限$/],
      ['was asked for by a user who is disabled since', /^重试人 .+ 已停用$/],
      ['was asked for by a user who has lost the function since', /^重试人 .+ 已没有所需的权限$/],
    ])('brings nothing where the device %s', async (what, reason) => {
      const here = await world(2)
      const id = await begun(here, atOnce)
      await ends(app, admin, id, 'failed')
      await sql`DELETE FROM device_command WHERE body ->> 'taskId' = ${id}`.execute(app.db)
      const codes = here.own.devices.map(({ code }) => code)
      const [moved = '', other = ''] = codes
      const [mine, elsewhere] = [here.own.operatorId, await insertOperator(app.db, here)]
      const asker = await app.asUser({
        organizationId: here.organizationId,
        functionCodes: upgradeCodes,
        authorities: [['O', String(mine)]],
      })
      expect(await app.call(retryUpgradeTask, { id }, asker.token)).toMatchObject({ data: { count: 2 } })
      await taskBecomes(app, admin, id, { counts: { sent: 2 } })
      if (waitsFor === 'its release') {
        expect(await app.call(pauseUpgradeTask, { id }, admin)).toMatchObject({ code: 200 })
        await taskBecomes(app, admin, id, { state: 'paused', counts: { waiting: 2 } })
      }
      if (what.startsWith('has left')) await moveDevice(app.db, moved, elsewhere)
      else await (what.includes('disabled') ? disable : takeFunctions)(asker.id).execute(app.db)
      if (waitsFor === 'its release')
        expect(await app.call(resumeUpgradeTask, { id }, admin)).toMatchObject({ code: 200 })
      await lookNow(app.db)
      const reached = what.startsWith('has left') ? [other] : []
      const results = codes.map((code) => [code, reached.includes(code) ? 'sent' : 'skipped'])
      await targetsBecome(app, admin, id, Object.fromEntries(results))
      for (const target of await targetsOf(app, admin, id)) {
        if (target.result === 'skipped') expect(target.reason).toMatch(reason)
      }
      expect(await commandsOf(id)).toEqual(reached)
    })
  })
})

/** A task that begins at once, and brings a file of the supplier. */
const begunAtOnce: Record<'single device' | 'rollback', (here: World, supplier: User) => Promise<string>> = {
  'single device': async ({ own }, supplier) => {
    const { id } = await insertPackageFor(app.db, own, { by: supplier })
    const equipId = String(own.devices[0]?.id)
    return (await app.call(upgradeDevices, { softwareVersionId: String(id), equipId }, admin)).data.id
  },
  rollback: async ({ own }, supplier) => {
    const device = own.devices[0] as Fleet['devices'][0]
    await reportVersions(app.db, device, { [`${master} 0`]: '1.3' })
    const { board } = await insertPackageFor(app.db, own, { version: '1.3', by: supplier })
    const next = await insertPackageFor(app.db, own, { version: '1.4', board })
    const input = { softwareVersionId: String(next.id), equipId: String(device.id) }
    const { data } = await app.call(upgradeDevices, input, admin)
    await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
    await ends(app, admin, data.id, 'succeeded')
    await reportVersions(app.db, device, { [`${master} 0`]: '1.4' })
    return (await app.call(rollBackUpgradeTask, { id: data.id }, admin)).data.id
  },
}

describe.each(['single device', 'rollback'] as const)('a task that begins at once, for a %s,', (kind) => {
  test('pauses where the supplier of its file is disabled, and goes on by the decision of who resumes it', async () => {
    const here = await world(1)
    const supplier = await app.asUser({ organizationId: here.organizationId })
    const id = await begunAtOnce[kind](here, supplier)
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
    await disable(supplier.id).execute(app.db)
    await lookNow(app.db)
    const note = `固件上传人 ${supplier.loginName} 已停用，任务已暂停`
    await taskBecomes(app, admin, id, { state: 'paused', pause: { note }, counts: { waiting: 1 } })
    expect(await commandsOf(id)).toEqual([])
    expect(await app.call(resumeUpgradeTask, { id }, admin)).toMatchObject({ code: 200 })
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
    await checked(id)
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
  })

  test('pauses before its first command where that user was disabled before', async () => {
    const here = await world(1)
    const supplier = await app.asUser({ organizationId: here.organizationId })
    await disable(supplier.id).execute(app.db)
    const id = await begunAtOnce[kind](here, supplier)
    await taskBecomes(app, admin, id, { state: 'running', counts: { waiting: 1 } })
    await lookNow(app.db)
    await taskBecomes(app, admin, id, { state: 'paused', counts: { waiting: 1 } })
    const { rows } = await sql`SELECT FROM device_command WHERE body ->> 'taskId' = ${id}`.execute(app.db)
    expect(rows).toEqual([])
  })

  test('goes on where that user was deleted', async () => {
    const here = await world(1)
    const supplier = await app.asUser({ organizationId: here.organizationId })
    const id = await begunAtOnce[kind](here, supplier)
    await taskBecomes(app, admin, id, { counts: { sent: 1 } })
    await sql`DELETE FROM user_session WHERE user_id = ${supplier.id}`.execute(app.db)
    await sql`DELETE FROM app_user WHERE id = ${supplier.id}`.execute(app.db)
    await checked(id)
    await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 1 } })
  })
})

test('a rollback brings the package that the device had got, not a newer one of the same version', async () => {
  const { own } = await world(1)
  await reportVersions(app.db, own.devices[0] as Fleet['devices'][0], { [`${master} 0`]: '1.2' })
  const had = await insertPackageFor(app.db, own, { version: '1.3', isRelease: false })
  const next = await insertPackageFor(app.db, own, { version: '1.4', board: had.board })
  const equipId = String(own.devices[0]?.id)
  const tasks: string[] = []
  for (const { id, version } of [
    { id: had.id, version: '1.3' },
    { id: next.id, version: '1.4' },
  ]) {
    const { data } = await app.call(upgradeDevices, { softwareVersionId: String(id), equipId }, admin)
    await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
    await ends(app, admin, data.id, 'succeeded')
    await reportVersions(app.db, own.devices[0] as Fleet['devices'][0], { [`${master} 0`]: version })
    tasks.push(data.id)
  }
  await insertPackageFor(app.db, own, { version: '1.3', board: had.board })
  const { data } = await app.call(rollBackUpgradeTask, { id: tasks[1] as string }, admin)
  await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
  const { rows } = await sql<{ id: number }>`
    SELECT package_id AS id FROM upgrade_target WHERE task_id = ${data.id}::int`.execute(app.db)
  expect(rows).toEqual([{ id: had.id }])
})

test('a package that is deleted while it is about to be offered gets no task', async () => {
  const { own, creator } = await world(1)
  const made = await insertPackageFor(app.db, own, { isAutoUpgrade: true, by: creator })
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${own.devices[0]?.id}`.execute(app.db)
  let running: Promise<unknown> = Promise.resolve()
  await app.db.transaction().execute(async (trx) => {
    await sql`UPDATE software_package SET deleted_at = now(), is_auto_upgrade = false, auto_by = NULL,
      auto_by_name = NULL, auto_at = NULL WHERE id = ${made.id}`.execute(trx)
    running = offerAutomatic(app)
    await Promise.race([
      running,
      expect
        .poll(
          async () =>
            (
              await sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(
                app.db,
              )
            ).rows.length,
          { timeout: 20_000 },
        )
        .toBe(1),
    ])
  })
  await running
  const { rows } = await sql`
    SELECT FROM upgrade_task_package n WHERE n.package_id = ${made.id}`.execute(app.db)
  expect(rows).toEqual([])
})

describe('the gate of a task', () => {
  const raised = '01110002'
  /** In the dictionary that all organizations share. */
  async function setLevel(alarmLevel: 1 | 2 | 4): Promise<void> {
    const { data } = await app.call(listDictionary, { type: 'ALARM', code: raised }, admin)
    const { id, code, name, type, note, version, analysisType } = data[0] as (typeof data)[0]
    const form = {
      id,
      code,
      name,
      type,
      note: note ?? '',
      version,
      alarmLevel,
      analysisType: analysisType ?? undefined,
    }
    expect(await app.call(updateDictionaryEntry, form, admin)).toMatchObject({ code: 200 })
  }
  /** The devices that have the new version raise the alarm. */
  async function soaks(id: string): Promise<void> {
    await expect.poll(async () => (await withState(id, 'sent')).length, { timeout: 30_000 }).toBe(2)
    const { rows } = await sql<{ device: number }>`
      UPDATE upgrade_target SET state = 'succeeded', next_at = NULL, started_at = now() - interval '20 minutes',
        verified_at = now() - interval '15 minutes'
      WHERE task_id = ${id}::int AND state = 'sent' RETURNING device_id AS device`.execute(app.db)
    for (const { device } of rows) await raiseAlarm(app.db, device, 6)
    await lookNow(app.db)
  }
  const gated = {
    stages: [
      { percent: 50, soakMinutes: 30 },
      { percent: 100, soakMinutes: 0 },
    ],
  }
  const pausedBy = {
    state: 'paused',
    pause: { reason: 'alarms', gate: { alarmed: 2, alarms: [{ code: raised }] } },
  } as const

  test('keeps the levels with which the task began: one that is lowered later is not ignored', async () => {
    await setLevel(1)
    const { own, creator } = await world(4)
    const id = await startTask(app, creator.token, own, [await insertPackageFor(app.db, own)], gated)
    await setLevel(4)
    await soaks(id)
    await taskBecomes(app, creator.token, id, pausedBy)
  })

  test('counts a code whose level is raised while the task runs', async () => {
    await setLevel(4)
    const { own, creator } = await world(4)
    const id = await startTask(app, creator.token, own, [await insertPackageFor(app.db, own)], gated)
    await setLevel(2)
    await soaks(id)
    await taskBecomes(app, creator.token, id, pausedBy)
  })

  test('counts a code whose level was raised while the task was planned, also where it is lowered again', async () => {
    await setLevel(4)
    const { own, creator } = await world(4)
    const image = await insertPackageFor(app.db, own)
    const id = await planned({ own }, creator.token, String(image.id), gated)
    await setLevel(1)
    await comes(app.db, id)
    await taskBecomes(app, creator.token, id, { state: 'running' })
    await setLevel(4)
    await soaks(id)
    await taskBecomes(app, creator.token, id, pausedBy)
  })
})
