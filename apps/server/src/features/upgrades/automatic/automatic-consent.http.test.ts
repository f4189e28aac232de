import {
  type ApprovalRow,
  agreeApproval,
  countFirmwareReach,
  listApprovals,
  listFirmware,
  listOperations,
  listUpgradeTasks,
  type PackageRow,
  refuseApproval,
  updateFirmware,
  withdrawApproval,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertOperator, insertOrganization, type TestUser } from '../../../../test/factories.ts'
import { remark, uploadPackage } from '../../../../test/packages.ts'
import {
  type Fleet,
  insertFleet,
  insertPackageFor,
  lookNow,
  master,
  moveDevice,
  offerAutomatic,
  taskBecomes,
} from '../../../../test/upgrades.ts'

// Automatic upgrades of more devices than one person decides about are held until a second one agrees.

const app = await appOfTests({ CONSENT_DEVICES: '2' })
const admin = await app.asAdmin()
type User = TestUser & { token: string }

const functionCodes = ['list', 'upload', 'insert', 'update', 'delete'].map((code) => `firmware:${code}`)

/** Devices with an older version that are online, and a package of who switches it on. */
async function world(count: number) {
  const organizationId = await insertOrganization(app.db)
  const fleet = await insertFleet(app.db, count, { organizationId })
  await setOnline(fleet)
  const colleague = (operatorId?: number): Promise<User> =>
    app.asUser({
      organizationId,
      functionCodes,
      authorities: operatorId === undefined ? [] : [['O', String(operatorId)]],
    })
  const [switcher, second] = [await colleague(), await colleague()]
  const image = await insertPackageFor(app.db, fleet, { version: '1.4', by: switcher })
  return { organizationId, fleet, colleague, switcher, second, image, id: String(image.id) }
}
type World = Awaited<ReturnType<typeof world>>

const setOnline = ({ devices }: Fleet) =>
  sql`UPDATE device_state SET is_online = true WHERE device_id = ANY(${devices.map(({ id }) => id)}::int[])`.execute(
    app.db,
  )
async function rowOf(id: string, token = admin): Promise<PackageRow> {
  const [row] = (await app.call(listFirmware, { ids: [id] }, token)).data
  if (!row) throw new Error(`no package ${id}`)
  return row
}
async function switchTo(isAutoUpgrade: 0 | 1, { id }: Pick<World, 'id'>, { token }: User) {
  const { filePath, pcbCode, partType, version } = await rowOf(id)
  const form = { id, filePath, pcbCode, partType, version, remark, isAutoUpgrade }
  return app.call(updateFirmware, form, token)
}
const tasksOf = async ({ equipTypeId }: Fleet) =>
  (await app.call(listUpgradeTasks, { type: 'AUTO', equipTypeId: String(equipTypeId) }, admin)).data
const join = async ({ fleet: { operatorId, modelId }, organizationId }: World, count: number) =>
  setOnline(await insertFleet(app.db, count, { operatorId, modelId, organizationId }))
const waitingFor = async ({ token }: User): Promise<ApprovalRow[]> =>
  (await app.call(listApprovals, { states: ['waiting'] }, token)).data
const agree = (id: string, { token }: User) => app.call(agreeApproval, { id }, token)

/** How many statements of the offer wait for the table of devices' states. */
const stateWaits = async (): Promise<number> =>
  (
    await sql`
      SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.relation = 'device_state'::regclass AND NOT l.granted AND a.query LIKE '%software_package k%'`.execute(
      app.db,
    )
  ).rows.length

/** Switched on and agreed to. */
async function agreed(here: World, second = here.second): Promise<void> {
  const { data } = await switchTo(1, here, here.switcher)
  expect(await agree(data.automaticApprovalId ?? '', second)).toMatchObject({ code: 200 })
}

