import { createHash } from 'node:crypto'
import {
  countFirmwareReach,
  deleteDevice,
  deleteFirmware,
  endUpgradeSoak,
  insertDevice,
  insertFirmware,
  insertUpgradeTask,
  listFirmware,
  listOperations,
  listUpgradeTasks,
  listUpgradeTransitions,
  pauseUpgradeTask,
  previewUpgradeTask,
  readFirmwareJson,
  renewDeviceSecret,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  updateFirmware,
  upgradeDevices,
  upgradeDevicesByBoard,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertOperator, insertOrganization, type TestUser } from '../../../test/factories.ts'
import {
  insertBoard,
  postPackage,
  remark,
  type TestBoard,
  type Uploaded,
  uploadPackage,
} from '../../../test/packages.ts'
import {
  type Fleet,
  insertFleet,
  lookNow,
  master,
  now,
  offerAutomatic,
  passMinutes,
  raiseAlarm,
  reportVersions,
  startTask,
  targetsOf,
  taskBecomes,
  taskOf,
} from '../../../test/upgrades.ts'

// Packages are shared by all organizations; what they bring reaches only the devices of everybody who decided it.

type User = TestUser & { token: string; organizationId: number }

const firmwareCodes = ['list', 'upload', 'insert', 'update', 'delete'].map((code) => `firmware:${code}`)
const upgradeCodes = ['list', 'insert', 'update', 'control', 'device'].map((code) => `upgrade:${code}`)

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(() => app.close())

async function userOf(
  organizationId: number,
  functionCodes = [...firmwareCodes, ...upgradeCodes],
): Promise<User> {
  return { ...(await app.asUser({ organizationId, functionCodes })), organizationId }
}

interface World {
  board: TestBoard
  own: Fleet
  other: Fleet
  /** Reaches `own` alone. */
  narrow: User
  /** Of an organization without devices. */
  stranger: User
}

/** Two organizations with a device each, of one model. */
async function world(versions: Record<string, string> = { [`${master} 0`]: '1.3' }): Promise<World> {
  const organizationId = await insertOrganization(app.db)
  const own = await insertFleet(app.db, 1, { organizationId, versions })
  const other = await insertFleet(app.db, 1, {
    organizationId: await insertOrganization(app.db),
    modelId: own.modelId,
    versions,
  })
  for (const { id } of [...own.devices, ...other.devices])
    await sql`UPDATE device_state SET is_online = true WHERE device_id = ${id}`.execute(app.db)
  return {
    board: await insertBoard(app.db, { equipTypeId: own.equipTypeId, partType: master }),
    own,
    other,
    narrow: await userOf(organizationId),
    stranger: await userOf(await insertOrganization(app.db)),
  }
}

const nameOf = ({ code }: TestBoard, version: string) => `${code}_EC_MASTER_V${version}_R.bin`
const formOf = (upload: Uploaded, isAutoUpgrade: 0 | 1 = 0) => ({ ...upload, remark, isAutoUpgrade })

async function makePackage(token: string, board: TestBoard, version = '1.4', isAutoUpgrade: 0 | 1 = 0) {
  const upload = await uploadPackage(app, token, nameOf(board, version))
  const answer = await app.call(insertFirmware, formOf(upload, isAutoUpgrade), token)
  if (answer.code !== 200) throw new Error(answer.message)
  return { id: answer.data.id, upload, board }
}
type Made = Awaited<ReturnType<typeof makePackage>>

const bytes = Buffer.from('bytes of somebody else')
/** Both calls that bring another file. */
async function replaceFile(token: string, { id, upload }: Made, isAutoUpgrade: 0 | 1 = 0) {
  const fields = { type: 'update', versionId: id }
  const early = await postPackage(app, token, upload.fileName, { bytes, fields })
  // As a client that leaves out `type`, or asks with another one.
  const sneaked = early.code === 200 ? early : await sneak(token, upload.fileName)
  const form = formOf(sneaked.data as Uploaded, isAutoUpgrade)
  return { early, late: await app.call(updateFirmware, { ...form, id }, token) }
}

/** An upload for a package that does not exist yet gives a file whose name is then wrong: only the rules stop it. */
async function sneak(token: string, fileName: string) {
  await sql`UPDATE software_package SET deleted_at = now() WHERE file_name = ${fileName}`.execute(app.db)
  const answer = await postPackage(app, token, fileName, { bytes, fields: { type: 'create' } })
  await sql`UPDATE software_package SET deleted_at = NULL WHERE file_name = ${fileName}`.execute(app.db)
  return answer
}

const rowOf = async (id: string) => (await app.call(listFirmware, { ids: [id] }, admin)).data[0]
const runJob = () => offerAutomatic(app)
const tasksOf = async (fleet: Fleet, type = 'AUTO' as 'AUTO' | 'SCHEDULE' | 'ROLLBACK') =>
  (await app.call(listUpgradeTasks, { type, equipTypeId: String(fleet.equipTypeId) }, admin)).data
