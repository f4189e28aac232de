import { cancelUpgradeTask, pauseUpgradeTask, resumeUpgradeTask } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Fleet,
  insertFleet,
  insertPackageFor,
  lookNow,
  master,
  startTask,
  taskBecomes,
  taskOf,
} from '../../../test/upgrades.ts'

/** More than one portion. */
const deviceCount = 2_100
const oneStage = [{ percent: 100, soakMinutes: 0 }]

let app: TestApp
let token: string
let fleet: Fleet

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
  fleet = await insertFleet(app.db, 1)
  const { operatorId, modelId, regionId } = fleet
  await sql`
    WITH made AS (
      INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
      SELECT 'MANY' || n, ${operatorId}, ${modelId}, ${regionId}, 1, '\\x00'
      FROM generate_series(2, ${deviceCount}::int) n RETURNING id
    )
    INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
    SELECT id, ${master}, '0', '1.3', now() FROM made`.execute(app.db)
})
afterAll(() => app.close())

const openCommands = async () => {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM device_command WHERE next_at IS NOT NULL`.execute(app.db)
  return rows[0]?.count
}

async function startLarge(): Promise<string> {
  const rule = { stages: oneStage, pacePerMinute: 100_000 }
  return startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], rule)
}

test('all commands of a large task that is paused and cancelled are withdrawn, and each target ends once', async () => {
  const id = await startLarge()
  await taskBecomes(app, token, id, { counts: { sent: deviceCount } })
  expect(await app.call(pauseUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
  await taskBecomes(app, token, id, { state: 'paused', counts: { waiting: deviceCount } })
  await expect.poll(openCommands).toBe(0)

  expect(await app.call(cancelUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
  // The call is answered before all targets have ended.
  const { counts } = await taskOf(app, token, id)
  expect(counts.waiting + counts.cancelled).toBe(deviceCount)
  await taskBecomes(app, token, id, { state: 'cancelled', counts: { cancelled: deviceCount } })
  const { rows } = await sql`
    SELECT count(*)::int AS times, count(DISTINCT target_id)::int AS targets FROM upgrade_transition
    WHERE task_id = ${id}::int AND to_state = 'cancelled' AND target_id IS NOT NULL`.execute(app.db)
  expect(rows).toEqual([{ times: deviceCount, targets: deviceCount }])
  await expect
    .poll(async () => {
      const { rows: tasks } = await sql`
        SELECT FROM upgrade_task WHERE id = ${id}::int AND next_at IS NULL`.execute(app.db)
      return tasks.length
    })
    .toBe(1)
})

test('a server that was stopped while cancelling a task ends the remaining targets after the restart', async () => {
  const id = await startLarge()
  await taskBecomes(app, token, id, { counts: { sent: deviceCount } })
  // The state after the first portion.
  await sql`UPDATE upgrade_task SET state = 'cancelled', finished_at = now(), next_at = now() WHERE id = ${id}::int`.execute(
    app.db,
  )
  await lookNow(app.db)
  await taskBecomes(app, token, id, { counts: { cancelled: deviceCount } })
  await expect.poll(openCommands).toBe(0)
})

test('the targets of a large task are resumed in portions, and no call waits for all of them', async () => {
  const id = await startLarge()
  await taskBecomes(app, token, id, { counts: { sent: deviceCount } })
  expect(await app.call(pauseUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
  await taskBecomes(app, token, id, { state: 'paused', counts: { waiting: deviceCount } })
  await expect.poll(openCommands).toBe(0)
  const last = await app.database.pool.connect()
  try {
    // The last target is locked: neither the first portion nor the call waits for it.
    await last.query('BEGIN')
    await last.query('SELECT FROM upgrade_target WHERE task_id = $1 AND rank = $2 FOR UPDATE', [
      id,
      deviceCount,
    ])
    expect(await app.call(resumeUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
  } finally {
    await last.query('ROLLBACK')
    last.release()
  }
  await taskBecomes(app, token, id, { state: 'running', counts: { sent: deviceCount } })
  expect(await app.call(cancelUpgradeTask, { id }, token)).toMatchObject({ code: 200 })
  await taskBecomes(app, token, id, { counts: { cancelled: deviceCount } })
})
