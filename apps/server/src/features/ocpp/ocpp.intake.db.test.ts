import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase, endWithFile } from '../../../test/database.ts'
import { insertDevice } from '../../../test/factories.ts'
import { stopWriter } from './ocpp.intake.ts'

const database = await createTestDatabase({ isSeeded: true, poolSize: 2 })
endWithFile(() => database.close())

test('the end of a charging session stands, also where another station names its number in the same batch', async () => {
  const { db, pool } = database
  const [own, other] = [await insertDevice(db), await insertDevice(db)]
  const { rows } = await sql<{ id: number }>`
    INSERT INTO ocpp_transaction (device_id, connector_id, id_tag, meter_start, started_at)
    VALUES (${own.id}, 1, 'CARD', 0, now()) RETURNING id`.execute(db)
  const transactionId = rows[0]?.id as number
  const stoppedAtMs = Date.parse('2026-11-27T08:00:00Z')
  const connection = await pool.connect()
  try {
    await stopWriter.write(connection, [
      { deviceId: own.id, transactionId, stoppedAtMs },
      { deviceId: other.id, transactionId, stoppedAtMs: stoppedAtMs + 1_000 },
    ])
  } finally {
    connection.release()
  }
  const { rows: kept } = await sql<{ stoppedAt: Date }>`
    SELECT stopped_at AS "stoppedAt" FROM ocpp_transaction WHERE id = ${transactionId}`.execute(db)
  expect(kept).toEqual([{ stoppedAt: new Date(stoppedAtMs) }])
})
