import { setTimeout as delay } from 'node:timers/promises'
import {
  insertParameterBatch,
  listBatchLog,
  listDevices,
  listIntakeRefusals,
  readParameterBatch,
} from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soc } from './batches.ts'
import { CommandLedger } from './command-ledger.ts'
import { connectFleet } from './fleets.ts'
import { differences, Ledger } from './ledger.ts'
import { times } from './long.ts'
import { type Mosquitto, skipsMosquitto, startMosquitto } from './mosquitto.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

describe.skipIf(skipsMosquitto)('a server with an external broker', () => {
  let mosquitto: Mosquitto
  let server: ServerProcess
  let fleet: Fleet
  let token: string
  let ledger: Ledger
  let commands: CommandLedger

  beforeAll(async () => {
    ledger = new Ledger()
    commands = new CommandLedger()
    mosquitto = await startMosquitto()
    server = await startServerProcess({
      demoDevices: 40,
      environment: {
        MQTT_URL: mosquitto.url,
        LOG_LEVEL: 'warn',
      },
    })
    mosquitto.setUsers(server.devices())
    token = await server.client.signIn('admin', server.adminPassword)
    fleet = await connectFleet(server.devices(), mosquitto.port, {
      onAcknowledged: ledger.record,
      commandsOf: ({ code }) => ({ hasScreen: true, trouble: commands.counting(code) }),
      parametersOf: () => [{ id: soc, value: 80 }],
    })
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
    mosquitto?.stop()
  })

  it('knows which devices are online from their reports and their wills', async () => {
    const [leaving, dying] = fleet.devices as [VirtualDevice, VirtualDevice]
    const offlineCodes = async () => {
      const { data } = await server.client.call(listDevices, { isOnline: 0, pageSize: 500 }, token)
      return data.map(({ code }) => code).sort()
    }
    await expect.poll(offlineCodes, { timeout: 90_000 }).toEqual([])
    await leaving.stop()
    dying.cutPower()
    await expect.poll(offlineCodes, { timeout: 90_000 }).toEqual([leaving.code, dying.code].sort())
    leaving.start()
    dying.start()
    await expect.poll(offlineCodes, { timeout: 90_000 }).toEqual([])
  })

  it('accepts no message that a device sends in the name of another', async () => {
    const [device, other] = fleet.devices as [VirtualDevice, VirtualDevice]
    const payload = { id: device.newId(), time: device.now(), code: 'T0', value: 1 }
    device.publishRaw(topicOf(other.code, 'up', 'alarm'), JSON.stringify(payload))
    // Sent by the other device: Mosquitto 2.0.11 answers a forbidden publish, and then disconnects its sender.
    other.publishRaw(topicOf(other.code, 'up', 'alarm'), '{"id":')
    // The server refuses the second message; the broker has dropped the first one.
    await expect
      .poll(
        async () => {
          const { data } = await server.client.call(listIntakeRefusals, { reason: 'notJson' }, token)
          return data.map(({ code, reason }) => [code, reason])
        },
        { timeout: 90_000 },
      )
      .toEqual([[other.code, 'notJson']])
    expect(await differences(ledger, server.client, token)).toEqual([])
  })

  const kills = times(2, 6)
  it(`loses no report when it is killed in a storm, ${kills} times in a row: the broker keeps them meanwhile`, async () => {
    const playing = new AbortController()
    const storm = ledger.storm(fleet.devices, playing.signal, 200)
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(500)
      await server.kill()
      await delay(300)
      await server.start()
    }
    playing.abort()
    await storm
    await fleet.whenDrained()
    expect(ledger.opened.length).toBeGreaterThan(100)
    await expect
      .poll(() => differences(ledger, server.client, token), { timeout: 240_000, interval: 1_000 })
      .toEqual([])
  })

  it('has every command executed once, although server and broker are restarted meanwhile', async () => {
    const playing = new AbortController()
    const storm = commands.storm(server.dataDir, playing.signal, 100)
    await delay(1_000)
    await server.kill()
    await delay(300)
    await server.start()
    await delay(1_000)
    await mosquitto.restart()
    await delay(1_000)
    playing.abort()
    await storm
    expect(await commands.differences(server.dataDir)).toEqual([])
    expect(commands.promised.size).toBeGreaterThan(30)
  })

  it('has a batch applied at the first attempt, although server and broker are restarted meanwhile', async () => {
    const queryParam = { codes: fleet.devices.map(({ code }) => code) }
    const { length: deviceCount } = fleet.devices
    for (const [value, disturb] of [
      [81, () => server.kill().then(server.start)],
      [82, () => mosquitto.restart()],
      [83, () => server.kill().then(mosquitto.restart).then(server.start)],
    ] as const) {
      const answer = await server.client.call(
        insertParameterBatch,
        { paramSetRule: { upgradeCount: 1, interval: 3 }, entitys: [{ id: soc, value }], queryParam },
        token,
      )
      expect(answer).toMatchObject({ code: 200, data: { deviceCount } })
      const { id } = answer.data
      await disturb()
      await fleet.whenOnline()
      await expect
        .poll(async () => (await server.client.call(readParameterBatch, { id }, token)).data, {
          timeout: 90_000,
        })
        .toMatchObject({ state: 'finished', counts: { total: deviceCount, succeeded: deviceCount } })
      expect(fleet.devices.map(({ parameters }) => parameters.get(soc))).toEqual(
        Array(deviceCount).fill(value),
      )
      const { data: log } = await server.client.call(listBatchLog, { id, pageSize: 500 }, token)
      expect(log.map(({ attempt, result }) => [attempt, result])).toEqual(
        Array(deviceCount).fill([1, 'succeeded']),
      )
    }
  })
})
