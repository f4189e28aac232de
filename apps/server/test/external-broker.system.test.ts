import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { listDevices, listIntakeRefusals } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLedger } from './command-ledger.ts'
import { connectFleet } from './fleets.ts'
import { differences, Ledger } from './ledger.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const page = join(import.meta.dirname, '../../../docs/operating.md')
const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined
if (!hasMosquitto && process.env.CI !== 'true') {
  console.warn('SKIPPED: the server at an external broker needs mosquitto (package mosquitto)')
}
const serverUser = 'voltkeep'
const serverPassword = 'server-secret'

interface Mosquitto {
  port: number
  /** Makes the password file anew: Voltkeep's own user, and these. */
  setUsers(users: readonly { code: string; secret: string }[]): void
  /** Ends it as SIGTERM does, which has it write its sessions, and starts it again. */
  restart(): Promise<void>
  stop(): void
}

/** Mosquitto as docs/operating.md configures it. */
async function startMosquitto(): Promise<Mosquitto> {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-mosquitto-'))
  chmodSync(directory, 0o755)
  const [configuration = '', acl = ''] = [
    ...readFileSync(page, 'utf8').matchAll(/^```conf\n([\s\S]*?)^```$/gm),
  ].map(([, text]) => text)
  const port = await freePort()
  const passwords = join(directory, 'passwords')
  writeFileSync(join(directory, 'acl'), acl)
  writeFileSync(
    join(directory, 'mosquitto.conf'),
    `${configuration
      .replace('listener 1883', `listener ${port} 127.0.0.1`)
      .replaceAll(
        '/etc/mosquitto',
        directory,
      )}\npersistence_location ${directory}/\n${process.getuid?.() === 0 ? 'user root\n' : ''}`,
  )
  let broker: ChildProcess | undefined
  const setUsers: Mosquitto['setUsers'] = (users) => {
    const lines = users.map(({ code, secret }) => `${code}:${secret}`)
    writeFileSync(passwords, [`${serverUser}:${serverPassword}`, ...lines, ''].join('\n'), { mode: 0o600 })
    const { status, stderr } = spawnSync('mosquitto_passwd', ['-U', passwords])
    if (status !== 0) throw new Error(`mosquitto_passwd: ${stderr}`)
    broker?.kill('SIGHUP')
  }
  setUsers([])
  const start = () => spawn('mosquitto', ['-c', join(directory, 'mosquitto.conf')], { stdio: 'ignore' })
  broker = start()
  return {
    port,
    setUsers,
    async restart() {
      const ended = once(broker as ChildProcess, 'exit')
      broker?.kill('SIGTERM')
      await ended
      broker = start()
    },
    stop() {
      broker?.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

describe.skipIf(!hasMosquitto && process.env.CI !== 'true')('a server at an external broker', () => {
  let mosquitto: Mosquitto
  let server: ServerProcess
  let fleet: Fleet
  let token: string
  const ledger = new Ledger()
  const commands = new CommandLedger()

  beforeAll(async () => {
    mosquitto = await startMosquitto()
    server = await startServerProcess({
      demoDevices: 30,
      environment: {
        MQTT_URL: `mqtt://${serverUser}:${serverPassword}@127.0.0.1:${mosquitto.port}`,
        LOG_LEVEL: 'warn',
      },
    })
    mosquitto.setUsers(server.devices())
    token = await server.client.signIn('admin', server.adminPassword)
    fleet = await connectFleet(server.devices(), mosquitto.port, {
      onAcknowledged: ledger.record,
      commandsOf: ({ code }) => ({ hasScreen: true, trouble: commands.counting(code) }),
    })
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
    mosquitto?.stop()
  })

  it('knows who is there from what the devices say and from their wills', async () => {
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

  it('takes nothing that a device says in the name of another', async () => {
    const [device, other] = fleet.devices as [VirtualDevice, VirtualDevice]
    const payload = { id: device.newId(), time: device.now(), code: 'T0', value: 1 }
    device.publishRaw(topicOf(other.code, 'up', 'alarm'), JSON.stringify(payload))
    // By another device: Mosquitto 2.0.11 answers a forbidden publish, and then cuts its sender off.
    other.publishRaw(topicOf(other.code, 'up', 'alarm'), '{"id":')
    // The second is refused by the server; the first has not even reached it.
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

  it('loses nothing when it is killed in a storm, three times in a row: the broker keeps it meanwhile', async () => {
    const playing = new AbortController()
    const storm = ledger.storm(fleet.devices, playing.signal, 200)
    for (let kill = 1; kill <= 3; kill += 1) {
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

  it('has every command executed once, although server and broker are restarted in their midst', async () => {
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
})