/** Results and reasons by device. */
const resultsOf = async (taskId: string) =>
  Object.fromEntries(
    (await targetsOf(app, admin, taskId)).map(({ code, result, reason }) => [code, [result, reason]]),
  )
const codeOf = ({ devices }: Fleet) => devices[0]?.code as string
const idOf = ({ devices }: Fleet) => String(devices[0]?.id)
/** The SHA-256 in the newest commands of a task, by device. */
async function orderedOf(taskId: string): Promise<Record<string, string>> {
  const { rows } = await sql<{ code: string; sha256: string }>`
    SELECT d.code, c.body ->> 'sha256' AS sha256
    FROM upgrade_target t JOIN device_command c ON c.id = t.command_id JOIN device d ON d.id = t.device_id
    WHERE t.task_id = ${taskId}::int`.execute(app.db)
  return Object.fromEntries(rows.map(({ code, sha256 }) => [code, sha256]))
}
const sha256 = (of: Buffer) => createHash('sha256').update(of).digest('hex')
async function finish(taskId: string, state: 'failed' | 'succeeded'): Promise<void> {
  await sql`UPDATE upgrade_target SET state = ${state}, next_at = NULL WHERE task_id = ${taskId}::int
    AND state <> 'skipped'`.execute(app.db)
  await sql`UPDATE upgrade_task SET state = 'finished', next_at = NULL WHERE id = ${taskId}::int`.execute(
    app.db,
  )
}

describe('the file of a package', () => {
  test('is replaced only by somebody who reaches as far as its creator and its supplier do', async () => {
    const { board, narrow, stranger } = await world()
    const made = await makePackage(admin, board)
    for (const { token } of [narrow, stranger]) {
      const refused = { status: 403, refusal: 'packageReachesBeyond' }
      const { early, late } = await replaceFile(token, made, 1)
      expect(early).toMatchObject(refused)
      expect(late).toMatchObject(refused)
    }
    expect(await rowOf(made.id)).toMatchObject({
      sha256: made.upload.sha256,
      uploadBy: 'admin',
      isAutoUpgrade: false,
    })
    // Who replaces the file of somebody narrower is its supplier from then on, and the narrower user's turn is over.
    const own = await makePackage(narrow.token, board, '2.0')
    expect((await replaceFile(admin, own)).late).toMatchObject({ code: 200 })
    expect(await rowOf(own.id)).toMatchObject({ createBy: narrow.loginName, uploadBy: 'admin' })
    expect((await replaceFile(narrow.token, own)).late).toMatchObject({ status: 403 })
  })

  test('of a deleted creator is replaced by who reaches as far as that creator did; of an unknown one by SYSTEM', async () => {
    const { board, narrow } = await world()
    const leaver = await userOf(narrow.organizationId)
    const made = await makePackage(leaver.token, board)
    await sql`DELETE FROM user_session WHERE user_id = ${leaver.id}`.execute(app.db)
    await sql`DELETE FROM user_role WHERE user_id = ${leaver.id}`.execute(app.db)
    await sql`DELETE FROM app_user WHERE id = ${leaver.id}`.execute(app.db)
    expect((await replaceFile(narrow.token, made)).late).toMatchObject({ code: 200 })
    await sql`UPDATE software_package SET created_reach = NULL WHERE id = ${made.id}::int`.execute(app.db)
    expect((await replaceFile(narrow.token, made)).early).toMatchObject({ status: 403 })
    expect((await replaceFile(admin, made)).late).toMatchObject({ code: 200 })
  })
})

test('a narrower user switches a wider user’s automatic upgrade on for the own devices alone, and not off', async () => {
  const { board, own, other, narrow, stranger } = await world()
  const made = await makePackage(admin, board)
  const edit = (isAutoUpgrade: 0 | 1) => ({ ...formOf(made.upload, isAutoUpgrade), id: made.id })
  expect(await app.call(updateFirmware, edit(1), stranger.token)).toMatchObject({ code: 200 })
  await runJob()
  expect(await tasksOf(own)).toEqual([])
  expect(await app.call(updateFirmware, edit(0), stranger.token)).toMatchObject({ code: 200 })
  expect(await app.call(updateFirmware, edit(1), narrow.token)).toMatchObject({ code: 200 })
  expect(await rowOf(made.id)).toMatchObject({ autoUpgradeBy: narrow.loginName, uploadBy: 'admin' })
  await runJob()
  const [task] = await tasksOf(own)
  expect(task).toMatchObject({
    createBy: narrow.loginName,
    remark: `固件由 admin 上传，${narrow.loginName} 开启自动升级`,
  })
  await taskBecomes(app, admin, task?.id as string, { state: 'running', counts: { sent: 1 } })
  expect(await resultsOf(task?.id as string)).toEqual({ [codeOf(own)]: ['sent', null] })
  const { data: steps } = await app.call(listUpgradeTransitions, { taskId: task?.id as string }, admin)
  expect(steps.map(({ cause }) => cause).join()).toContain(`${narrow.loginName} 开启自动升级`)
  const { data: log } = await app.call(
    listOperations,
    { loginName: narrow.loginName, keyword: '升级任务' },
    admin,
  )
  expect(log).toContainEqual(expect.objectContaining({ summary: '自动升级' }))
  // Off and on again by a wider user: the last one's decision.
  expect(await app.call(updateFirmware, edit(0), admin)).toMatchObject({ code: 200 })
  expect(await app.call(updateFirmware, edit(1), admin)).toMatchObject({ code: 200 })
  expect(await app.call(updateFirmware, edit(0), narrow.token)).toMatchObject({ status: 403 })
  expect(await app.call(deleteFirmware, { id: made.id }, narrow.token)).toMatchObject({ status: 403 })
  await finish(task?.id as string, 'failed')
  await runJob()
  const [second] = await tasksOf(own)
  await taskBecomes(app, admin, second?.id as string, { state: 'running' })
  expect(Object.keys(await resultsOf(second?.id as string))).toEqual([codeOf(other)])
})

