import type { ParameterReport } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice } from '../../../test/factories.ts'
import type { Report } from '../../platform/devices/ingest/reports.ts'
import { createParameterWriter, createVersionWriter } from './devices.intake.ts'
import { listParameters, listVersions, mostParameters, mostParts } from './devices.queries.ts'

const database = await databaseOfTests({ isSeeded: true })
const { db } = database

async function write(writer: ReturnType<typeof createParameterWriter>, reports: Report<ParameterReport>[]) {
  const connection = await database.pool.connect()
  try {
    const act = await writer.write(connection, reports)
    act?.()
  } finally {
    connection.release()
  }
}

test('a device has so many parameters and parts; more are refused, and those that it has go on', async () => {
  const { id } = await insertDevice(db)
  const nowMs = Date.now()
  await sql`
    INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
    SELECT ${id}, 'p' || n, 'old', ${new Date(nowMs - 1_000)} FROM generate_series(1, ${mostParameters - 1}) AS n`.execute(
    db,
  )
  const refused: string[] = []
  const report = (parameters: ParameterReport['parameters']): Report<ParameterReport> => ({
    deviceId: id,
    payload: { id: 'm', time: nowMs, parameters },
    occurredAtMs: nowMs,
    receivedAtMs: nowMs,
    clockLimitMs: nowMs + 60_000,
    refuse: (reason, detail) => void refused.push(`${reason} ${detail}`),
  })
  const writer = createParameterWriter(() => undefined)
  await write(writer, [
    report([
      { id: 'p1', value: 'new' },
      { id: 'x1', value: 1 },
    ]),
  ])
  expect(refused).toEqual([])
  await write(writer, [
    report([
      { id: 'p2', value: 'new' },
      { id: 'x2', value: 1 },
    ]),
  ])
  expect(refused).toEqual(['tooManyParameters 一台设备最多上报 2000 个参数'])
  const listed = await listParameters(db, id)
  expect(listed).toHaveLength(mostParameters)
  expect(listed.filter(({ value }) => value !== 'old').map(({ id }) => id)).toEqual(['p1', 'p2', 'x1'])
  await sql`
    INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
    SELECT ${id}, 'P', n, '1', ${new Date(nowMs - 1_000)} FROM generate_series(1, ${mostParts + 5}) AS n`.execute(
    db,
  )
  const versions = createVersionWriter(() => undefined) as unknown as typeof writer
  const parts = [1, 9_999].map((addr) => ({ partType: 'P', addrId: String(addr), version: '2' }))
  await write(versions, [{ ...report([]), payload: { id: 'v', time: nowMs, versions: parts } as never }])
  expect(refused.at(-1)).toBe('tooManyParts 一台设备最多上报 1000 个部件的版本')
  expect((await listVersions(db, id)).filter(({ version }) => version === '2')).toHaveLength(1)
  expect(await listVersions(db, id)).toHaveLength(mostParts)
})

test('a report sets back the times of what it reports, and looks at nothing else of the device', async () => {
  const { id } = await insertDevice(db)
  const nowMs = Date.now()
  await sql`
    INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
    SELECT ${id}, 'p' || n, 'ahead', ${new Date(nowMs + 3_600_000)} FROM generate_series(1, 500) AS n`.execute(
    db,
  )
  const payload: ParameterReport = { id: 'm', time: nowMs, parameters: [{ id: 'p1', value: 'now' }] }
  await write(
    createParameterWriter(() => undefined),
    [
      {
        deviceId: id,
        payload,
        occurredAtMs: nowMs,
        receivedAtMs: nowMs,
        clockLimitMs: nowMs + 60_000,
        refuse() {},
      },
    ],
  )
  const { rows } = await sql<{ value: string; n: number }>`
    SELECT value, count(*)::int AS n FROM device_parameter
    WHERE device_id = ${id} AND (parameter_id = 'p1') = (reported_at = ${new Date(nowMs)}) GROUP BY value ORDER BY value`.execute(
    db,
  )
  expect(rows).toEqual([
    { value: 'ahead', n: 499 },
    { value: 'now', n: 1 },
  ])
})
