import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listAlarmHistory, listDevices, listEvents, listIntakeRefusals, readDevice } from '@voltkeep/contract'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommands } from '../src/platform/commands/commands.ts'
import { createLog } from '../src/platform/log.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const page = join(import.meta.dirname, '../../../docs/device-protocol.md')
const hasClient = spawnSync('mosquitto_pub', ['--help']).error === undefined
if (!hasClient && process.env.CI !== 'true') {
  console.warn(
    'SKIPPED: the examples of docs/device-protocol.md need mosquitto_pub (package mosquitto-clients)',
  )
}

describe.skipIf(!hasClient && process.env.CI !== 'true')('the examples of docs/device-protocol.md', () => {
  const code = 'DOC20260001'
  let database: TestDatabase
  let server: ServerProcess
  let token: string

  beforeAll(async () => {
    database = await createTestDatabase()
    // One device, for the sake of the operators that come with it.
    server = await startServerProcess({
      demoDevices: 1,
      environment: { LOG_LEVEL: 'warn', DATABASE_URL: database.url },
    })
    token = await server.client.signIn('admin', server.adminPassword)
  })
  afterAll(async () => {
    await server?.remove()
    await database?.close()
  })

  /** Sends a command to the device as soon as the page has registered it; again each second until it is answered. */
  async function sendCommand(): Promise<string> {
    const findDevice = () =>
      database.db.selectFrom('device').select('id').where('code', '=', code).executeTakeFirst()
    await expect.poll(findDevice, { timeout: 60_000 }).toBeDefined()
    const device = await findDevice()
    const commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })
    const [id] = await database.db.transaction().execute((trx) =>
      commands.send(trx, [
        {
          deviceId: device?.id ?? 0,
          deviceCode: code,
          topic: 'withdraw',
          body: { advertisementId: '12' },
          deadline: new Date(Date.now() + 600_000),
          rule: { maxAttempts: 600, intervalMs: 1_000 },
        },
      ]),
    )
    return id ?? ''
  }

  it('make a device, and play it, with a shell, curl and mosquitto_pub', async () => {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, text]) => text,
    )
    expect(blocks.length).toBeGreaterThan(8)
    const commandId = sendCommand()
    const played = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
      env: {
        PATH: process.env.PATH,
        BASE: server.url,
        HOST: '127.0.0.1',
        PORT: String(server.mqttPort),
        ADMIN_PASSWORD: server.adminPassword,
        CODE: code,
      },
    })
    await Promise.all([played, commandId])

    const { client } = server
    const devices = await client.call(listDevices, { code: [code] }, token)
    const id = devices.data[0]?.id ?? ''
    const device = (await client.call(readDevice, { id }, token)).data
    expect(device.equipSoftwareVersions.map(({ partType, version }) => [partType, version])).toEqual([
      ['PART_TYPE_EC_MASTER', '1.4'],
    ])
    expect(device.parameters.map(({ id: parameter, value }) => [parameter, value])).toEqual([
      ['02121005', '95'],
    ])
    expect(device.status.map(({ key, value }) => [key, value])).toEqual([
      ['柜内温度', '31.5'],
      ['在位电池数', '8'],
    ])

    const command = await database.db
      .selectFrom('device_command')
      .select(['result', 'outcome'])
      .where('id', '=', await commandId)
      .executeTakeFirst()
    expect(command).toEqual({ result: 'answered', outcome: 'done' })

    const alarms = await client.call(listAlarmHistory, { code: [code] }, token)
    expect(
      alarms.data.map(({ semaphoreCode, firstValue, status }) => [semaphoreCode, firstValue, status]),
    ).toEqual([['01110002', 5, 0]])
    const events = await client.call(listEvents, { code: [code] }, token)
    expect(events.data.map(({ semaphoreCode, value }) => [semaphoreCode, value]).sort()).toEqual([
      ['03110002', 3],
      ['03110004', 3],
    ])
    await expect
      .poll(async () => {
        const refusals = await client.call(listIntakeRefusals, { code }, token)
        return refusals.data.map(({ reason }) => reason).sort()
      })
      .toEqual(['notJson', 'unknownTopic'])
  })
})