test('a newer automatic package of somebody who does not reach a device does not keep the older one from it', async () => {
  const { board, own, other, narrow } = await world()
  await makePackage(admin, board, '1.4', 1)
  await makePackage(narrow.token, board, '99.0', 1)
  await runJob()
  const tasks = await tasksOf(own)
  for (const { id } of tasks) await taskBecomes(app, admin, id, { state: 'running' })
  const reached = await Promise.all(
    tasks.map(async ({ id, version }) => [version, Object.keys(await resultsOf(id))]),
  )
  expect(Object.fromEntries(reached)).toEqual({ '99.0': [codeOf(own)], '1.4': [codeOf(other)] })
})

test('an automatic task of a narrower user, paused by that user, does not hold what a wider user switches on', async () => {
  const { board, own, other, narrow } = await world()
  const made = await makePackage(admin, board)
  const edit = (isAutoUpgrade: 0 | 1) => ({ ...formOf(made.upload, isAutoUpgrade), id: made.id })
  expect(await app.call(updateFirmware, edit(1), narrow.token)).toMatchObject({ code: 200 })
  await runJob()
  const [first] = await tasksOf(own)
  await taskBecomes(app, admin, first?.id as string, { state: 'running', counts: { sent: 1 } })
  expect(await app.call(pauseUpgradeTask, { id: first?.id as string }, narrow.token)).toMatchObject({
    code: 200,
  })
  for (const isOn of [0, 1] as const)
    expect(await app.call(updateFirmware, edit(isOn), admin)).toMatchObject({ code: 200 })
  await runJob()
  const [second] = await tasksOf(own)
  expect(second).toMatchObject({ createBy: 'admin' })
  await taskBecomes(app, admin, second?.id as string, { state: 'running', counts: { sent: 1 } })
  expect(Object.keys(await resultsOf(second?.id as string))).toEqual([codeOf(other)])
})

