import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { listDevices } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { connectFleet } from './fleets.ts'
import { differences, Ledger } from './ledger.ts'
import { times } from './long.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const deviceCount = 60
const kills = times(2, 6)

describe('a server that is killed', () => {
  let server: ServerProcess
  let fleet: Fleet
  let ledger: Ledger

  beforeAll(async () => {
    ledger = new Ledger()
    server = await startServerProcess({
      demoDevices: deviceCount,
      // A few devices send as much as a fleet, so the limits per device are off.
      environment: { LOG_LEVEL: 'warn', DEVICE_MESSAGES_PER_SECOND: '0', DEVICE_BYTES_PER_SECOND: '0' },
    })
    fleet = await connectFleet(server.devices(), server.mqttPort, {
      onAcknowledged: ledger.record,
    })
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
  })

  /**
   * Runs a storm during `disturb`, waits until all devices have sent their reports, and compares the ledger with the
   * history.
   */
  async function playDuring(disturb: () => Promise<void>): Promise<void> {
    const playing = new AbortController()
    const before = ledger.opened.length
    const storm = ledger.storm(fleet.devices, playing.signal)
    try {
      await disturb()
    } finally {
      playing.abort()
    }
    await storm
    await fleet.whenOnline()
    await fleet.whenDrained()
    expect(ledger.opened.length).toBeGreaterThan(before)
    const token = await server.client.signIn('admin', server.adminPassword)
    expect(await differences(ledger, server.client, token)).toEqual([])
  }

  it(`loses no acknowledged report when it is killed in a storm, ${kills} times in a row`, async () => {
    await playDuring(async () => {
      for (let kill = 1; kill <= kills; kill += 1) {
        await delay(300 + 200 * kill)
        await server.kill()
        await server.start()
      }
      await delay(300)
    })
  })

  it('exits with 0 on SIGTERM in a storm, without losses', async () => {
    await playDuring(async () => {
      await delay(400)
      expect(await server.stop()).toBe(0)
      await server.start()
      await delay(300)
    })
  })

  it('continues after its database is killed, without losses', async () => {
    await playDuring(async () => {
      let former = 0
      for (let kill = 1; kill <= 2; kill += 1) {
        await delay(400)
        // Killed only after it has come back, which takes long on a loaded machine.
        const running = await eventually(() => {
          const found = postmasterOf(server.dataDir)
          expect(found).toBeGreaterThan(0)
          expect(found).not.toBe(former)
          return found
        })
        process.kill(running, 'SIGKILL')
        former = running
      }
      await delay(500)
    })
  })

  it('shows after a restart which devices are online, and which have gone offline meanwhile', {
    timeout: 300_000,
  }, async () => {
    const [gone, ...present] = fleet.devices as [VirtualDevice, ...VirtualDevice[]]
    const token = await server.client.signIn('admin', server.adminPassword)
    const offlineCodes = async () => {
      const { data } = await server.client.call(listDevices, { isOnline: 0, pageSize: 500 }, token)
      return data.map(({ code }) => code)
    }
    await server.kill()
    gone.cutPower()
    await server.start()
    await Promise.all(present.map((device) => device.whenOnline()))
    // Devices that were online have a minute to reconnect.
    await expect.poll(offlineCodes, { timeout: 120_000, interval: 500 }).toEqual([gone.code])
    gone.start()
    await gone.whenOnline()
    await expect.poll(offlineCodes, { timeout: 120_000, interval: 500 }).toEqual([])
  })
})

function postmasterOf(dataDir: string): number {
  const cluster = readdirSync(dataDir).find((name) => /^postgres-\d+$/.test(name)) as string
  const [pid] = readFileSync(join(dataDir, cluster, 'postmaster.pid'), 'utf8').split('\n')
  return Number(pid)
}
