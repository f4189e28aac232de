// SQL of the reports that wait to be packed.
import type pg from 'pg'
import { byteaArray, int4Array, timestampArray } from '../../../platform/database/arrays.ts'

export interface OpenReport {
  deviceId: number
  atMs: number
  body: Buffer
}

/** Insert-only, in the order of arrival: where two say something of a reading at one time, the first counts. */
export async function insertReports(db: pg.ClientBase, reports: readonly OpenReport[]): Promise<void> {
  await db.query({
    name: 'readings.insertReports',
    text: `
      INSERT INTO reading_open (device_id, arrived_at, at, body)
      SELECT m.device_id, now(), m.at, m.body
      FROM unnest($1::int4[], $2::timestamptz[], $3::bytea[]) AS m(device_id, at, body)`,
    values: [
      int4Array(reports.map(({ deviceId }) => deviceId)),
      timestampArray(reports.map(({ atMs }) => atMs)),
      byteaArray(reports.map(({ body }) => body)),
    ],
  })
}