describe('automatic upgrades that are switched on', () => {
  test('reach few devices: they ask nobody', async () => {
    const here = await world(2)
    expect((await switchTo(1, here, here.switcher)).data).toEqual({})
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toHaveLength(1)
  })

  test('reach many: they are held until a second person agrees', async () => {
    const here = await world(3)
    const { fleet, switcher, second, id } = here
    const { filePath } = await rowOf(id)
    expect((await app.call(countFirmwareReach, { id, filePath }, switcher.token)).data).toEqual({
      devices: 3,
      needsConsent: true,
    })
    const { data } = await switchTo(1, here, switcher)
    const approvalId = data.automaticApprovalId ?? ''
    await offerAutomatic(app)
    expect(await tasksOf(fleet)).toEqual([])
    expect(await rowOf(id)).toMatchObject({
      isAutoUpgrade: true,
      isAutoUpgradeHeld: true,
      autoUpgradeStop: `设备数超过须另一人同意的数量，${switcher.loginName} 已申请，待另一人同意`,
      autoUpgradeApprovedBy: null,
    })
    expect(await waitingFor(second)).toMatchObject([
      {
        id: approvalId,
        kind: 'automatic',
        causes: ['many'],
        deviceCount: 3,
        createBy: switcher.loginName,
        mayDecide: true,
      },
    ])
    expect(await agree(approvalId, switcher)).toMatchObject({ status: 403, refusal: 'approvalOwn' })

    expect(await agree(approvalId, second)).toMatchObject({ code: 200, data: { resultId: id } })
    expect(await rowOf(id)).toMatchObject({
      isAutoUpgradeHeld: false,
      autoUpgradeStop: null,
      autoUpgradeBy: switcher.loginName,
      autoUpgradeApprovedBy: second.loginName,
    })
    await offerAutomatic(app)
    const [task] = await tasksOf(fleet)
    expect(task).toMatchObject({ createBy: switcher.loginName, approvedBy: second.loginName })
    await taskBecomes(app, admin, task?.id ?? '', { state: 'running', counts: { total: 3 } })
    const entries = (await app.call(listOperations, { pageSize: 500 }, admin)).data
    expect(
      entries.filter(({ changes }) => changes?.after?.agreedBy === second.loginName).map(({ call }) => call),
    ).toEqual(['upgrades.automatic', '/approval/agree/:id'])
  })

  test('are agreed to by nobody who does not see all of the devices', async () => {
    const here = await world(3)
    const away = await insertOperator(app.db, { organizationId: here.organizationId })
    await moveDevice(app.db, here.fleet.devices[0]?.code ?? '', away)
    const narrow = await here.colleague(here.fleet.operatorId)
    const { data } = await switchTo(1, here, here.switcher)
    expect(await agree(data.automaticApprovalId ?? '', narrow)).toMatchObject({
      status: 403,
      refusal: 'approvalReachesBeyond',
    })
    expect((await waitingFor(narrow)).map(({ mayDecide }) => mayDecide)).toEqual([false])
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toEqual([])
  })

  test('are asked for once: who refuses or takes back ends it until somebody switches on again', async () => {
    const here = await world(3)
    const { switcher, second } = here
    for (const [end, what] of [
      [
        (id: string) => app.call(refuseApproval, { id, note: '再等等' }, second.token),
        `${second.loginName} 已拒绝`,
      ],
      [
        (id: string) => app.call(withdrawApproval, { id }, switcher.token),
        `${switcher.loginName} 已撤回申请`,
      ],
    ] as const) {
      const { data } = await switchTo(1, here, switcher)
      expect(await end(data.automaticApprovalId ?? '')).toMatchObject({ code: 200 })
      await offerAutomatic(app)
      expect(await waitingFor(second)).toEqual([])
      expect((await rowOf(here.id)).autoUpgradeStop).toBe(`设备数超过须另一人同意的数量，${what}`)
      await switchTo(0, here, switcher)
    }
    expect(await tasksOf(here.fleet)).toEqual([])
  })

  test('are asked for again once nobody has answered in time', async () => {
    const here = await world(3)
    const { data } = await switchTo(1, here, here.switcher)
    await sql`
      UPDATE approval SET state = 'expired', decided_at = now(), next_at = NULL
      WHERE id = ${data.automaticApprovalId}`.execute(app.db)
    await offerAutomatic(app)
    await offerAutomatic(app)
    const waiting = await waitingFor(here.second)
    expect(waiting).toHaveLength(1)
    expect(await agree(waiting[0]?.id ?? '', here.second)).toMatchObject({ code: 200 })
  })

  test('and off again wait for nobody', async () => {
    const here = await world(3)
    const { data } = await switchTo(1, here, here.switcher)
    await switchTo(0, here, here.switcher)
    expect(await waitingFor(here.second)).toEqual([])
    expect(await agree(data.automaticApprovalId ?? '', here.second)).toMatchObject({
      status: 409,
      refusal: 'approvalOver',
    })
    expect(await rowOf(here.id)).toMatchObject({ isAutoUpgrade: false, autoUpgradeStop: null })
  })
})

