import { listUpgradeTasks } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Fleet,
  insertFleet,
  insertPackageFor,
  master,
  offerAutomatic,
  reportVersions,
  targetsOf,
  taskBecomes,
} from '../../../../test/upgrades.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterAll(() => app.close())

/** Runs the job that runs every minute. */
const runJob = () => offerAutomatic(app)
const tasksOf = async ({ equipTypeId }: Fleet) =>
  (await app.call(listUpgradeTasks, { type: 'AUTO', equipTypeId: String(equipTypeId) }, token)).data
const setOnline = ({ devices }: Fleet) =>
  sql`UPDATE device_state SET is_online = true WHERE device_id = ANY(${devices.map(({ id }) => id)}::int[])`.execute(
    app.db,
  )

test('a release for automatic upgrades is sent to devices with an older version, once', async () => {
  const fleet = await insertFleet(app.db, 4)
  const [old, newer, current, test_] = fleet.devices as [Fleet['devices'][0], ...Fleet['devices']]
  await setOnline(fleet)
  await reportVersions(app.db, newer as Fleet['devices'][0], { [`${master} 0`]: '1.10' })
  await reportVersions(app.db, current as Fleet['devices'][0], { [`${master} 0`]: '1.4' })
  await sql`UPDATE device_state SET is_online = false WHERE device_id = ${test_?.id}`.execute(app.db)
  await insertPackageFor(app.db, fleet, { version: '1.4', isAutoUpgrade: true })
  await insertPackageFor(app.db, fleet, { version: '1.9' })
  await insertPackageFor(app.db, fleet, { version: '1.8', isAutoUpgrade: true, isRelease: false })

  await runJob()
  await runJob()
  const [task, ...others] = await tasksOf(fleet)
  expect(others).toEqual([])
  expect(task).toMatchObject({ type: 'AUTO', version: '1.4', createBy: 'admin' })
  await taskBecomes(app, token, task?.id as string, { state: 'running', counts: { total: 1, sent: 1 } })
  expect((await targetsOf(app, token, task?.id as string)).map(({ code }) => code)).toEqual([old.code])

  // It has had its attempts: a failure is not retried automatically.
  await sql`UPDATE upgrade_target SET state = 'failed', next_at = NULL WHERE task_id = ${task?.id}::int`.execute(
    app.db,
  )
  await sql`UPDATE upgrade_task SET state = 'finished', next_at = NULL WHERE id = ${task?.id}::int`.execute(
    app.db,
  )
  await runJob()
  expect(await tasksOf(fleet)).toHaveLength(1)

  // Another device that reports an older version is upgraded.
  await reportVersions(app.db, newer as Fleet['devices'][0], { [`${master} 0`]: '1.2' })
  await runJob()
  expect(await tasksOf(fleet)).toHaveLength(2)
})

test('of several releases for a board, a device gets the newest', async () => {
  const fleet = await insertFleet(app.db, 1)
  await setOnline(fleet)
  const { board } = await insertPackageFor(app.db, fleet, { version: '1.9', isAutoUpgrade: true })
  await insertPackageFor(app.db, fleet, { board, version: '1.10', isAutoUpgrade: true })
  await runJob()
  expect((await tasksOf(fleet)).map(({ version }) => version)).toEqual(['1.10'])
})
