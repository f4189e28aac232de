import {
  agreeApproval,
  countApprovals,
  insertParameterBatch,
  insertUpgradeTask,
  insertUser,
  listApprovals,
  listParameterBatches,
  listTasks,
  listUpgradeTasks,
  readUpgradeTask,
  refuseApproval,
  resetUserPassword,
  restoreParameterBatch,
  rollBackUpgradeTask,
  updateUpgradeTask,
  updateUser,
  upgradeDevices,
  withdrawApproval,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests, createTestApp } from '../../../test/app.ts'
import { clientOf } from '../../../test/client.ts'
import { insertDevice, insertOperator, insertOrganization, insertRole } from '../../../test/factories.ts'
import { insertFleet, insertPackageFor } from '../../../test/upgrades.ts'
import { createApprovals } from './approvals.service.ts'

const app = await appOfTests({ CONSENT_SAFETY_PARAMETERS: 'true', CONSENT_DEVICES: '2' })
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const codes = ['batchSet:insert', 'batchSet:restore', 'batchSet:list']
const colleague = async (functionCodes: readonly string[] = codes) =>
  app.asUser({ organizationId, functionCodes })

const rule = { upgradeCount: 1, interval: 3 }
/** The id of 过温点, a safety parameter; 仓位满电SOC is none. */
const [heat, charge] = ['02121006', '02121005']
const batch = (devices: readonly string[], id: string | undefined, token: string, value = 60) =>
  app.call(
    insertParameterBatch,
    {
      paramSetRule: rule,
      entitys: [{ id: id as string, value }],
      queryParam: { codes: [...devices] },
    },
    token,
  )
const cabinets = async (count: number, place: { operatorId?: number } = { operatorId }) =>
  Promise.all(Array.from({ length: count }, async () => (await insertDevice(app.db, place)).code))
const rowOf = async (id: string, token = admin) =>
  (await app.call(listApprovals, { ids: [id] }, token)).data[0]
