import { exportDevices, importColumns } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'

let app: TestApp
let admin: string
const codes = Array.from({ length: 2_100 }, (_, n) => `EX${n}`)

beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  const first = await insertDevice(app.db, { code: codes[0] })
  await app.database.pool.query(
    `INSERT INTO device (code, name, operator_id, model_id, region_id, secret_hash)
     SELECT c, CASE WHEN c = 'EX7' THEN '=HYPERLINK("http://x")' END, operator_id, model_id, region_id, ''
     FROM device, unnest($2::text[]) AS c WHERE id = $1`,
    [first.id, codes.slice(1)],
  )
})
afterAll(async () => {
  await app.close()
})

async function exported(query: string, token = admin): Promise<(string | undefined)[][]> {
  const response = await fetch(`${app.url}/api${exportDevices.path}?${query}`, {
    headers: { authorization: token },
  })
  expect(response.status).toBe(200)
  expect(decodeURIComponent(response.headers.get('content-disposition') ?? '')).toMatch(/设备_\d{14}\.xlsx/)
  return rowsOfSheet(response)
}

describe('an export of devices', () => {
  // proves: call GET /equip/export
  test('contains each matching device once, across its batches, newest first', async () => {
    const [titles, ...rows] = await exported('')
    expect(titles?.slice(0, 2)).toEqual([importColumns.code, importColumns.name])
    expect(rows.map(([code]) => code)).toEqual(codes.toReversed())
  })

  test('follows the filters of the list', async () => {
    const [, ...rows] = await exported('code=EX7')
    expect(rows).toHaveLength(111)
    expect((await exported('code=EX7,EX8')).length).toBe(3)
    expect(await exported('isOnline=1')).toHaveLength(1)
  })

  test('says how each device connects, and may be of one protocol alone', async () => {
    const { code } = await insertDevice(app.db, { code: 'POLLS1' })
    await app.database.pool.query("UPDATE device SET protocol = 'ddi' WHERE code = $1", [code])
    const [titles, ...polling] = await exported('protocol=ddi')
    const at = titles?.indexOf(importColumns.protocol) ?? -1
    expect(polling.map((row) => [row[0], row[at]])).toEqual([[code, 'hawkBit DDI']])
    const [, ...others] = await exported('protocol=mqtt')
    expect(others.map(([one]) => one)).not.toContain(code)
    expect(new Set(others.map((row) => row[at]))).toEqual(new Set(['MQTT']))
    await app.database.pool.query("UPDATE device SET protocol = 'ocpp16' WHERE code = $1", [code])
    const [, ...stations] = await exported('protocol=ocpp16')
    expect(stations.map((row) => [row[0], row[at]])).toEqual([[code, 'OCPP 1.6-J']])
    expect(await exported('protocol=ddi')).toHaveLength(1)
    expect((await exported('protocol=mqtt')).map(([one]) => one)).not.toContain(code)
    await app.database.pool.query('DELETE FROM device WHERE code = $1', [code])
  })

  test('writes a name that looks like a formula as text', async () => {
    const rows = await exported('')
    expect(rows.find(([code]) => code === 'EX7')?.[1]).toBe('=HYPERLINK("http://x")')
  })

  test('is limited to the scope', async () => {
    const organizationId = await insertOrganization(app.db)
    const own = await insertDevice(app.db, {
      code: 'OWN1',
      operatorId: await insertOperator(app.db, { organizationId }),
    })
    const { token } = await app.asUser({ organizationId, functionCodes: ['equip:export'] })
    expect((await exported('', token)).slice(1).map(([code]) => code)).toEqual([own.code])
  })

  test('releases its connection when the client disconnects', async () => {
    for (let n = 0; n < 12; n += 1) {
      const gone = new AbortController()
      const response = await fetch(`${app.url}/api${exportDevices.path}`, {
        headers: { authorization: admin },
        signal: gone.signal,
      })
      expect(response.status).toBe(200)
      gone.abort()
      await expect
        .poll(async () => {
          const { rows } = await app.database.pool.query(
            "SELECT count(*)::int AS open FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()",
          )
          return rows[0].open
        })
        .toBe(0)
    }
  })
})