describe('automatic upgrades that were agreed to', () => {
  test('are held again by another file, which its supplier asks for; who switched on may agree', async () => {
    const here = await world(3)
    await agreed(here)
    const supplier = await here.colleague()
    const { board, version } = here.image
    const name = `${board.code}_EC_MASTER_V${version}_R.bin`
    const uploaded = await uploadPackage(app, supplier.token, name, { fields: { type: 'update' } })
    const form = { ...uploaded, id: here.id, remark, isAutoUpgrade: 1 as const }
    const { data } = await app.call(updateFirmware, form, supplier.token)
    expect(await rowOf(here.id)).toMatchObject({ isAutoUpgradeHeld: true, autoUpgradeApprovedBy: null })
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toEqual([])
    expect(await agree(data.automaticApprovalId ?? '', supplier)).toMatchObject({ refusal: 'approvalOwn' })
    expect(await agree(data.automaticApprovalId ?? '', here.switcher)).toMatchObject({ code: 200 })
    expect(await rowOf(here.id)).toMatchObject({
      autoUpgradeBy: supplier.loginName,
      autoUpgradeApprovedBy: here.switcher.loginName,
    })
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toMatchObject([{ createBy: supplier.loginName }])
  })

  test('are held again where they reach many more devices, those counted that they have reached', async () => {
    const here = await world(3)
    await agreed(here)
    await offerAutomatic(app)
    const [task] = await tasksOf(here.fleet)
    await taskBecomes(app, admin, task?.id ?? '', { state: 'running' })
    await sql`UPDATE upgrade_target SET state = 'succeeded', next_at = NULL WHERE task_id = ${task?.id}::int`.execute(
      app.db,
    )
    await sql`
      UPDATE device_version SET version = '1.4'
      WHERE device_id IN (SELECT device_id FROM upgrade_target WHERE task_id = ${task?.id}::int)`.execute(
      app.db,
    )
    await lookNow(app.db)
    await taskBecomes(app, admin, task?.id ?? '', { state: 'finished' })

    // Four are within a tenth more of three; five are not, though only two of them have the old version.
    await join(here, 2)
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toHaveLength(1)
    expect(await rowOf(here.id)).toMatchObject({ isAutoUpgradeHeld: true })
    const [waiting] = await waitingFor(here.second)
    expect(waiting).toMatchObject({ createBy: here.switcher.loginName, deviceCount: 5 })
    expect(await agree(waiting?.id ?? '', here.second)).toMatchObject({ code: 200 })
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toHaveLength(2)
  })

  test('are offered to no more devices than were counted, whatever joins while they are being offered', async () => {
    const here = await world(4)
    const ids = here.fleet.devices.slice(2).map(({ id }) => id)
    const report = (version: string, db = app.db) =>
      sql`UPDATE device_version SET version = ${version} WHERE device_id = ANY(${ids}::int[])`.execute(db)
    await report('1.4')
    expect((await switchTo(1, here, here.switcher)).data).toEqual({})
    const other = await app.db.startTransaction().execute()
    // Whether a device is online is asked for the offer alone.
    await sql`LOCK TABLE device_state IN ACCESS EXCLUSIVE MODE`.execute(other)
    const offering = offerAutomatic(app)
    await expect.poll(stateWaits, { timeout: 10_000 }).toBeGreaterThan(0)
    await report('1.3', other)
    await other.commit().execute()
    await offering
    expect(await tasksOf(here.fleet)).toEqual([])
    expect(await waitingFor(here.second)).toMatchObject([{ deviceCount: 4 }])
  })

  test('grow from few to many: they are held, though nobody was asked before', async () => {
    const here = await world(2)
    await switchTo(1, here, here.switcher)
    await join(here, 1)
    await offerAutomatic(app)
    expect(await tasksOf(here.fleet)).toEqual([])
    expect(await waitingFor(here.second)).toMatchObject([{ deviceCount: 3 }])
    // They shrink again: nobody has to agree any more.
    await sql`
      UPDATE device_version SET version = '1.4' WHERE part_type = ${master} AND device_id = ${here.fleet.devices[0]?.id}`.execute(
      app.db,
    )
    await offerAutomatic(app)
    expect(await waitingFor(here.second)).toEqual([])
    expect(await tasksOf(here.fleet)).toHaveLength(1)
  })

  test('stop, and say so, where who agreed is disabled, has lost the function or is gone; a task under way pauses', async () => {
    const ways = [
      [
        (id: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`.execute(app.db),
        '已停用',
      ],
      [(id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`.execute(app.db), '已没有所需的权限'],
      [remove, '已不存在'],
    ] as const
    for (const [change, why] of ways) {
      const here = await world(3)
      await agreed(here)
      const [first, ...others] = here.fleet.devices
      await setOnline({ ...here.fleet, devices: others })
      await sql`UPDATE device_state SET is_online = false WHERE device_id = ${first?.id}`.execute(app.db)
      await offerAutomatic(app)
      const [task] = await tasksOf(here.fleet)
      await taskBecomes(app, admin, task?.id ?? '', { state: 'running', counts: { total: 2 } })
      await change(here.second.id)
      const what = `同意人 ${here.second.loginName} ${why}`
      expect(await rowOf(here.id)).toMatchObject({ autoUpgradeStop: what, isAutoUpgradeHeld: false })
      await lookNow(app.db)
      await taskBecomes(app, admin, task?.id ?? '', {
        state: 'paused',
        pause: { reason: 'decider', note: `${what}，任务已暂停` },
      })
      await sql`UPDATE upgrade_task SET state = 'cancelled', finished_at = now(), next_at = NULL WHERE id = ${task?.id}::int`.execute(
        app.db,
      )
      await setOnline(here.fleet)
      await offerAutomatic(app)
      expect(await tasksOf(here.fleet)).toHaveLength(1)
    }
  })

  test('bring nothing to devices that have left the scope of who agreed, and the package says so', async () => {
    const here = await world(3)
    const second = await here.colleague(here.fleet.operatorId)
    await agreed(here, second)
    const away = await insertOperator(app.db, { organizationId: here.organizationId })
    await moveDevice(app.db, here.fleet.devices[0]?.code ?? '', away)
    await offerAutomatic(app)
    const [task] = await tasksOf(here.fleet)
    await taskBecomes(app, admin, task?.id ?? '', { state: 'running', counts: { total: 2 } })
    expect(await rowOf(here.id)).toMatchObject({ isAutoNarrowed: true })
  })
})

test('a package that waits keeps no older one from its devices', async () => {
  const here = await world(3)
  const { fleet, switcher, image } = here
  await agreed(here)
  const newer = await insertPackageFor(app.db, fleet, { board: image.board, version: '1.5', by: switcher })
  await switchTo(1, { id: String(newer.id) }, switcher)
  expect(await rowOf(String(newer.id))).toMatchObject({ isAutoUpgradeHeld: true })
  await offerAutomatic(app)
  expect((await tasksOf(fleet)).map(({ version }) => version)).toEqual(['1.4'])
})

test('others read of a package neither how many devices it reaches nor what was said of it', async () => {
  const here = await world(3)
  const { data } = await switchTo(1, here, here.switcher)
  const stranger: User = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
  expect(await agree(data.automaticApprovalId ?? '', stranger)).toMatchObject({ refusal: 'approvalNotFound' })
  expect(await waitingFor(stranger)).toEqual([])
  await app.call(
    refuseApproval,
    { id: data.automaticApprovalId ?? '', note: '三台都在修' },
    here.second.token,
  )
  const read = JSON.stringify(await rowOf(here.id, stranger.token))
  expect(read).not.toMatch(/三台|3 ?台/)
})

async function remove(id: number): Promise<void> {
  await sql`DELETE FROM user_session WHERE user_id = ${id}`.execute(app.db)
  await sql`DELETE FROM app_user WHERE id = ${id}`.execute(app.db)
}