/** How many wait for an advisory lock. */
const lockWaits = async (db: typeof app.db) =>
  (
    await sql`
      SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(db)
  ).rows.length
const batchesOf = async (userName: string) =>
  (await app.call(listParameterBatches, { pageSize: 100 }, admin)).data.filter(
    ({ createBy }) => createBy === userName,
  )

test('an installation that asks for no second person makes everything at once', async () => {
  const plain = await createTestApp()
  try {
    const token = await plain.asAdmin()
    const { code } = await insertDevice(plain.db)
    const { data } = await plain.call(
      insertParameterBatch,
      { paramSetRule: rule, entitys: [{ id: heat as string, value: 60 }], queryParam: { codes: [code] } },
      token,
    )
    expect(data).toEqual({ id: expect.any(String), code: expect.any(String), deviceCount: 1 })
  } finally {
    await plain.close()
  }
})

describe('a batch', () => {
  test('of a safety parameter is made when a second person has agreed, in the name of who asked', async () => {
    const [asker, second] = [await colleague(), await colleague()]
    const [code = ''] = await cabinets(1)
    const { data } = await batch([code], heat, asker.token)
    expect(data).toEqual({ approvalId: expect.any(String), code: '', deviceCount: 1 })
    const id = data.approvalId as string
    expect(await batchesOf(asker.loginName)).toEqual([])
    expect((await app.call(listTasks, {}, asker.token)).data.tasks).toMatchObject([
      { kind: 'approval', id, subject: '批量设置（1 台）', state: 'paused' },
    ])
    expect(await rowOf(id, second.token)).toMatchObject({
      kind: 'parameterBatch',
      causes: ['safety'],
      details: [{ name: '过温点', value: '60℃' }],
      deviceCount: 1,
      mayDecide: true,
    })
    const agreed = await app.call(agreeApproval, { id }, second.token)
    expect(agreed).toMatchObject({ code: 200 })
    expect(await batchesOf(asker.loginName)).toMatchObject([
      { id: agreed.data.resultId, state: 'running', counts: { total: 1 } },
    ])
  })

  test('of another parameter waits where it is for more devices than the installation allows', async () => {
    const asker = await colleague()
    expect((await batch(await cabinets(2), charge, asker.token)).data).toMatchObject({
      id: expect.any(String),
    })
    const { data } = await batch(await cabinets(3), charge, asker.token)
    expect(data).toEqual({ approvalId: expect.any(String), code: '', deviceCount: 3 })
    expect((await rowOf(data.approvalId as string))?.causes).toEqual(['many'])
  })

  test('that was refused does nothing, and says who refused it and why', async () => {
    const [asker, second] = [await colleague(), await colleague()]
    const { data } = await batch(await cabinets(1), heat, asker.token)
    const id = data.approvalId as string
    await app.call(refuseApproval, { id, note: '离线，已派人' }, second.token)
    expect(await batchesOf(asker.loginName)).toEqual([])
    expect((await app.call(listTasks, {}, asker.token)).data.tasks).toMatchObject([
      { state: 'failed', reason: `${second.loginName} 拒绝：离线，已派人` },
    ])
    expect(await app.call(agreeApproval, { id }, admin)).toMatchObject({ refusal: 'approvalOver' })
    const inEnglish = clientOf(app.url, { cookie: 'voltkeep_language=en' })
    expect((await inEnglish.call(listApprovals, { ids: [id] }, admin)).data[0]?.note).toBe('离线，已派人')
  })

  test('is decided by who sees all of its devices alone', async () => {
    const elsewhere = await insertOrganization(app.db, { parentId: organizationId })
    const inner = await insertOperator(app.db, { organizationId: elsewhere })
    const asker = await colleague()
    const [own = '', other = ''] = [...(await cabinets(1)), ...(await cabinets(1, { operatorId: inner }))]
    const { data } = await batch([own, other], heat, asker.token)
    const id = data.approvalId as string
    const narrowed = await app.asUser({
      organizationId,
      functionCodes: codes,
      authorities: [['O', String(operatorId)]],
    })
    expect(await rowOf(id, narrowed.token)).toMatchObject({ mayDecide: false })
    for (const answer of [
      await app.call(agreeApproval, { id }, narrowed.token),
      await app.call(refuseApproval, { id, note: '不' }, narrowed.token),
    ])
      expect(answer).toMatchObject({ status: 403, refusal: 'approvalReachesBeyond' })
    // A user of the organization below does not even know of it.
    const below = await app.asUser({ organizationId: elsewhere, functionCodes: codes })
    expect(await rowOf(id, below.token)).toBeUndefined()
    expect(await app.call(agreeApproval, { id }, (await colleague()).token)).toMatchObject({ code: 200 })
  })

  test('that would reach many more devices by now is not what was agreed to', async () => {
    const asker = await colleague()
    const region = { filters: { operatorId: String(operatorId) } }
    const ask = await app.call(
      insertParameterBatch,
      { paramSetRule: rule, entitys: [{ id: heat as string, value: 55 }], queryParam: region },
      asker.token,
    )
    const { approvalId: id = '', deviceCount } = ask.data
    await cabinets(Math.ceil(deviceCount * 0.2) + 1)
    expect(await app.call(agreeApproval, { id }, (await colleague()).token)).toMatchObject({
      status: 409,
      refusal: 'approvalGrown',
    })
    expect((await rowOf(id))?.state).toBe('waiting')
    expect(await batchesOf(asker.loginName)).toEqual([])
  })

  test('reaches no device of the organization that who asked went to meanwhile', async () => {
    const asker = await colleague()
    await cabinets(1)
    const ask = await app.call(
      insertParameterBatch,
      { paramSetRule: rule, entitys: [{ id: heat as string, value: 55 }], queryParam: { isAll: 1 } },
      asker.token,
    )
    const { approvalId: id = '' } = ask.data
    const other = await insertOrganization(app.db)
    await cabinets(1, { operatorId: await insertOperator(app.db, { organizationId: other }) })
    await sql`UPDATE app_user SET organization_id = ${other} WHERE login_name = ${asker.loginName}`.execute(
      app.db,
    )
    expect(await rowOf(id)).toMatchObject({ mayDecide: false })
    expect(await app.call(agreeApproval, { id }, admin)).toMatchObject({
      status: 409,
      refusal: 'approvalVoid',
    })
    expect(await rowOf(id)).toMatchObject({ state: 'void' })
    expect(await batchesOf(asker.loginName)).toEqual([])
  })

  test('whose devices are let go by other batches while it waits for its turn is not made without a second person', async () => {
    const devices = await cabinets(4)
    const { data: first } = await batch(devices, charge, (await colleague()).token, 80)
    await app.call(agreeApproval, { id: first.approvalId as string }, (await colleague()).token)
    const asker = await colleague()
    let answer: ReturnType<typeof batch> | undefined
    await app.db.transaction().execute(async (trx) => {
      await sql`SELECT pg_advisory_xact_lock(hashtext('parameter_target_plan'))`.execute(trx)
      // All of them are busy: as things stand it would set none.
      answer = batch(devices, charge, asker.token, 90)
      await expect.poll(() => lockWaits(app.db), { timeout: 20_000, interval: 20 }).toBe(1)
      await sql`
        UPDATE parameter_target SET state = 'succeeded', next_at = NULL
        WHERE device_id IN (SELECT id FROM device WHERE code = ANY(${devices}))`.execute(trx)
    })
    expect(await answer).toMatchObject({ status: 409, refusal: 'conflict' })
    expect(await batchesOf(asker.loginName)).toEqual([])
    expect((await batch(devices, charge, asker.token, 90)).data).toMatchObject({ deviceCount: 4 })
  })

  test('that restores safety parameters waits, too', async () => {
    const [asker, second] = [await colleague(), await colleague()]
    const [code = ''] = await cabinets(1)
    await sql`
      INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
      SELECT id, ${heat}, '70', now() - interval '1 hour' FROM device WHERE code = ${code}`.execute(app.db)
    const { approvalId = '' } = (await batch([code], heat, asker.token)).data
    const origin = (await app.call(agreeApproval, { id: approvalId }, second.token)).data.resultId
    await sql`UPDATE device_parameter SET value = '60' WHERE parameter_id = ${heat}`.execute(app.db)
    await sql`UPDATE parameter_target SET state = 'succeeded', next_at = NULL WHERE batch_id = ${origin}`.execute(
      app.db,
    )
    const { data } = await app.call(restoreParameterBatch, { id: origin }, asker.token)
    expect(data).toMatchObject({ approvalId: expect.any(String), deviceCount: 1 })
    expect(await rowOf(data.approvalId as string)).toMatchObject({
      details: [{ name: '过温点', value: '原值' }],
    })
    expect(await app.call(agreeApproval, { id: data.approvalId as string }, second.token)).toMatchObject({
      code: 200,
    })
    expect(await batchesOf(asker.loginName)).toHaveLength(2)
  })
})

describe('an upgrade', () => {
  const upgradeCodes = [
    'upgrade:insert',
    'upgrade:update',
    'upgrade:device',
    'upgrade:control',
    'upgrade:list',
  ]
  const later = '2099-06-01 03:00:00'
  const world = async (count: number) => {
    const fleet = await insertFleet(app.db, count, { organizationId })
    const image = await insertPackageFor(app.db, fleet)
    return { fleet, image, asker: await colleague(upgradeCodes), second: await colleague(upgradeCodes) }
  }
  const tasksOf = async (token: string) =>
    (await app.call(listUpgradeTasks, { type: 'ALL', pageSize: 100 }, token)).data

  test('of many devices is planned when a second person has agreed, and changed likewise', async () => {
    const { image, asker, second } = await world(3)
    const form = { softwareVersionId: String(image.id), upgradeTime: later }
    const { data } = await app.call(insertUpgradeTask, form, asker.token)
    expect(data).toEqual({ approvalId: expect.any(String) })
    expect((await tasksOf(asker.token)).filter(({ createBy }) => createBy === asker.loginName)).toEqual([])
    const agreed = await app.call(agreeApproval, { id: data.approvalId as string }, second.token)
    const id = agreed.data.resultId
    expect((await app.call(readUpgradeTask, { id }, asker.token)).data).toMatchObject({
      createBy: asker.loginName,
      remark: null,
    })

    const changed = await app.call(updateUpgradeTask, { id, ...form, remark: '改期' }, asker.token)
    expect(changed.data).toEqual({ approvalId: expect.any(String) })
    const taskNow = async () => (await app.call(readUpgradeTask, { id }, asker.token)).data
    expect((await taskNow()).remark).toBeNull()
    await app.call(agreeApproval, { id: changed.data.approvalId as string }, second.token)
    expect((await taskNow()).remark).toBe('改期')
  })

  test('of few devices begins at once, and of many when a second person has agreed', async () => {
    const { fleet, image, asker, second } = await world(4)
    const now = (devices: readonly { id: number }[]) =>
      app.call(
        upgradeDevices,
        { equipIds: devices.map(({ id }) => String(id)), softwareVersionId: String(image.id) },
        asker.token,
      )
    expect((await now(fleet.devices.slice(0, 1))).data).toEqual({ id: expect.any(String) })
    const { data } = await now(fleet.devices.slice(1))
    expect(data).toEqual({ approvalId: expect.any(String) })
    const row = await rowOf(data.approvalId as string, second.token)
    expect(row).toMatchObject({
      kind: 'upgrade',
      causes: ['many'],
      deviceCount: 3,
      subject: '升级设备（3 台）',
    })
    const agreed = await app.call(agreeApproval, { id: data.approvalId as string }, second.token)
    expect((await app.call(readUpgradeTask, { id: agreed.data.resultId }, asker.token)).data).toMatchObject({
      type: 'SINGLE',
    })
  })

  test('brings no other bytes than those that were agreed to', async () => {
    const { fleet, image, asker, second } = await world(3)
    const another = await insertPackageFor(app.db, fleet, { board: image.board, version: '9.9' })
    const form = { equipIds: fleet.devices.map(({ id }) => String(id)), softwareVersionId: String(image.id) }
    const id = (await app.call(upgradeDevices, form, asker.token)).data.approvalId as string
    await sql`
      UPDATE software_package SET file_id = (SELECT file_id FROM software_package WHERE id = ${another.id})
      WHERE id = ${image.id}`.execute(app.db)
    expect(await app.call(agreeApproval, { id }, second.token)).toMatchObject({
      status: 409,
      refusal: 'conflict',
      message: '软件文件已有变化，请申请人重新提交',
    })
    expect((await tasksOf(asker.token)).filter(({ createBy }) => createBy === asker.loginName)).toEqual([])
  })

  test('that is changed brings the bytes that it was made with, and the second person is told of these', async () => {
    const { fleet, image, asker, second } = await world(3)
    const form = { softwareVersionId: String(image.id), upgradeTime: later }
    const made = await app.call(insertUpgradeTask, form, asker.token)
    const { resultId: id } = (
      await app.call(agreeApproval, { id: made.data.approvalId as string }, second.token)
    ).data
    const another = await insertPackageFor(app.db, fleet, { board: image.board, version: '9.8' })
    const nameOf = async (packageId: number) =>
      (
        await app.db
          .selectFrom('software_package')
          .select('file_name')
          .where('id', '=', packageId)
          .executeTakeFirstOrThrow()
      ).file_name
    const former = await nameOf(image.id)
    const replace = sql`
      UPDATE software_package k SET file_id = o.file_id, file_name = o.file_name FROM software_package o
      WHERE k.id = ${image.id} AND o.id = ${another.id}`
    await replace.execute(app.db)
    const change = (remark: string, packageId = image.id) =>
      app.call(
        updateUpgradeTask,
        { id, upgradeTime: later, softwareVersionId: String(packageId), remark },
        asker.token,
      )
    const { approvalId = '' } = (await change('改期')).data
    expect((await rowOf(approvalId))?.details).toEqual([{ name: '软件文件', value: former }])
    expect(await app.call(agreeApproval, { id: approvalId }, second.token)).toMatchObject({ code: 200 })
    // Another choice of packages takes their present files.
    const chosen = (await change('换包', another.id)).data.approvalId as string
    expect((await rowOf(chosen))?.details).toEqual([{ name: '软件文件', value: await nameOf(another.id) }])
  })

  test('whose change waits is not another task by the time that somebody agrees', async () => {
    const { fleet, image, asker, second } = await world(6)
    const codes = fleet.devices.map(({ code }) => code)
    const form = { softwareVersionId: String(image.id), upgradeTime: later }
    const few = { ...form, devices: { codes: codes.slice(0, 2) } }
    const { id } = (await app.call(insertUpgradeTask, few, asker.token)).data
    const [shown, others] = [{ codes: codes.slice(0, 3) }, { codes: codes.slice(3) }]
    const wide = await app.call(updateUpgradeTask, { id, ...form, devices: shown }, asker.token)
    await app.call(agreeApproval, { id: wide.data.approvalId as string }, second.token)
    // Neither devices nor the version of the row: the change is of the task as it is.
    const asked = await app.call(updateUpgradeTask, { id, ...form, remark: '改期' }, asker.token)
    const approvalId = asked.data.approvalId as string
    expect(await rowOf(approvalId, second.token)).toMatchObject({ deviceCount: 3 })

    // Other devices, which have this version already: nobody has to agree.
    const [{ version }] = (
      await sql<{ version: string }>`
        SELECT version FROM device_version WHERE device_id = ${fleet.devices[5]?.id ?? 0} LIMIT 1`.execute(
        app.db,
      )
    ).rows as [{ version: string }]
    const present = await insertPackageFor(app.db, fleet, { board: image.board, version })
    const swap = { ...form, softwareVersionId: String(present.id), devices: others }
    expect((await app.call(updateUpgradeTask, { id, ...swap }, asker.token)).data).toEqual({})
    expect(await app.call(agreeApproval, { id: approvalId }, second.token)).toMatchObject({
      refusal: 'conflict',
    })
    expect((await app.call(readUpgradeTask, { id }, asker.token)).data).toMatchObject({
      softwareVersionId: String(present.id),
      approvedBy: null,
    })
  })

  test('of devices that another task upgrades at present counts them: it may be over by then', async () => {
    const { fleet, image, asker } = await world(3)
    const other = await insertPackageFor(app.db, fleet, { board: image.board, version: '1.9' })
    const busy = await app.call(
      insertUpgradeTask,
      { softwareVersionId: String(other.id), upgradeTime: later },
      asker.token,
    )
    const { resultId: id } = (
      await app.call(
        agreeApproval,
        { id: busy.data.approvalId as string },
        (
          await colleague(upgradeCodes)
        ).token,
      )
    ).data
    await sql`
      INSERT INTO upgrade_target (task_id, device_id, package_id, part_type, state, from_versions, position, stage, rank)
      SELECT ${id}::int, d.id, ${other.id}, 'PART_TYPE_EC_MASTER', 'waiting', '{"0": "1.3"}', 1, 1,
        row_number() OVER ()
      FROM device d WHERE d.operator_id = ${fleet.operatorId}`.execute(app.db)
    const { data } = await app.call(
      insertUpgradeTask,
      { softwareVersionId: String(image.id), upgradeTime: later },
      asker.token,
    )
    expect(data).toEqual({ approvalId: expect.any(String) })
    expect(await rowOf(data.approvalId as string)).toMatchObject({ deviceCount: 3 })
  })

  test('is taken back with the bytes that the devices had, by who sees where they stand now', async () => {
    const { fleet, image, asker, second } = await world(3)
    const earlier = await insertPackageFor(app.db, fleet, { board: image.board, version: '1.2' })
    const another = await insertPackageFor(app.db, fleet, { board: image.board, version: '9.7' })
    const taskWith = async (packageId: number, former: string) => {
      const form = { softwareVersionId: String(packageId), upgradeTime: later }
      const { approvalId = '' } = (await app.call(insertUpgradeTask, form, asker.token)).data
      const { resultId } = (await app.call(agreeApproval, { id: approvalId }, second.token)).data
      await sql`
        INSERT INTO upgrade_target
          (task_id, device_id, package_id, part_type, state, from_versions, position, stage, rank, verified_at)
        SELECT ${resultId}::int, d.id, ${packageId}, 'PART_TYPE_EC_MASTER', 'succeeded',
          jsonb_build_object('0', ${former}::text), 1, 1, row_number() OVER (), now()
        FROM device d WHERE d.operator_id = ${fleet.operatorId}`.execute(app.db)
      return resultId
    }
    await taskWith(earlier.id, '1.1')
    const id = await taskWith(image.id, '1.2')
    const { file_name: had } = await app.db
      .selectFrom('software_package')
      .select('file_name')
      .where('id', '=', earlier.id)
      .executeTakeFirstOrThrow()
    await sql`
      UPDATE software_package k SET file_id = o.file_id, file_name = o.file_name FROM software_package o
      WHERE k.id = ${earlier.id} AND o.id = ${another.id}`.execute(app.db)
    await sql`UPDATE upgrade_task SET state = 'finished', next_at = NULL WHERE id = ${id}::int`.execute(
      app.db,
    )
    const { approvalId = '' } = (await app.call(rollBackUpgradeTask, { id }, asker.token)).data
    expect((await rowOf(approvalId))?.details).toEqual([{ name: '软件文件', value: had }])
    // A device has moved since the task's devices were counted.
    const below = await insertOrganization(app.db, { parentId: organizationId })
    const elsewhere = await insertOperator(app.db, { organizationId: below })
    const [moved] = fleet.devices
    const narrowed = await app.asUser({
      organizationId,
      functionCodes: upgradeCodes,
      authorities: [['O', String(fleet.operatorId)]],
    })
    expect(await rowOf(approvalId, narrowed.token)).toMatchObject({ mayDecide: true })
    await sql`UPDATE device SET operator_id = ${elsewhere} WHERE id = ${moved?.id}`.execute(app.db)
    expect(await rowOf(approvalId, narrowed.token)).toMatchObject({ mayDecide: false })
    expect(await app.call(agreeApproval, { id: approvalId }, narrowed.token)).toMatchObject({
      refusal: 'approvalReachesBeyond',
    })
    expect(await app.call(agreeApproval, { id: approvalId }, second.token)).toMatchObject({ code: 200 })
  })

  test('is taken back on many devices only with a second person', async () => {
    const { fleet, image, asker, second } = await world(3)
    await insertPackageFor(app.db, fleet, { board: image.board, version: '1.2' })
    const { data } = await app.call(
      insertUpgradeTask,
      { softwareVersionId: String(image.id), upgradeTime: later },
      asker.token,
    )
    const { resultId: id } = (await app.call(agreeApproval, { id: data.approvalId as string }, second.token))
      .data
    await sql`
      INSERT INTO upgrade_target (task_id, device_id, package_id, part_type, state, from_versions, position, stage, rank)
      SELECT ${id}::int, d.id, ${image.id}, 'PART_TYPE_EC_MASTER', 'succeeded', '{"0": "1.2"}', 1, 1,
        row_number() OVER ()
      FROM device d WHERE d.operator_id = ${fleet.operatorId}`.execute(app.db)
    const back = await app.call(rollBackUpgradeTask, { id }, asker.token)
    expect([back.status, back.refusal ?? Object.keys(back.data)]).toEqual([200, ['approvalId']])
  })
})

describe('what waits', () => {
  /** Approvals that this user has asked for, as if by calls. */
  const waits = (userId: number, name: string, organization: number, count: number) =>
    sql`
      INSERT INTO approval (kind, function_code, payload, subject, details, causes, device_count, organization_id, asked_in,
        created_by, created_by_name, address, expires_at, next_at)
      SELECT 'parameterBatch', 'batchSet:insert', '{}', 'x', '[]', '{}', 1, ${organization}::int, ${organization}::int,
        ${userId}, ${name}, '', now() + interval '1 hour', now() + interval '1 hour'
      FROM generate_series(1, ${count})`.execute(app.db)
  const own = async () => {
    const organization = await insertOrganization(app.db)
    const place = { operatorId: await insertOperator(app.db, { organizationId: organization }) }
    const user = () => app.asUser({ organizationId: organization, functionCodes: codes })
    return { organization, place, user }
  }

  test('of one person is so much and no more, until something of it is decided or taken back', async () => {
    const { organization, place, user } = await own()
    const [asker, other] = [await user(), await user()]
    await waits(asker.id, asker.loginName, organization, 49)
    const devices = await cabinets(1, place)
    const last = await batch(devices, heat, asker.token)
    expect(last.data).toMatchObject({ approvalId: expect.any(String) })
    expect(await batch(devices, heat, asker.token, 61)).toMatchObject({
      status: 409,
      refusal: 'approvalTooMany',
    })
    expect((await batch(devices, heat, other.token)).code).toBe(200)
    await app.call(withdrawApproval, { id: last.data.approvalId as string }, asker.token)
    expect((await batch(devices, heat, asker.token, 61)).code).toBe(200)
  })

  test('of an organization is so much and no more; what is held is asked for later', async () => {
    const { organization, place, user } = await own()
    for (let n = 0; n < 5; n += 1) {
      const { id, loginName } = await user()
      await waits(id, loginName, organization, 40)
    }
    const asker = await user()
    expect(await batch(await cabinets(1, place), heat, asker.token)).toMatchObject({
      refusal: 'approvalTooMany',
    })
    const approvals = createApprovals({ db: app.db, config: app.config, tellChanged: () => {} })
    const { id: userId, loginName } = asker
    const client = { address: '', userAgent: null, requestId: '', call: 'x', summary: 'x' }
    const asking = { userId, loginName, organizationId: organization, isSystem: false, client }
    const deed = {
      kind: 'upgrade',
      functionCode: 'upgrade:insert',
      payload: {},
      sameAs: 'held 1',
      subject: 'x',
      details: [],
      causes: [],
      deviceCount: 1,
    } as const
    const asked = () => app.db.transaction().execute((trx) => approvals.askInTime(trx, asking, deed))
    expect(await asked()).toBeNull()
    await sql`DELETE FROM approval WHERE organization_id = ${organization}`.execute(app.db)
    const id = await asked()
    expect(id).toEqual(expect.any(String))
    expect(await asked()).toBe(id)
  })

  test('is counted for who may decide, whatever many that user has asked for since', async () => {
    const { organization, place, user } = await own()
    const [asker, reader] = [await user(), await user()]
    expect((await batch(await cabinets(1, place), heat, asker.token)).code).toBe(200)
    await waits(reader.id, reader.loginName, organization, 200)
    expect((await app.call(countApprovals, {}, reader.token)).data).toEqual({ count: 1 })
  })
})

describe('the second person', () => {
  const managing = [...codes, 'user:list', 'user:insert', 'user:update', 'user:password']
  let numbers = 0
  /** An account that this user makes, signed in as. */
  const madeBy = async (token: string, functionCodes: readonly string[] = codes) => {
    numbers += 1
    const loginName = `second${numbers}`
    const password = 'Abc-12345'
    const roleId = await insertRole(app.db, { functionCodes })
    const made = await app.call(
      insertUser,
      {
        ...{ loginName, password, userName: '新同事', phone: '13800138000', type: '1' },
        roleIds: [String(roleId)],
        organizationId: String(organizationId),
      },
      token,
    )
    expect(made).toMatchObject({ code: 200 })
    return { id: Number(made.data.id), loginName, token: await app.signIn(loginName, password), roleId }
  }
  const asked = async (token: string) =>
    (await batch(await cabinets(1), heat, token)).data.approvalId as string
  const agree = async (id: string, token: string) => {
    const { mayDecide } = (await rowOf(id, token)) ?? {}
    const { code, refusal } = await app.call(agreeApproval, { id }, token)
    return { mayDecide, outcome: refusal ?? code }
  }
  const onePerson = { mayDecide: false, outcome: 'approvalOnePerson' }
  const another = { mayDecide: true, outcome: 200 }
  const age = (days: number) =>
    sql`UPDATE user_set_by SET at = now() - ${days} * interval '1 day'`.execute(app.db)

  test('is not an account that who asks has made, nor who has made that of who asks, for thirty days', async () => {
    const asker = await colleague(managing)
    const other = await madeBy(asker.token)
    const id = await asked(asker.token)
    expect(await agree(id, other.token)).toEqual(onePerson)
    expect(await app.call(refuseApproval, { id, note: '不' }, other.token)).toMatchObject({
      status: 403,
      refusal: 'approvalOnePerson',
    })
    expect(await rowOf(id)).toMatchObject({ state: 'waiting' })
    expect(await agree(await asked(other.token), asker.token)).toEqual(onePerson)
    await age(29)
    expect(await agree(id, other.token)).toEqual(onePerson)
    expect(await agree(await asked(asker.token), (await colleague()).token)).toEqual(another)
    await age(31)
    expect(await agree(id, other.token)).toEqual(another)
  })

  test('is not an account whose password or roles who asks has set', async () => {
    const asker = await colleague(managing)
    const [reset, granted] = [await colleague(), await colleague()]
    const answer = await app.call(resetUserPassword, { id: String(reset.id) }, asker.token)
    expect(answer).toMatchObject({ code: 200 })
    await sql`UPDATE app_user SET must_change_password = false WHERE id = ${reset.id}`.execute(app.db)
    const own = await app.signIn(reset.loginName, answer.data.password)
    expect(await agree(await asked(asker.token), own)).toEqual(onePerson)

    const form = async (roleIds: string[]) => ({
      ...{ id: String(granted.id), userName: '同事', phone: '13800138000', type: '1', roleIds },
      version: (
        await sql<{ version: number }>`SELECT version FROM app_user WHERE id = ${granted.id}`.execute(app.db)
      ).rows[0]?.version as number,
    })
    const roles = (
      await sql<{
        id: string
      }>`SELECT role_id::text AS id FROM user_role WHERE user_id = ${granted.id}`.execute(app.db)
    ).rows.map(({ id }) => id)
    expect(await app.call(updateUser, await form(roles), asker.token)).toMatchObject({ code: 200 })
    expect(await agree(await asked(asker.token), granted.token)).toEqual(another)
    const more = await insertRole(app.db, { functionCodes: codes })
    expect(await app.call(updateUser, await form([...roles, String(more)]), asker.token)).toMatchObject({
      code: 200,
    })
    expect(await agree(await asked(asker.token), granted.token)).toEqual(onePerson)
  })

  test('is not another account of a third one that has made both, nor one that was made through it', async () => {
    const maker = await colleague(managing)
    const [one, two] = [await madeBy(maker.token), await madeBy(maker.token, managing)]
    expect(await agree(await asked(one.token), two.token)).toEqual(onePerson)
    const below = await madeBy(two.token)
    expect(await agree(await asked(maker.token), below.token)).toEqual(onePerson)
    expect(await agree(await asked(below.token), one.token)).toEqual(onePerson)
    // Also where the account between them is no more.
    await sql`DELETE FROM app_user WHERE id = ${two.id}`.execute(app.db)
    expect(await agree(await asked(maker.token), below.token)).toEqual(onePerson)
  })

  test('is a colleague whom the same SYSTEM user has made, whatever became of that user, but not that user', async () => {
    const maker = await app.asUser({ roleIds: [1] })
    const [one, two] = [await madeBy(maker.token), await madeBy(maker.token)]
    expect(await agree(await asked(one.token), two.token)).toEqual(another)
    expect(await agree(await asked(one.token), maker.token)).toEqual(onePerson)
    await sql`DELETE FROM user_role WHERE user_id = ${maker.id}`.execute(app.db)
    expect(await agree(await asked(one.token), two.token)).toEqual(another)
    await sql`DELETE FROM app_user WHERE id = ${maker.id}`.execute(app.db)
    expect(await agree(await asked(one.token), two.token)).toEqual(another)
  })
})
