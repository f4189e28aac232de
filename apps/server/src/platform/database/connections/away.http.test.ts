import { listRoles, login, readHealth, readReadiness } from '@voltkeep/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clientOf, type TestClient } from '../../../../test/client.ts'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { lineTo } from '../../../../test/database-line.ts'
import { type App, createApp } from '../../../app.ts'
import { readConfig } from '../../process/config.ts'
import { createLog } from '../../process/log.ts'
import { type OpenDatabase, openDatabase } from '../database.ts'

const adminPassword = 'Admin-1234'

let direct: TestDatabase
let line: Awaited<ReturnType<typeof lineTo>>
let database: OpenDatabase
let app: App
let client: TestClient
let token: string
beforeEach(async () => {
  direct = await createTestDatabase({ isSeeded: true })
  line = await lineTo(direct.url)
  const config = readConfig({
    HOST: '127.0.0.1',
    HTTP_PORT: '0',
    ADMIN_PASSWORD: adminPassword,
    ROLES: 'api',
  })
  database = await openDatabase({ url: line.url, zone: config.zone, poolSize: 10 })
  app = await createApp({ config, log: createLog({ level: 'silent' }), database, owner: direct.owner })
  const { httpPort } = await app.listen()
  client = clientOf(`http://127.0.0.1:${httpPort}`)
  token = await client.signIn('admin', adminPassword)
})
afterEach(async () => {
  await line.restore()
  await app.close()
  await line.cut()
  await database.close()
  await direct.close()
})

const away = { status: 503, code: 503, message: '数据库暂时不可用，请稍后重试', data: null }

describe.each([
  ['cut off', () => line.cut()],
  ['hanging', async () => line.hang()],
])('while the database is %s', (_how, takeAway) => {
  test('calls answer 503 in the envelope, the process survives, and it recovers automatically', async () => {
    await takeAway()
    const answers = await Promise.all([
      client.call(listRoles, {}, token),
      client.call(login, { loginname: 'admin', password: adminPassword }),
      client.call(readReadiness, {}),
    ])
    for (const answer of answers) expect(answer).toMatchObject(away)
    expect((await client.call(readHealth, {})).code).toBe(200)

    await line.restore()
    await expect
      .poll(async () => (await client.call(listRoles, {}, token)).code, { timeout: 25_000 })
      .toBe(200)
    expect((await client.call(readReadiness, {})).code).toBe(200)
  })
})
