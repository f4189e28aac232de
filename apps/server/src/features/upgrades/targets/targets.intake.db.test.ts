import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase, endWithFile } from '../../../../test/database.ts'
import { insertFleet, insertPackageFor, master } from '../../../../test/upgrades.ts'
import { createProgressWriter } from './targets.intake.ts'
import { targets } from './targets.work.ts'

const database = await createTestDatabase({ isSeeded: true, poolSize: 2 })
endWithFile(() => database.close())

/** A device that has been downloading for so many hours, and whose patience ends in five minutes. */
async function downloadingFor(hours: number) {
  const { db } = database
  const fleet = await insertFleet(db, 1)
  const deviceId = fleet.devices[0]?.id as number
  const { id: packageId } = await insertPackageFor(db, fleet)
  const rule = JSON.stringify({ attempts: 3, intervalMinutes: 5, stallMinutes: 15, verifyMinutes: 10 })
  const { rows } = await sql<{ id: string }>`
    WITH task AS (
      INSERT INTO upgrade_task (type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id, stage)
      VALUES ('SCHEDULE', 'running', now(), ${rule}, '{"filters": {}}', ${fleet.equipTypeId}, 1, 'admin', 1, 1)
      RETURNING id
    )
    INSERT INTO upgrade_target
      (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions, changed_at, next_at)
    SELECT id, ${deviceId}, ${master}, ${packageId}, 1, 1, 1, 'downloading', '{}',
      now() - ${hours} * interval '1 hour', now() + interval '5 minutes'
    FROM task RETURNING id::text`.execute(db)
  return { deviceId, targetId: rows[0]?.id as string }
}

async function report({ deviceId, targetId }: { deviceId: number; targetId: string }, percent?: number) {
  const refusals: unknown[] = []
  const connection = await database.pool.connect()
  try {
    const nowMs = Date.now()
    const tell = await createProgressWriter(() => {}).write(connection, [
      {
        deviceId,
        payload: { targetId, state: 'downloading', ...(percent !== undefined && { percent }) } as never,
        occurredAtMs: nowMs,
        receivedAtMs: nowMs,
        clockLimitMs: null,
        refuse: (...refusal) => refusals.push(refusal),
      },
    ])
    tell?.()
  } finally {
    connection.release()
  }
  const { rows } = await sql<{ minutes: number; isHeard: boolean }>`
    SELECT round(extract(epoch FROM next_at - now()) / 60)::int AS minutes, reported_at IS NOT NULL AS "isHeard"
    FROM upgrade_target WHERE id = ${targetId}::bigint`.execute(database.db)
  return { ...rows[0], refusals }
}

test('a report without progress renews the patience for hours, and not for ever; one with progress does for longer', async () => {
  const heard = { isHeard: true, refusals: [] }
  expect(await report(await downloadingFor(1))).toEqual({ minutes: 15, ...heard })
  const long = await downloadingFor(7)
  expect(await report(long)).toEqual({ minutes: 5, ...heard })
  expect(await report(long, 40)).toEqual({ minutes: 15, ...heard })
  expect(await report(await downloadingFor(13), 40)).toEqual({ minutes: 5, ...heard })
})

test('a device that goes on without progress has failed the attempt, and its target says so', async () => {
  const long = await downloadingFor(7)
  await report(long)
  const nowMs = Date.now() + 5 * 60_000
  await database.db
    .transaction()
    .execute((trx) => targets.move(trx, sql`t.id = ${long.targetId}::bigint`, () => ({ kind: 'due', nowMs })))
  const { rows } = await sql`
    SELECT state, attempts, reason FROM upgrade_target WHERE id = ${long.targetId}::bigint`.execute(
    database.db,
  )
  expect(rows).toEqual([{ state: 'waiting', attempts: 1, reason: '升级长时间没有进展' }])
})
