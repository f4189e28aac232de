import type { AlarmReport } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertUser,
} from '../../../../test/factories.ts'
import { times } from '../../../../test/long.ts'
import { systemRoleId } from '../../../domain/access/accounts/first-user.ts'
import { createRowIds } from '../../../domain/history/row-ids.ts'
import { type Notices, openNotices } from '../../../platform/database/notices/notices.ts'
import { createWriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import { createLog } from '../../../platform/process/log.ts'
import { createAlarmWriter } from '../intake/alarms.intake.ts'
import { insertRecovery } from './recoveries.queries.ts'
import { createRecoveryQueue } from './recoveries.queue.ts'

let database: TestDatabase
let notices: Notices
const complaints: string[] = []
const log = createLog({ level: 'silent' })

beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true, poolSize: 12 })
  notices = await openNotices({ pool: database.pool, log })
})
afterAll(async () => {
  await notices.close()
  await database.close()
})

const begin = async (episodeIds: string[]) => {
  const { id: userId } = await insertUser(database.db, { roleIds: [systemRoleId] })
  return await beginOf(userId, null, episodeIds)
}
const beginOf = (userId: number, decidedIn: number | null, episodeIds: string[]) =>
  database.db
    .transaction()
    .execute((trx) => insertRecovery(trx, { userId, decidedIn, note: '批量处理', episodeIds }))
const progress = async (id: string) => {
  const { rows } = await sql<{ recovered: number; passed: number; total: number; isOver: boolean }>`
    SELECT recovered, passed, total, finished_at IS NOT NULL AS "isOver" FROM alarm_recovery WHERE id = ${id}`.execute(
    database.db,
  )
  return rows[0]
}

