// Ways by which a decision about upgrades reached further than, or outlived, what docs/security.md says of it.
import {
  cancelUpgradeTask,
  countFirmwareReach,
  type DeviceChoice,
  deleteRegion,
  deleteUpgradeTask,
  deleteUser,
  formatDateTime,
  grantSystem,
  insertFirmware,
  insertRegion,
  insertUpgradeTask,
  listFirmware,
  listOperations,
  pauseUpgradeTask,
  readFirmwareJson,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  updateUpgradeTask,
  upgradeDevices,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import { insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { insertBoard, remark, uploadPackage } from '../../../../test/packages.ts'
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
  startTask,
  targetsOf,
  taskBecomes,
  taskOf,
} from '../../../../test/upgrades.ts'

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(() => app.close())

const functionCodes = [
  ...['list', 'insert', 'update', 'control', 'device'].map((code) => `upgrade:${code}`),
  ...['list', 'upload', 'insert', 'update'].map((code) => `firmware:${code}`),
]
const atOnce = { stages: [{ percent: 100, soakMinutes: 0 }], skipGate: true }
const codesOf = ({ devices }: Fleet) => devices.map(({ code }) => code)

/** Holds the queue at another task, which waits for a lock. Returns what lets the queue go on. */
async function holdQueue(): Promise<() => Promise<void>> {
  const held = await insertFleet(app.db, 1)
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = app.db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('upgrade_target_active'))`.execute(trx)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const id = await startTask(app, admin, held, [await insertPackageFor(app.db, held)], atOnce)
  await expect
    .poll(async () => {
      const { rows } = await sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`.execute(
        app.db,
      )
      return rows.length
    })
    .toBeGreaterThan(0)
  return async () => {
    release.resolve()
    await holding
    await taskBecomes(app, admin, id, { state: 'running' })
  }
}

test('a planned task stays with its organization when its creator becomes SYSTEM', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const { modelId } = own
  const other = await insertFleet(app.db, 1, { organizationId: await insertOrganization(app.db), modelId })
  const creator = await app.asUser({ organizationId, functionCodes })
  const pack = await insertPackageFor(app.db, own)
  const { data } = await app.call(
    insertUpgradeTask,
    {
      softwareVersionId: String(pack.id),
      upgradeTime: '2099-01-01 00:00:00',
      upgradeRule: atOnce,
      devices: { isAll: 1 },
    },
    creator.token,
  )
  expect(await app.call(grantSystem, { id: String(creator.id) }, admin)).toMatchObject({ code: 200 })
  await comes(app.db, data.id)
  await taskBecomes(app, admin, data.id, { state: 'running' })
  expect((await targetsOf(app, admin, data.id)).map(({ code }) => code)).toEqual(codesOf(own))
  expect(other.devices).toHaveLength(1)
})

test('a planned task is changed, cancelled and deleted by nobody who sees all of today’s devices, and not those that may come', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const creator = await app.asUser({ organizationId, functionCodes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes: [...functionCodes, 'upgrade:delete'],
    authorities: [['O', String(own.operatorId)]],
  })
  const { id: packageId } = await insertPackageFor(app.db, own)
  const form = {
    softwareVersionId: String(packageId),
    upgradeTime: '2099-01-01 00:00:00',
    upgradeRule: atOnce,
  }
  const planned = async (devices: DeviceChoice) =>
    (await app.call(insertUpgradeTask, { ...form, devices }, creator.token)).data.id
  const refused = { status: 403, refusal: 'upgradeReachesBeyond' }
  for (const devices of [{ isAll: 1 }, { filters: { equipTypeId: String(own.equipTypeId) } }] as const) {
    const id = await planned(devices)
    const change = { ...form, id, lockVersion: 1, upgradeTime: '2099-02-01 00:00:00' }
    expect(await app.call(updateUpgradeTask, change, narrow.token)).toMatchObject(refused)
    expect(await app.call(deleteUpgradeTask, { id }, narrow.token)).toMatchObject(refused)
    expect((await taskOf(app, narrow.token, id)).isControllable).toBe(false)
    expect(await app.call(cancelUpgradeTask, { id }, narrow.token)).toMatchObject(refused)
  }
  for (const devices of [{ codes: codesOf(own) }, { filters: { operatorId: String(own.operatorId) } }])
    for (const call of [deleteUpgradeTask, cancelUpgradeTask])
      expect(await app.call(call, { id: await planned(devices) }, narrow.token)).toMatchObject({ code: 200 })
  // A device of the creator's may be registered by the other code until its time.
  const id = await planned({ codes: [...codesOf(own), 'LATER0002'] })
  for (const call of [deleteUpgradeTask, cancelUpgradeTask])
    expect(await app.call(call, { id }, narrow.token)).toMatchObject(refused)
  expect(await app.call(cancelUpgradeTask, { id }, creator.token)).toMatchObject({ code: 200 })
})

