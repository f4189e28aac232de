// Devices that a plan leaves out are offered no package: the task would end without them, and the next minute make another.
import { countFirmwareReach, listFirmware, listUpgradeTasks, type UpgradeSkip } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import {
  insertModel,
  insertOperator,
  insertOrganization,
  type TestDevice,
} from '../../../../test/factories.ts'
import { insertBoard } from '../../../../test/packages.ts'
import {
  type Fleet,
  insertFleet,
  insertPackageFor,
  master,
  offerAutomatic,
  relay,
  reportVersions,
  targetsOf,
  taskBecomes,
} from '../../../../test/upgrades.ts'
import { everything } from '../../../domain/access/data-scope.ts'
import { readPreview } from '../targets/index.ts'
import { planChoice } from '../tasks/index.ts'

const app = await appOfTests()
const { db } = app
const token = await app.asAdmin()

const tasksOf = async ({ equipTypeId }: Pick<Fleet, 'equipTypeId'>) =>
  (await app.call(listUpgradeTasks, { type: 'AUTO', equipTypeId: String(equipTypeId) }, token)).data
const setOnline = () => sql`UPDATE device_state SET is_online = true`.execute(db)
/** The task is over, and its targets ended like this. */
async function endsAs(id: string, state: string): Promise<void> {
  await sql`UPDATE upgrade_target SET state = ${state}, next_at = NULL, changed_at = now() WHERE task_id = ${id}::int`.execute(
    db,
  )
  await sql`UPDATE upgrade_task SET state = 'finished', next_at = NULL WHERE id = ${id}::int`.execute(db)
}
async function fleetOf(count: number) {
  const fleet = await insertFleet(db, count)
  await setOnline()
  return fleet
}
const [first, second] = [
  ({ devices }: Fleet) => devices[0] as TestDevice,
  ({ devices }: Fleet) => devices[1] as TestDevice,
]

test('a relayed station is offered no package, keeps none from another device, and is not counted', async () => {
  const fleet = await fleetOf(2)
  await relay(db, first(fleet))
  const { id } = await insertPackageFor(db, fleet, { version: '1.4', isAutoUpgrade: true })
  const [row] = (await app.call(listFirmware, { ids: [String(id)] }, token)).data
  const reach = { id: String(id), filePath: row?.filePath ?? '' }
  expect((await app.call(countFirmwareReach, reach, token)).data).toMatchObject({ devices: 1 })

  await offerAutomatic(app)
  const [task] = await tasksOf(fleet)
  await taskBecomes(app, token, task?.id ?? '', { state: 'running', counts: { total: 1 } })
  expect((await targetsOf(app, token, task?.id ?? '')).map(({ code }) => code)).toEqual([second(fleet).code])
  await endsAs(task?.id ?? '', 'failed')
  for (let minute = 0; minute < 3; minute += 1) await offerAutomatic(app)
  expect(await tasksOf(fleet)).toHaveLength(1)
})

test('none is offered to a device that the plan leaves out, for each of its reasons', async () => {
  const { id: organizationId, other } = {
    id: await insertOrganization(db),
    other: await insertOperator(db, { organizationId: await insertOrganization(db) }),
  }
  const fleet = await insertFleet(db, 1, { organizationId, versions: {} })
  const { modelId, operatorId, equipTypeId } = fleet
  const board = await insertBoard(db, { equipTypeId, partType: master, modelIds: [modelId] })
  const by = await app.asUser({ organizationId, functionCodes: ['firmware:insert', 'firmware:update'] })
  const one = async (
    { version = '1.3', hwVersion = 'A', pcbCode = board.code } = {},
    { operator = operatorId, model = modelId } = {},
  ): Promise<TestDevice> => {
    const { devices } = await insertFleet(db, 1, { operatorId: operator, modelId: model, versions: {} })
    const [device] = devices as [TestDevice]
    await reportVersions(db, device, { [`${master} 0`]: version })
    await sql`UPDATE device_version SET hw_version = ${hwVersion}, pcb_code = ${pcbCode}
      WHERE device_id = ${device.id}`.execute(db)
    return device
  }
  const busy = await one()
  const observed = await one()
  await relay(db, observed)
  const left: Record<UpgradeSkip, TestDevice> = {
    noPart: first(fleet),
    wrongModel: await one({}, { model: await insertModel(db, { equipTypeId }) }),
    wrongBoard: await one({ pcbCode: 'OTHER' }),
    wrongHardware: await one({ hwVersion: 'B' }),
    sameVersion: await one({ version: '1.4' }),
    outOfReach: await one({}, { operator: other }),
    observed,
    busy,
  }
  const image = { board, version: '1.4', hwVersion: 'A', isAutoUpgrade: true, by }
  const { id: packageId } = await insertPackageFor(db, fleet, image)
  await sql`UPDATE software_package SET auto_in = ${organizationId} WHERE id = ${packageId}`.execute(db)
  await sql`
    INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions)
    VALUES (0, ${busy.id}, ${master}, 0, 1, 1, 1, 'waiting', '{}')`.execute(db)
  const reasonOf = async ({ code }: TestDevice) => {
    const choice = { packageIds: [packageId], equipTypeId, devices: { codes: [code] } }
    return (await readPreview(db, await planChoice(db, everything, choice))).parts.map(({ skip }) => skip)
  }
  for (const [reason, device] of Object.entries(left)) expect(await reasonOf(device)).toEqual([reason])

  await setOnline()
  await offerAutomatic(app)
  expect(await tasksOf(fleet)).toEqual([])
  // Beside them, one that it is for.
  const { code } = await one()
  await setOnline()
  await offerAutomatic(app)
  const [task] = await tasksOf(fleet)
  await taskBecomes(app, token, task?.id ?? '', { counts: { total: 1 } })
  expect((await targetsOf(app, token, task?.id ?? '')).map((target) => target.code)).toEqual([code])
})

test('no task is made where the plan has come to have no device since they were listed', async () => {
  const fleet = await fleetOf(1)
  const { id } = await insertPackageFor(db, fleet, { version: '1.4', isAutoUpgrade: true })
  let isListed = false
  await offerAutomatic(app, async (packageId) => {
    if (packageId !== id) return
    isListed = true
    await relay(db, first(fleet))
  })
  expect(isListed).toBe(true)
  expect(await tasksOf(fleet)).toEqual([])
})

test('a device that was left out makes way for others, and is offered the package again after an hour', async () => {
  const fleet = await fleetOf(1)
  await insertPackageFor(db, fleet, { version: '1.4', isAutoUpgrade: true })
  await offerAutomatic(app)
  const [task] = await tasksOf(fleet)
  await taskBecomes(app, token, task?.id ?? '', { state: 'running', counts: { total: 1 } })
  await endsAs(task?.id ?? '', 'skipped')
  for (let minute = 0; minute < 3; minute += 1) await offerAutomatic(app)
  expect(await tasksOf(fleet)).toHaveLength(1)
  await sql`UPDATE upgrade_target SET changed_at = now() - interval '61 minutes' WHERE task_id = ${task?.id ?? ''}::int`.execute(
    db,
  )
  await offerAutomatic(app)
  expect(await tasksOf(fleet)).toHaveLength(2)
})
