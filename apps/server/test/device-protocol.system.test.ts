import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listAlarmHistory, listDevices, listEvents, listIntakeRefusals, readDevice } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  let server: ServerProcess
  let token: string

  beforeAll(async () => {
    // One device, for the sake of the operators that come with it.
    server = await startServerProcess({ demoDevices: 1, environment: { LOG_LEVEL: 'warn' } })
    token = await server.client.signIn('admin', server.adminPassword)
  })
  afterAll(() => server?.remove())

  it('make a device, and play it, with a shell, curl and mosquitto_pub', async () => {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, text]) => text,
    )
    expect(blocks.length).toBeGreaterThan(8)
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
      env: {
        PATH: process.env.PATH,
        BASE: server.url,
        HOST: '127.0.0.1',
        PORT: String(server.mqttPort),
        ADMIN_PASSWORD: server.adminPassword,
        CODE: code,
      },
    })

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
