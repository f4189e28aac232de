import { type ImportReport, importDevices } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { insertModel, insertOperator, insertRegion, insertUser } from './factories.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const rowCount = 2_000
let database: TestDatabase
let server: ServerProcess
let token: string
let sheet: string

beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
  server = await startServerProcess({
    environment: { LOG_LEVEL: 'warn', DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl },
  })
  const { loginName, password } = await insertUser(database.db, { functionCodes: ['equip:import'] })
  token = await server.client.signIn(loginName, password)
  sheet = await sheetOf(rowCount)
})
afterAll(async () => {
  await server?.remove()
  await database?.close()
})

async function sheetOf(count: number): Promise<string> {
  const { db } = database
  const codeOf = async (table: 'operator' | 'equip_model' | 'region', id: number) =>
    (await db.selectFrom(table).select('code').where('id', '=', id).executeTakeFirstOrThrow()).code
  const place = [
    await codeOf('operator', await insertOperator(db)),
    await codeOf('equip_model', await insertModel(db)),
    await codeOf('region', await insertRegion(db)),
  ]
  const rows = Array.from({ length: count }, (_, n) => [`KILLED${n}`, ...place].join(','))
  return ['设备编号,运营商,设备型号,地区', ...rows].join('\n')
}

const upload = () => {
  const form = new FormData()
  form.append('file', new Blob([sheet]), '设备.csv')
  return fetch(`${server.url}/api${importDevices.path}`, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  })
}
const countDevices = async () =>
  Number((await database.pool.query(`SELECT count(*) FROM device WHERE code LIKE 'KILLED%'`)).rows[0]?.count)

test('an import whose server is killed after all rows were written has added none, and can be repeated', async () => {
  const holder = await database.owner.connect()
  // The transaction then contains the rows, and waits only for its entry in the operation log.
  await holder.query('BEGIN; LOCK TABLE operation_log IN ACCESS EXCLUSIVE MODE')
  const answer = upload().then(
    ({ status }) => status,
    () => 'broken off',
  )
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query(`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE '%insert into%operation_log%'`)
      return rows.length
    })
    .toBeGreaterThan(0)
  await server.kill()
  expect(await answer).toBe('broken off')
  await holder.query('ROLLBACK')
  holder.release()
  await server.start()
  expect(await countDevices()).toBe(0)

  const again = await upload()
  expect([again.status, again.headers.get('content-disposition') !== null]).toEqual([200, true])
  await again.arrayBuffer()
  expect(await countDevices()).toBe(rowCount)
  const repeated = await upload()
  const { data } = (await repeated.json()) as { data: ImportReport }
  expect(repeated.status).toBe(400)
  expect(JSON.stringify(data)).toContain('设备编号已存在')
  expect(await countDevices()).toBe(rowCount)
})