test('a storm of reports and a recovery of the same alarms by a user wait for each other, and neither fails', async () => {
  const startMs = Date.now() - 600_000
  const lanes = createWriteLanes({
    pool: database.pool,
    log: {
      ...log,
      error: (...said: unknown[]) => complaints.push(JSON.stringify(said)),
    } as unknown as typeof log,
    laneCount: 4,
  })
  const writer = createAlarmWriter({
    notices: { publish() {} },
    rowIds: createRowIds(),
    dayBudget: { written() {} },
  })
  const report = (deviceId: number, code: string, value: number, timeMs: number) =>
    new Promise((resolve) => {
      const id = `${Math.random()}`
      lanes.put({
        deviceId,
        writer,
        entry: {
          deviceId,
          payload: { id, time: timeMs, code, value } as AlarmReport,
          occurredAtMs: timeMs,
          receivedAtMs: timeMs,
          clockLimitMs: null,
          refuse() {},
        },
        messageId: id,
        done: resolve,
      })
    })
  const devices = await Promise.all(Array.from({ length: times(20, 40) }, () => insertDevice(database.db)))
  const codes = Array.from({ length: 30 }, (_, n) => `S${n}`)
  const all = devices.flatMap(({ id }) => codes.map((code) => ({ id, code })))
  await Promise.all(all.map(({ id, code }) => report(id, code, 1, startMs)))
  const { rows } = await sql<{ id: string }>`
    SELECT episode_id AS id FROM alarm_state WHERE is_active ORDER BY random()`.execute(database.db)
  expect(rows).toHaveLength(all.length)

  const queue = createRecoveryQueue({
    pool: database.pool,
    notices,
    log: {
      ...log,
      error: (...said: unknown[]) => complaints.push(JSON.stringify(said)),
    } as unknown as typeof log,
  })
  const { id } = await begin(rows.map((row) => row.id))
  queue.start()
  // New values and late reports, which change rows of the history but no state, in another order each round.
  let round = 0
  const storm = async () => {
    while (!(await progress(id))?.isOver) {
      round += 1
      const shuffled = all.map((one, n) => ({ ...one, order: (n * 7919 * round) % (all.length + 1) }))
      shuffled.sort((a, b) => a.order - b.order)
      await Promise.all(
        shuffled.map(({ id: device, code }, n) =>
          n % 3 === 0
            ? report(device, code, 2, startMs + 1 + (round % 100))
            : report(device, code, 1 + (round % 5), startMs + round * 1_000),
        ),
      )
    }
  }
  await storm()
  await queue.stop()

  expect(complaints).toEqual([])
  const after = await progress(id)
  expect(after?.recovered).toBeGreaterThan(0)
  expect((after?.recovered ?? 0) + (after?.passed ?? 0)).toBe(all.length)
  const { rows: kept } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM alarm_history WHERE note = '批量处理' AND recovery_method = 2
      AND recovered_by IS NOT NULL AND recovered_at >= occurred_at`.execute(database.db)
  expect(kept[0]?.n).toBe(after?.recovered)
}, 120_000)

test('the recovery waits for a locked alarm, and continues with the others', async () => {
  const device = await insertDevice(database.db)
  const ids = ['7000001', '7000002', '7000003']
  await sql`
    WITH state AS (
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT d.id, 'L' || n, 7000000 + n, true, 3, now(), now(), d.operator_id, d.model_id, d.region_id
      FROM device d, generate_series(1, 3) n WHERE d.id = ${device.id} RETURNING *
    )
    INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
    SELECT episode_id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, 3, 3 FROM state`.execute(
    database.db,
  )
  const other = await database.pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM alarm_state WHERE episode_id = 7000002 FOR UPDATE')
  const queue = createRecoveryQueue({ pool: database.pool, notices, log })
  const { id } = await begin(ids)
  queue.start()
  await expect.poll(async () => (await progress(id))?.recovered, { timeout: 30_000 }).toBe(2)
  await other.query('COMMIT')
  other.release()
  await expect
    .poll(() => progress(id), { timeout: 30_000 })
    .toEqual({ recovered: 3, passed: 0, total: 3, isOver: true })
  await queue.stop()
})

test('an alarm that has ended before it is processed is skipped, and keeps how it ended', async () => {
  const queue = createRecoveryQueue({ pool: database.pool, notices, log })
  const { id } = await begin(['7000001', '7999999'])
  queue.start()
  await expect
    .poll(() => progress(id), { timeout: 30_000 })
    .toEqual({ recovered: 0, passed: 2, total: 2, isOver: true })
  await queue.stop()
})

describe('a recovery of a user who', () => {
  async function world() {
    const organizationId = await insertOrganization(database.db)
    const operators = [
      await insertOperator(database.db, { organizationId }),
      await insertOperator(database.db, { organizationId }),
    ]
    const ids: string[] = []
    for (const operatorId of operators)
      ids.push(await insertAlarm(database.db, await insertDevice(database.db, { operatorId }), 'W', 5))
    const user = await insertUser(database.db, { organizationId, functionCodes: ['alarm:recover'] })
    const { id } = await beginOf(user.id, organizationId, ids)
    return { user, operators, id }
  }
  /** Everything that is due, to its end. */
  async function work(id: string) {
    const queue = createRecoveryQueue({ pool: database.pool, notices, log })
    queue.start()
    await expect.poll(async () => (await progress(id))?.isOver, { timeout: 30_000 }).toBe(true)
    await queue.stop()
    const { rows } = await sql<{ note: string | null }>`
      SELECT stop_note AS note FROM alarm_recovery WHERE id = ${id}`.execute(database.db)
    return { ...(await progress(id)), note: rows[0]?.note }
  }
  const stopped = { recovered: 0, passed: 0, total: 2, isOver: true }

  test('is there goes on', async () => {
    expect(await work((await world()).id)).toEqual({ ...stopped, recovered: 2, note: null })
  })

  test('is disabled ends, and says so', async () => {
    const { user, id } = await world()
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${user.id}`.execute(database.db)
    expect(await work(id)).toEqual({ ...stopped, note: `恢复人 ${user.loginName} 已停用` })
  })

  test('has lost the function ends, too', async () => {
    const { user, id } = await world()
    await sql`DELETE FROM user_role WHERE user_id = ${user.id}`.execute(database.db)
    expect(await work(id)).toMatchObject({ ...stopped, note: expect.stringContaining(user.loginName) })
  })

  test('sees less passes by what that user does not see', async () => {
    const { user, operators, id } = await world()
    await sql`
      INSERT INTO user_authority (user_id, authority_type, value)
      VALUES (${user.id}, 'O', ${String(operators[0])})`.execute(database.db)
    expect(await work(id)).toEqual({ ...stopped, recovered: 1, passed: 1, note: null })
  })

  test('is in another organization takes nothing along', async () => {
    const { user, id } = await world()
    await sql`
      UPDATE app_user SET organization_id = ${await insertOrganization(database.db)} WHERE id = ${user.id}`.execute(
      database.db,
    )
    expect(await work(id)).toEqual({ ...stopped, passed: 2, note: null })
  })
})