test('what a narrower user tries again of an automatic task that is over does not hold the others', async () => {
  const { board, own, other, narrow } = await world()
  await makePackage(admin, board, '1.4', 1)
  await runJob()
  const [task] = await tasksOf(own)
  const id = task?.id as string
  await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 2 } })
  await sql`
    UPDATE upgrade_target SET state = CASE WHEN device_id = ${own.devices[0]?.id} THEN 'failed' ELSE 'succeeded' END,
      next_at = NULL WHERE task_id = ${id}::int`.execute(app.db)
  await lookNow(app.db)
  await passMinutes(app.db, id, 10_000)
  await taskBecomes(app, admin, id, { state: 'finished' })
  // In the list of the narrower user, as that of a colleague.
  await sql`UPDATE upgrade_task SET organization_id = ${narrow.organizationId} WHERE id = ${id}::int`.execute(
    app.db,
  )
  expect((await app.call(retryUpgradeTask, { id }, narrow.token)).data).toEqual({ count: 1 })
  await taskBecomes(app, admin, id, { state: 'running' })
  const { modelId, operatorId } = other
  const joined = await insertFleet(app.db, 1, { modelId, operatorId })
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${joined.devices[0]?.id}`.execute(
    app.db,
  )
  await runJob()
  const [next] = (await tasksOf(own)).filter((one) => one.id !== id)
  expect(next).toMatchObject({ createBy: 'admin' })
  await taskBecomes(app, admin, next?.id as string, { state: 'running' })
  expect(Object.keys(await resultsOf(next?.id as string))).toEqual([codeOf(joined)])
})

test('what a narrower user tries again in the only stage of an automatic task holds the others no longer than its soak', async () => {
  const { board, own, other, narrow } = await world()
  await makePackage(admin, board, '1.4', 1)
  await runJob()
  const [task] = await tasksOf(own)
  const id = task?.id as string
  await taskBecomes(app, admin, id, { state: 'running', counts: { sent: 2 } })
  await sql`UPDATE upgrade_task SET organization_id = ${narrow.organizationId} WHERE id = ${id}::int`.execute(
    app.db,
  )
  const becomes = (state: string, { devices }: Fleet) =>
    sql`UPDATE upgrade_target SET state = ${state}, next_at = NULL, changed_at = now() - interval '10 minutes'
      WHERE task_id = ${id}::int AND device_id = ${devices[0]?.id}`.execute(app.db)
  await becomes('failed', own)
  expect((await app.call(retryUpgradeTask, { id }, narrow.token)).data).toEqual({ count: 1 })
  const { modelId, operatorId } = other
  const joined = await insertFleet(app.db, 1, { modelId, operatorId })
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${joined.devices[0]?.id}`.execute(
    app.db,
  )
  const offered = async () => {
    await runJob()
    return (await tasksOf(own)).filter((one) => one.id !== id)
  }
  // What is its own is waited for, and watched as long as the stage says.
  expect(await offered()).toEqual([])
  await becomes('succeeded', other)
  await sql`UPDATE upgrade_stage SET soak_minutes = 30 WHERE task_id = ${id}::int`.execute(app.db)
  expect(await offered()).toEqual([])
  await sql`UPDATE upgrade_stage SET soak_minutes = 5 WHERE task_id = ${id}::int`.execute(app.db)
  expect(await taskOf(app, admin, id)).toMatchObject({ state: 'running', stages: [{ state: 'running' }] })
  const [next] = await offered()
  expect(next).toMatchObject({ createBy: 'admin' })
  await taskBecomes(app, admin, next?.id as string, { state: 'running' })
  expect(Object.keys(await resultsOf(next?.id as string))).toEqual([codeOf(joined)])
})

test('a package that the gate has stopped is not offered to others again because it passed at a narrower user’s', async () => {
  const { board, own, narrow } = await world()
  const made = await makePackage(admin, board, '1.4', 1)
  const stop = sql`UPDATE software_package SET gate_failed_at = now() WHERE id = ${made.id}::int`
  /** A task for the device of `own` that the gate lets pass. */
  const pass = async (token: string) => {
    await stop.execute(app.db)
    await reportVersions(app.db, own.devices[0] as Fleet['devices'][0], { [`${master} 0`]: '1.3' })
    const stages = [{ percent: 100, soakMinutes: 10 }]
    const id = await startTask(app, token, own, [{ id: Number(made.id) }], { stages })
    await taskBecomes(app, admin, id, { counts: { sent: 1 } })
    await reportVersions(app.db, own.devices[0] as Fleet['devices'][0], { [`${master} 0`]: '1.4' })
    await lookNow(app.db)
    await taskBecomes(app, admin, id, { stages: [{ state: 'soaking' }] })
    await passMinutes(app.db, id, 11)
    await taskBecomes(app, admin, id, { stages: [{ state: 'passed', gate: { passes: true } }] })
  }
  await pass(narrow.token)
  expect((await rowOf(made.id))?.gateFailedTime).toMatch(/^2/)
  await runJob()
  expect(await tasksOf(own)).toEqual([])
  await pass(admin)
  expect((await rowOf(made.id))?.gateFailedTime).toBeNull()
})

test('who does not see the devices that are watched does not end the wait for them', async () => {
  const { board, own, narrow } = await world()
  const made = await makePackage(narrow.token, board)
  const { organizationId } = narrow
  const elsewhere = String(await insertOperator(app.db, { organizationId }))
  const blind = await app.asUser({
    organizationId,
    functionCodes: upgradeCodes,
    authorities: [['O', elsewhere]],
  })
  await sql`UPDATE software_package SET gate_failed_at = now() WHERE id = ${made.id}::int`.execute(app.db)
  const stages = [{ percent: 100, soakMinutes: 30 }]
  const id = await startTask(app, narrow.token, own, [{ id: Number(made.id) }], { stages })
  await taskBecomes(app, admin, id, { counts: { sent: 1 } })
  await reportVersions(app.db, own.devices[0] as Fleet['devices'][0], { [`${master} 0`]: '1.4' })
  await lookNow(app.db)
  await taskBecomes(app, admin, id, { stages: [{ state: 'soaking' }] })
  // Nothing of the task is open; the gate's verdict would have the package offered to others again.
  expect(await app.call(endUpgradeSoak, { id }, blind.token)).toMatchObject({
    refusal: 'upgradeReachesBeyond',
  })
  expect((await rowOf(made.id))?.gateFailedTime).toMatch(/^2/)
  expect(await app.call(endUpgradeSoak, { id }, narrow.token)).toMatchObject({ code: 200 })
  await taskBecomes(app, admin, id, { stages: [{ state: 'passed' }] })
})