test('automatic upgrades stay with the organization in which they were switched on', async () => {
  const organizationId = await insertOrganization(app.db)
  const elsewhere = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const { modelId } = own
  const other = await insertFleet(app.db, 1, { organizationId: elsewhere, modelId })
  const switcher = await app.asUser({ organizationId, functionCodes })
  const pack = await insertPackageFor(app.db, own, { isAutoUpgrade: true })
  await sql`
    UPDATE software_package SET auto_by = ${switcher.id}, auto_by_name = ${switcher.loginName}, auto_at = now(),
      auto_in = ${organizationId}
    WHERE id = ${pack.id}`.execute(app.db)
  for (const { id } of [...own.devices, ...other.devices])
    await sql`UPDATE device_state SET is_online = true WHERE device_id = ${id}`.execute(app.db)
  await sql`UPDATE app_user SET organization_id = ${elsewhere} WHERE id = ${switcher.id}`.execute(app.db)
  await offerAutomatic(app)
  const { rows } = await sql<{ id: string; codes: string[] }>`
    SELECT id::text, devices -> 'codes' AS codes FROM upgrade_task WHERE created_by = ${switcher.id}`.execute(
    app.db,
  )
  expect(rows.flatMap(({ codes }) => codes)).toEqual([])
})

test('an automatic task stays in the organization of the switching on when its switcher becomes SYSTEM', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const switcher = await app.asUser({ organizationId, functionCodes })
  const pack = await insertPackageFor(app.db, own, { isAutoUpgrade: true })
  await sql`
    UPDATE software_package SET auto_by = ${switcher.id}, auto_by_name = ${switcher.loginName}, auto_at = now(),
      auto_in = ${organizationId}
    WHERE id = ${pack.id}`.execute(app.db)
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${own.devices[0]?.id}`.execute(app.db)
  expect(await app.call(grantSystem, { id: String(switcher.id) }, admin)).toMatchObject({ code: 200 })
  await offerAutomatic(app)
  const { rows } = await sql`SELECT decided_in FROM upgrade_task WHERE created_by = ${switcher.id}`.execute(
    app.db,
  )
  expect(rows).toEqual([{ decided_in: organizationId }])
})

test('of a finished task, a device that has moved to others counts as theirs: who does not see it rolls nothing back', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 2, { organizationId })
  const id = await startTask(app, admin, own, [await insertPackageFor(app.db, own)], atOnce)
  await taskBecomes(app, admin, id, { state: 'running' })
  await ends(app, admin, id, 'succeeded')
  await sql`UPDATE upgrade_task SET organization_id = ${organizationId} WHERE id = ${id}::int`.execute(app.db)
  const narrow = await app.asUser({
    organizationId,
    functionCodes,
    authorities: [['O', String(own.operatorId)]],
  })
  await moveDevice(app.db, codesOf(own)[0] as string, await insertOperator(app.db, { organizationId }))
  expect(await targetsOf(app, narrow.token, id)).toHaveLength(1)
  expect(await app.call(rollBackUpgradeTask, { id }, narrow.token)).toMatchObject({
    refusal: 'upgradeReachesBeyond',
  })
})

test('what a deleted user made does not reach another region that gets the code of one that is gone', async () => {
  const organizationId = await insertOrganization(app.db)
  const region = async (code: string, name: string) => {
    const answer = await app.call(insertRegion, { code, name }, admin)
    expect(answer).toMatchObject({ code: 200 })
    const { id } = await app.db
      .selectFrom('region')
      .select('id')
      .where('code', '=', code)
      .executeTakeFirstOrThrow()
    return id
  }
  await region('990001', '旧地区')
  const fleet = await insertFleet(app.db, 1, { organizationId })
  const leaver = await app.asUser({ organizationId, functionCodes, authorities: [['R', '990001']] })
  const { id } = await insertPackageFor(app.db, fleet, { by: leaver })
  const devices = async () => {
    const [row] = (await app.call(listFirmware, { ids: [String(id)] }, admin)).data
    const input = { id: String(id), filePath: row?.filePath as string }
    return (await app.call(countFirmwareReach, input, admin)).data.devices
  }
  expect(await app.call(deleteUser, { id: String(leaver.id) }, admin)).toMatchObject({ code: 200 })
  expect(await app.call(deleteRegion, { id: '990001' }, admin)).toMatchObject({ code: 200 })
  const other = await region('990001', '别的地区')
  await sql`UPDATE device SET region_id = ${other} WHERE id = ${fleet.devices[0]?.id}`.execute(app.db)
  expect(await devices()).toBe(0)
})

test('the address that a deleted user was given does not come back with another user of that name', async () => {
  const options = { functionCodes: ['firmware:list'], loginName: 'twice01' }
  const { code } = await insertBoard(app.db, { partType: master })
  const upload = await uploadPackage(app, admin, `${code}_EC_MASTER_V1.4_R.bin`)
  const made = await app.call(insertFirmware, { ...upload, remark, isAutoUpgrade: 0 }, admin)
  const first = await app.asUser(options)
  const { url } = (await app.call(readFirmwareJson, { versionId: made.data.id }, first.token)).data
  expect((await fetch(url)).status).toBe(200)
  expect(await app.call(deleteUser, { id: String(first.id) }, admin)).toMatchObject({ code: 200 })
  expect((await fetch(url)).status).toBe(403)
  await app.asUser(options)
  expect((await fetch(url)).status).toBe(403)
})

test('a task for single devices is not put off into one that is planned ahead', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const supplier = await app.asUser({ organizationId })
  const made = await insertPackageFor(app.db, own, { by: supplier })
  const release = await holdQueue()
  const form = { softwareVersionId: String(made.id) }
  const { data } = await app.call(upgradeDevices, { ...form, equipId: String(own.devices[0]?.id) }, admin)
  const put = await app.call(
    updateUpgradeTask,
    { id: data.id, ...form, upgradeTime: '2099-01-01 00:00:00', upgradeRule: atOnce, lockVersion: 1 },
    admin,
  )
  await release()
  expect(put).toMatchObject({ refusal: 'upgradeStarted' })
})

test('a planned task is saved as its list shows it, also where a word of its keyword finds no device', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const pack = await insertPackageFor(app.db, own)
  const creator = await app.asUser({ organizationId, functionCodes })
  const keyword = `${codesOf(own)[0]} ZZ999`
  const form = {
    softwareVersionId: String(pack.id),
    upgradeTime: '2099-01-01 00:00:00',
    upgradeRule: atOnce,
    devices: { filters: { keyword } },
  }
  const { data } = await app.call(insertUpgradeTask, form, creator.token)
  const { devices, lockVersion } = await taskOf(app, creator.token, data.id)
  // As the dialog does: it sends the choice that it was given.
  const saved = await app.call(
    updateUpgradeTask,
    { ...form, id: data.id, devices, lockVersion },
    creator.token,
  )
  expect.soft(saved).toMatchObject({ code: 200 })
  expect((await taskOf(app, admin, data.id)).devices).toEqual(form.devices)
})

test('the keyword that somebody else gave a planned task shows its creator no code beyond the own scope', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const foreign = await insertFleet(app.db, 1, { organizationId, modelId: own.modelId })
  const pack = await insertPackageFor(app.db, own)
  const creator = await app.asUser({
    organizationId,
    functionCodes: [...functionCodes, 'operation:page'],
    authorities: [['O', String(own.operatorId)]],
  })
  const editor = await app.asUser({ organizationId, functionCodes })
  const form = {
    softwareVersionId: String(pack.id),
    upgradeTime: '2099-01-01 00:00:00',
    upgradeRule: atOnce,
  }
  const { id } = (await app.call(insertUpgradeTask, { ...form, devices: { isAll: 1 } }, creator.token)).data
  const [seen, unseen] = [codesOf(own)[0] as string, codesOf(foreign)[0] as string]
  const devices = { filters: { keyword: `${seen} ${unseen}` } }
  expect(
    await app.call(updateUpgradeTask, { ...form, id, devices, lockVersion: 1 }, editor.token),
  ).toMatchObject({ code: 200 })
  const shown = JSON.stringify((await taskOf(app, creator.token, id)).devices)
  expect(shown).toContain(seen)
  expect(shown).not.toContain(unseen)
  expect((await taskOf(app, editor.token, id)).devices).toEqual(devices)
  // Nor does the operation log, where the creator replaces that choice.
  const replaced = { ...form, id, devices: { isAll: 1 }, lockVersion: 2 } as const
  expect(await app.call(updateUpgradeTask, replaced, creator.token)).toMatchObject({ code: 200 })
  const entries = JSON.stringify((await app.call(listOperations, {}, creator.token)).data)
  expect(entries).toContain(seen)
  expect(entries).not.toContain(unseen)
})

test('nobody plans upgrades ahead without the function for it', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 2, { organizationId })
  const made = await insertPackageFor(app.db, own)
  const user = await app.asUser({
    organizationId,
    functionCodes: ['upgrade:list', 'upgrade:device', 'upgrade:update'],
  })
  const form = { softwareVersionId: String(made.id) }
  const later = { upgradeTime: '2099-01-01 00:00:00', upgradeRule: atOnce, devices: { isAll: 1 } } as const
  expect(await app.call(insertUpgradeTask, { ...form, ...later }, user.token)).toMatchObject({ code: 403 })
  const release = await holdQueue()
  const equipId = String(own.devices[0]?.id)
  const { data } = await app.call(upgradeDevices, { ...form, equipId }, user.token)
  const put = await app.call(
    updateUpgradeTask,
    { id: data.id, ...form, ...later, lockVersion: 1 },
    user.token,
  )
  await release()
  expect(put.code).not.toBe(200)
})

test('a paused task is resumed by who sees the devices of now, not those of its last look', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 2, { organizationId })
  const creator = await app.asUser({ organizationId, functionCodes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes,
    authorities: [['O', String(own.operatorId)]],
  })
  const id = await startTask(app, creator.token, own, [await insertPackageFor(app.db, own)], atOnce)
  await taskBecomes(app, admin, id, { counts: { sent: 2 } })
  expect(await app.call(pauseUpgradeTask, { id }, creator.token)).toMatchObject({ code: 200 })
  await taskBecomes(app, admin, id, { state: 'paused', counts: { waiting: 2 } })
  await moveDevice(app.db, codesOf(own)[0] as string, await insertOperator(app.db, { organizationId }))
  expect(await app.call(resumeUpgradeTask, { id }, narrow.token)).toMatchObject({
    refusal: 'upgradeReachesBeyond',
  })
})

test('a stage is held by nobody who tries a device of it again and does not see all of the task', async () => {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 3, { organizationId })
  const { modelId, equipTypeId } = own
  await insertFleet(app.db, 3, { organizationId, modelId })
  const creator = await app.asUser({ organizationId, functionCodes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes,
    authorities: [['O', String(own.operatorId)]],
  })
  const pack = await insertPackageFor(app.db, own)
  const stages = [
    { count: 2, soakMinutes: 0 },
    { count: 2, soakMinutes: 600 },
    { percent: 100, soakMinutes: 0 },
  ]
  const { data } = await app.call(
    insertUpgradeTask,
    {
      softwareVersionId: String(pack.id),
      upgradeTime: formatDateTime(new Date()),
      upgradeRule: { stages, skipGate: true, failurePercent: 100 },
      devices: { filters: { equipTypeId: String(equipTypeId) } },
    },
    creator.token,
  )
  const { id } = data
  await taskBecomes(app, admin, id, { state: 'running' })
  const isOwn = sql`device_id = ANY(${own.devices.map((device) => device.id)}::int[])`
  const finishStage = async (stage: number) => {
    await sql`
      UPDATE upgrade_target SET next_at = NULL,
        state = CASE WHEN id = (
          SELECT min(id) FROM upgrade_target WHERE task_id = ${id}::int AND stage = ${stage} AND ${isOwn}
        ) THEN 'failed' ELSE 'succeeded' END
      WHERE task_id = ${id}::int AND stage = ${stage}`.execute(app.db)
    await lookNow(app.db)
  }
  // One of each operator in each stage.
  await sql`
    UPDATE upgrade_target t SET stage = n.stage FROM (
      SELECT id, (row_number() OVER (PARTITION BY ${isOwn} ORDER BY id))::int AS stage
      FROM upgrade_target WHERE task_id = ${id}::int) n
    WHERE t.id = n.id`.execute(app.db)
  await finishStage(1)
  await taskBecomes(app, admin, id, { stages: [{ state: 'passed' }, { state: 'running' }, {}] })
  await finishStage(2)
  await taskBecomes(app, admin, id, { stages: [{ state: 'passed' }, { state: 'soaking' }, {}] })
  const failed = (await targetsOf(app, narrow.token, id)).filter(({ result }) => result === 'failed')
  expect(failed).toHaveLength(2)
  const soaking = { state: 'soaking', soakUntil: expect.anything() }
  const watched = async () =>
    (
      await sql`SELECT state, soak_until AS "soakUntil" FROM upgrade_stage WHERE task_id = ${id}::int AND number = 2`.execute(
        app.db,
      )
    ).rows[0]
  const before = await watched()
  expect(before).toMatchObject(soaking)
  // That of the stage that has passed runs beside it.
  expect((await app.call(retryUpgradeTask, { id }, narrow.token)).data).toEqual({ count: 1 })
  expect(await watched()).toEqual(before)
  expect(await app.call(retryUpgradeTask, { id }, narrow.token)).toMatchObject({
    refusal: 'upgradeReachesBeyond',
  })
  expect(await watched()).toEqual(before)
  expect((await app.call(retryUpgradeTask, { id }, creator.token)).data).toEqual({ count: 1 })
  expect(await watched()).toEqual({ state: 'running', soakUntil: null })
})

/** A task of one stage, sent to a device that `narrow` sees and to one that `narrow` does not see. */
async function taskOfOneStage() {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId })
  const { modelId, equipTypeId } = own
  const other = await insertFleet(app.db, 1, { organizationId, modelId })
  const creator = await app.asUser({ organizationId, functionCodes })
  const narrow = await app.asUser({
    organizationId,
    functionCodes,
    authorities: [['O', String(own.operatorId)]],
  })
  const pack = await insertPackageFor(app.db, own)
  const { data } = await app.call(
    insertUpgradeTask,
    {
      softwareVersionId: String(pack.id),
      upgradeTime: formatDateTime(new Date()),
      upgradeRule: { stages: [{ percent: 100, soakMinutes: 600 }], skipGate: true, failurePercent: 100 },
      devices: { filters: { equipTypeId: String(equipTypeId) } },
    },
    creator.token,
  )
  const { id } = data
  await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 2 } })
  return { id, own, other, narrow, pack }
}

test('nor is the last stage watched anew by an attempt of who does not see all of the task: it runs beside the soak', async () => {
  const { id, other, narrow } = await taskOfOneStage()
  const fail = async () => {
    await sql`
      UPDATE upgrade_target SET next_at = NULL,
        state = CASE WHEN device_id = ${other.devices[0]?.id} THEN 'succeeded' ELSE 'failed' END
      WHERE task_id = ${id}::int`.execute(app.db)
    await lookNow(app.db)
  }
  await fail()
  await taskBecomes(app, admin, id, { stages: [{ state: 'soaking' }] })
  const watched = async () =>
    (
      await sql`SELECT state, soak_until AS "soakUntil" FROM upgrade_stage WHERE task_id = ${id}::int`.execute(
        app.db,
      )
    ).rows[0]
  const before = await watched()
  expect((await app.call(retryUpgradeTask, { id }, narrow.token)).data).toEqual({ count: 1 })
  await taskBecomes(app, admin, id, { counts: { sent: 1 } })
  expect(await watched()).toEqual(before)
  // It passes with its soak, and the task goes on until that attempt has its result.
  await sql`UPDATE upgrade_stage SET soak_until = now() WHERE task_id = ${id}::int`.execute(app.db)
  await lookNow(app.db)
  await taskBecomes(app, admin, id, { state: 'running', stages: [{ state: 'passed' }] })
  await fail()
  await taskBecomes(app, admin, id, { state: 'finished' })
})

test('nor does such an attempt keep a stopped package from being offered again: the stage passes first', async () => {
  const { id, own, narrow, pack } = await taskOfOneStage()
  const failed = sql`UPDATE upgrade_target SET next_at = NULL, state = 'failed'
    WHERE task_id = ${id}::int AND device_id = ${own.devices[0]?.id}`
  await failed.execute(app.db)
  await sql`UPDATE software_package SET gate_failed_at = now() WHERE id = ${pack.id}`.execute(app.db)
  expect(await app.call(retryUpgradeTask, { id }, narrow.token)).toMatchObject({
    refusal: 'upgradeReachesBeyond',
  })
  await sql`UPDATE software_package SET gate_failed_at = NULL WHERE id = ${pack.id}`.execute(app.db)
  expect((await app.call(retryUpgradeTask, { id }, narrow.token)).data).toEqual({ count: 1 })
})