describe('a wider user’s task that a narrower one lets go on does not have the package offered to others:', () => {
  /** The narrower user has it in the list of the own organization, and sees all its devices. */
  const begin = async (stages: { percent: number; soakMinutes: number }[], count = 1) => {
    const { board, own, narrow } = await world()
    const { operatorId, modelId } = own
    const more = await insertFleet(app.db, count - 1, { operatorId, modelId })
    const devices = [...own.devices, ...more.devices]
    for (const { id } of more.devices)
      await sql`UPDATE device_state SET is_online = true WHERE device_id = ${id}`.execute(app.db)
    const made = await makePackage(admin, board, '1.4', 1)
    const id = await startTask(app, admin, own, [{ id: Number(made.id) }], { stages, minSample: 1 })
    await sql`UPDATE upgrade_task SET organization_id = ${narrow.organizationId} WHERE id = ${id}::int`.execute(
      app.db,
    )
    /** The devices to which the package was sent have it. */
    const succeed = async (sent: number) => {
      await taskBecomes(app, admin, id, { counts: { sent } })
      const targets = await targetsOf(app, admin, id)
      const codes = targets.flatMap(({ code, result }) => (result === 'sent' ? [code] : []))
      for (const device of devices.filter(({ code }) => codes.includes(code)))
        await reportVersions(app.db, device, { [`${master} 0`]: '1.4' })
      await lookNow(app.db)
    }
    const stopped = async () => (await rowOf(made.id))?.gateFailedTime
    return { narrow, made, id, succeed, stopped }
  }

  test.each([
    ['the narrower one', /^2/],
    ['its maker', /^null$/],
  ] as const)('by ending the wait for a stage, %s', async (who, expected) => {
    const { narrow, made, id, succeed, stopped } = await begin([{ percent: 100, soakMinutes: 30 }])
    await sql`UPDATE software_package SET gate_failed_at = now() WHERE id = ${made.id}::int`.execute(app.db)
    await succeed(1)
    await taskBecomes(app, admin, id, { stages: [{ state: 'soaking' }] })
    await passMinutes(app.db, id, 11)
    const token = who === 'its maker' ? admin : narrow.token
    expect(await app.call(endUpgradeSoak, { id }, token)).toMatchObject({ code: 200 })
    await taskBecomes(app, admin, id, { stages: [{ state: 'passed', gate: { passes: true } }] })
    expect(String(await stopped())).toMatch(expected)
  })

  test.each([
    ['the narrower one', /^2/],
    ['its maker', /^null$/],
  ] as const)('by letting a stopped stage go on, %s', async (who, expected) => {
    const stages = [
      { percent: 50, soakMinutes: 30 },
      { percent: 100, soakMinutes: 10 },
    ]
    const { narrow, id, succeed, stopped } = await begin(stages, 4)
    await taskBecomes(app, admin, id, { counts: { sent: 2 } })
    const { rows } = await sql<{ device: number }>`
      UPDATE upgrade_target SET state = 'succeeded', next_at = NULL, started_at = now() - interval '20 minutes',
        verified_at = now() - interval '15 minutes'
      WHERE task_id = ${id}::int AND state = 'sent' RETURNING device_id AS device`.execute(app.db)
    for (const { device } of rows) await raiseAlarm(app.db, device, 6)
    await lookNow(app.db)
    await taskBecomes(app, admin, id, { state: 'paused', pause: { reason: 'alarms' } })
    expect(await stopped()).toMatch(/^2/)
    const token = who === 'its maker' ? admin : narrow.token
    expect(await app.call(resumeUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
    await taskBecomes(app, admin, id, { stages: [{ state: 'soaking' }, {}] })
    await passMinutes(app.db, id, 31)
    await succeed(2)
    await taskBecomes(app, admin, id, { stages: [{}, { state: 'soaking' }] })
    await passMinutes(app.db, id, 11)
    await taskBecomes(app, admin, id, { stages: [{}, { state: 'passed', gate: { passes: true } }] })
    expect(String(await stopped())).toMatch(expected)
  })
})

test('before automatic upgrades are switched on, the number of devices within the reach is told', async () => {
  const { board, own, narrow, stranger } = await world()
  const upload = await uploadPackage(app, admin, nameOf(board, '1.4'))
  const count = async (token: string, filePath: string, id?: string) =>
    (await app.call(countFirmwareReach, { filePath, ...(id !== undefined && { id }) }, token)).data.devices
  expect(await count(admin, upload.filePath)).toBe(2)
  const made = await makePackage(narrow.token, board)
  // Of the wider user, too: the package is somebody's who reaches one device alone.
  expect(await count(admin, made.upload.filePath, made.id)).toBe(1)
  expect(await count(stranger.token, made.upload.filePath, made.id)).toBe(0)
  await reportVersions(app.db, own.devices[0] as Fleet['devices'][0], { [`${master} 0`]: '1.4' })
  expect(await count(narrow.token, made.upload.filePath, made.id)).toBe(0)
})

describe('an automatic package stops, and says why,', () => {
  test.each([
    ['was disabled', '已停用', (id: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`],
    [
      'lost the function',
      '已没有所需的权限',
      (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`,
    ],
  ])('when its creator %s; an older one of others goes on', async (_, text, act) => {
    const { board, own, narrow } = await world()
    const made = await makePackage(narrow.token, board, '9.0', 1)
    await makePackage(admin, board, '1.4', 1)
    expect(await rowOf(made.id)).toMatchObject({ autoUpgradeStop: null })
    await act(narrow.id).execute(app.db)
    expect(await rowOf(made.id)).toMatchObject({
      autoUpgradeStop: `自动升级开启人 ${narrow.loginName} ${text}`,
    })
    await runJob()
    expect((await tasksOf(own)).map(({ version }) => version)).toEqual(['1.4'])
  })
})

describe('a planned task', () => {
  test('keeps the bytes that it was made with when the file is replaced', async () => {
    const { board, own, other } = await world()
    const made = await makePackage(admin, board)
    const { data } = await app.call(
      insertUpgradeTask,
      { softwareVersionId: made.id, upgradeTime: '2099-01-01 00:00:00' },
      admin,
    )
    expect((await replaceFile(admin, made)).late).toMatchObject({ code: 200 })
    await sql`UPDATE upgrade_task SET upgrade_at = now(), next_at = now() WHERE id = ${data.id}::int`.execute(
      app.db,
    )
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["upgrade_task 0"]}')`.execute(app.db)
    await taskBecomes(app, admin, data.id, { state: 'running', counts: { sent: 2 } })
    const { sha256: first } = made.upload
    expect(await orderedOf(data.id)).toEqual({ [codeOf(own)]: first, [codeOf(other)]: first })
    // A retry of the ended task, too, brings the first bytes.
    await finish(data.id, 'failed')
    expect(await app.call(retryUpgradeTask, { id: data.id }, admin)).toMatchObject({ data: { count: 2 } })
    await taskBecomes(app, admin, data.id, { state: 'running', counts: { sent: 2 } })
    expect(await orderedOf(data.id)).toEqual({ [codeOf(own)]: first, [codeOf(other)]: first })
    // A new task brings the new ones.
    await finish(data.id, 'failed')
    const again = await app.call(upgradeDevices, { softwareVersionId: made.id, equipId: idOf(own) }, admin)
    await taskBecomes(app, admin, again.data.id, { counts: { sent: 1 } })
    expect(await orderedOf(again.data.id)).toEqual({ [codeOf(own)]: sha256(bytes) })
  })

  test.each([
    ['was disabled', '已停用', (id: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`],
    [
      'lost the function',
      '已没有所需的权限',
      (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`,
    ],
  ])('whose creator %s says so, and ends at its time without reaching a device', async (_, text, act) => {
    const { board, narrow } = await world()
    const made = await makePackage(admin, board)
    const { data } = await app.call(
      insertUpgradeTask,
      { softwareVersionId: made.id, upgradeTime: '2099-01-01 00:00:00' },
      narrow.token,
    )
    await act(narrow.id).execute(app.db)
    const why = `创建人 ${narrow.loginName} ${text}`
    await taskBecomes(app, admin, data.id, { state: 'planned', stopNote: `${why}，到时不会执行` })
    await sql`UPDATE upgrade_task SET upgrade_at = now(), next_at = now() WHERE id = ${data.id}::int`.execute(
      app.db,
    )
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["upgrade_task 0"]}')`.execute(app.db)
    await taskBecomes(app, admin, data.id, { state: 'cancelled', stopNote: `${why}，任务未执行` })
    const { data: steps } = await app.call(listUpgradeTransitions, { taskId: data.id }, admin)
    expect(steps[0]).toMatchObject({ to: 'cancelled', cause: `${why}，任务未执行` })
    expect(await targetsOf(app, admin, data.id)).toEqual([])
  })
})

test('a package of a narrower user reaches that user’s devices alone; the others are left out with the reason', async () => {
  const { board, own, other, narrow, stranger } = await world()
  const made = await makePackage(narrow.token, board)
  const beyond = `超出固件上传人 ${narrow.loginName} 的数据权限`
  const devices = { isAll: 1 }
  const preview = await app.call(previewUpgradeTask, { softwareVersionId: made.id, devices }, admin)
  expect(preview.data).toMatchObject({
    chosen: 2,
    devices: 1,
    parts: [{ skipped: [{ reason: 'outOfReach', note: beyond, devices: 1 }] }],
  })
  const task = await app.call(
    insertUpgradeTask,
    { softwareVersionId: made.id, upgradeTime: now(), devices },
    admin,
  )
  await taskBecomes(app, admin, task.data.id, { state: 'running', counts: { sent: 1 } })
  expect(await resultsOf(task.data.id)).toEqual({
    [codeOf(own)]: ['sent', null],
    [codeOf(other)]: ['skipped', beyond],
  })
  const { data: steps } = await app.call(listUpgradeTransitions, { taskId: task.data.id }, admin)
  expect(steps.map(({ cause }) => cause)).toContain(`任务开始：1 台设备，跳过 1 项，1 项${beyond}`)
  // What would reach none is refused with the reason.
  const foreign = await makePackage(stranger.token, board, '1.5')
  const why = `超出固件上传人 ${stranger.loginName} 的数据权限`
  expect(
    await app.call(insertUpgradeTask, { softwareVersionId: foreign.id, upgradeTime: now(), devices }, admin),
  ).toMatchObject({ status: 400, data: [{ field: 'devices', message: `所选设备均不能升级：${why}` }] })
  expect(
    await app.call(upgradeDevices, { softwareVersionId: foreign.id, equipId: idOf(other) }, admin),
  ).toMatchObject({ status: 400, data: [{ message: why }] })
})

test('an upgrade by board brings the newest release that its people may bring to the device', async () => {
  const { board, own, other, narrow } = await world()
  await makePackage(admin, board, '1.4')
  await makePackage(narrow.token, board, '99.0')
  const { data } = await app.call(
    upgradeDevicesByBoard,
    { pcbCode: board.code, equipIds: [idOf(own), idOf(other)] },
    admin,
  )
  await taskBecomes(app, admin, data.id, { state: 'running', counts: { total: 2 } })
  const versions = (await targetsOf(app, admin, data.id)).map(({ code, version }) => [code, version])
  expect(Object.fromEntries(versions)).toEqual({ [codeOf(own)]: '99.0', [codeOf(other)]: '1.4' })
})

test('a retry does not bring bytes to devices that their supplier does not reach any more', async () => {
  const { board, own, other, narrow } = await world()
  const made = await makePackage(narrow.token, board)
  const { data } = await app.call(upgradeDevices, { softwareVersionId: made.id, equipId: idOf(own) }, admin)
  await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
  await finish(data.id, 'failed')
  await sql`UPDATE device SET operator_id = ${other.operatorId} WHERE id = ${idOf(own)}::int`.execute(app.db)
  expect(await app.call(retryUpgradeTask, { id: data.id }, admin)).toMatchObject({
    status: 409,
    refusal: 'upgradeNothingToRetry',
  })
})

describe('a rollback', () => {
  /** A task with 1.4 that succeeded on both devices, which had 1.3 before. */
  async function upgraded({ board, own, other }: World): Promise<string> {
    const made = await makePackage(admin, board, '1.4')
    const { data } = await app.call(
      upgradeDevices,
      { softwareVersionId: made.id, equipIds: [idOf(own), idOf(other)] },
      admin,
    )
    await taskBecomes(app, admin, data.id, { state: 'running', counts: { sent: 2 } })
    await finish(data.id, 'succeeded')
    for (const device of [...own.devices, ...other.devices])
      await reportVersions(app.db, device, { [`${master} 0`]: '1.4' })
    return data.id
  }

  test('does not bring a package of a narrower user to devices beyond that user', async () => {
    const here = await world()
    const taskId = await upgraded(here)
    await makePackage(here.narrow.token, here.board, '1.3')
    const { data } = await app.call(rollBackUpgradeTask, { id: taskId }, admin)
    await taskBecomes(app, admin, data.id, { state: 'running', counts: { sent: 1 } })
    expect(await resultsOf(data.id)).toEqual({
      [codeOf(here.own)]: ['sent', null],
      [codeOf(here.other)]: ['skipped', `超出固件上传人 ${here.narrow.loginName} 的数据权限`],
    })
  })

  test('brings the bytes with which the device had got that version, whatever the package has now', async () => {
    const here = await world({ [`${master} 0`]: '1.2' })
    const old = await makePackage(admin, here.board, '1.3')
    const first = await app.call(
      upgradeDevices,
      { softwareVersionId: old.id, equipId: idOf(here.own) },
      admin,
    )
    await taskBecomes(app, admin, first.data.id, { counts: { sent: 1 } })
    await finish(first.data.id, 'succeeded')
    for (const device of [...here.own.devices, ...here.other.devices])
      await reportVersions(app.db, device, { [`${master} 0`]: '1.3' })
    const taskId = await upgraded(here)
    expect((await replaceFile(admin, old)).late).toMatchObject({ code: 200 })
    const { data } = await app.call(rollBackUpgradeTask, { id: taskId }, admin)
    await taskBecomes(app, admin, data.id, { state: 'running', counts: { sent: 2 } })
    expect(await orderedOf(data.id)).toEqual({
      [codeOf(here.own)]: old.upload.sha256,
      [codeOf(here.other)]: sha256(bytes),
    })
  })
})

describe('the address of a package’s file', () => {
  const addressFor = async (token: string, id: string) =>
    (await app.call(readFirmwareJson, { versionId: id }, token)).data.url
  const statusOf = async (address: string) => (await fetch(address)).status

  test('made for a user ends when the user is disabled or deleted, or loses the function', async () => {
    const { board, narrow } = await world()
    const { id } = await makePackage(admin, board)
    const acts = [
      (user: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${user}`,
      (user: number) => sql`DELETE FROM user_role WHERE user_id = ${user}`,
      (user: number) => sql`
        WITH ended AS (DELETE FROM user_session WHERE user_id = ${user}),
          roles AS (DELETE FROM user_role WHERE user_id = ${user})
        DELETE FROM app_user WHERE id = ${user}`,
    ]
    for (const act of acts) {
      const user = await userOf(narrow.organizationId, ['firmware:list'])
      const address = await addressFor(user.token, id)
      expect(await statusOf(address)).toBe(200)
      await act(user.id).execute(app.db)
      expect(await statusOf(address)).toBe(403)
    }
  })

  test('ends with the package, and with the file when it is replaced', async () => {
    const { board } = await world()
    const made = await makePackage(admin, board)
    const first = await addressFor(admin, made.id)
    expect((await replaceFile(admin, made)).late).toMatchObject({ code: 200 })
    expect(await statusOf(first)).toBe(403)
    const second = await addressFor(admin, made.id)
    expect(await statusOf(second)).toBe(200)
    expect(await app.call(deleteFirmware, { id: made.id }, admin)).toMatchObject({ code: 200 })
    expect(await statusOf(second)).toBe(403)
  })

  test('in a command stays good after the file was replaced, until the task is over', async () => {
    const { board, own } = await world()
    const made = await makePackage(admin, board)
    const { data } = await app.call(upgradeDevices, { softwareVersionId: made.id, equipId: idOf(own) }, admin)
    await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
    const { rows } = await sql<{ url: string }>`
      SELECT c.body ->> 'url' AS url FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
      WHERE t.task_id = ${data.id}::int`.execute(app.db)
    const address = rows[0]?.url as string
    expect((await replaceFile(admin, made)).late).toMatchObject({ code: 200 })
    expect(await statusOf(address)).toBe(200)
    await finish(data.id, 'succeeded')
    expect(await statusOf(address)).toBe(403)
  })

  test('in a command opens that file alone where the device has a new secret, and ends with the task', async () => {
    const { board, own } = await world()
    const [made, other] = [await makePackage(admin, board), await makePackage(admin, board, '1.5')]
    const { data } = await app.call(upgradeDevices, { softwareVersionId: made.id, equipId: idOf(own) }, admin)
    await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
    const { rows } = await sql<{ url: string; fileId: string; otherId: string }>`
      SELECT c.body ->> 'url' AS url, k.file_id AS "fileId", o.file_id AS "otherId"
      FROM upgrade_target t JOIN device_command c ON c.id = t.command_id JOIN software_package k ON k.id = t.package_id,
        software_package o
      WHERE t.task_id = ${data.id}::int AND o.id = ${other.id}::int`.execute(app.db)
    const { url = '', fileId = '', otherId = '' } = rows[0] ?? {}
    expect(await app.call(renewDeviceSecret, { id: idOf(own) }, admin)).toMatchObject({ code: 200 })
    expect(await statusOf(url)).toBe(200)
    expect(await statusOf(url.replace(fileId, otherId))).toBe(403)
    await finish(data.id, 'succeeded')
    await app.call(deleteFirmware, { id: made.id }, admin)
    expect(await statusOf(url)).toBe(403)
  })

  test('in a command ends with the device, also where another organization registers its code again', async () => {
    const { board, own, other } = await world()
    const made = await makePackage(admin, board)
    const { data } = await app.call(upgradeDevices, { softwareVersionId: made.id, equipId: idOf(own) }, admin)
    await taskBecomes(app, admin, data.id, { counts: { sent: 1 } })
    const { rows } = await sql<{ url: string }>`
      SELECT c.body ->> 'url' AS url FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
      WHERE t.task_id = ${data.id}::int`.execute(app.db)
    const address = rows[0]?.url as string
    expect(await statusOf(address)).toBe(200)
    expect(await app.call(deleteDevice, { id: idOf(own) }, admin)).toMatchObject({ code: 200 })
    expect(await statusOf(address)).toBe(403)
    const { rows: regions } = await sql<{ code: string }>`
      SELECT r.code FROM region r JOIN device d ON d.region_id = r.id WHERE d.id = ${idOf(other)}::int`.execute(
      app.db,
    )
    const again = await app.call(
      insertDevice,
      {
        code: codeOf(own),
        operatorId: String(other.operatorId),
        equipModelId: String(other.modelId),
        regionCode: regions[0]?.code as string,
        businessStatus: 2,
      },
      admin,
    )
    expect(again).toMatchObject({ code: 200 })
    expect(await statusOf(address)).toBe(403)
  })
})
