/**
 * Being told of alarms, by imitations of the robots of WeCom, DingTalk and Feishu, which have the providers' limits,
 * signatures and codes, and by a mail server.
 *
 *   npm run bench:notify                                   the storm, then the quiet hour
 *   npm run bench:notify -- --only storm --alarms 10000 --minutes 1 --kills 20
 *   npm run bench:notify -- --only quiet --messages 30
 *
 * storm   devices report alarms over MQTT while the server is killed with -9: no provider refuses anything, each alarm is
 *         named or counted in what every provider took, and at most one message comes twice
 * quiet   an alarm of level 1 every six seconds: from the device's report to each provider's answer (wanted: 95 of 100
 *         within 5 s)
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import {
  accountOf,
  alarmsOfADevice,
  criticalCode,
  raiseEvenly,
  stormEnvironment,
  tellProviders,
  whenTold,
} from '../apps/server/test/notice-storm.ts'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'
import { timeAt, timesText } from './world.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    alarms: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '1' },
    kills: { type: 'string', default: '20' },
    messages: { type: 'string', default: '30' },
  },
})

process.env.TZ = 'Asia/Shanghai'
if (options.only !== 'quiet')
  await storm(Number(options.alarms), Number(options.minutes), Number(options.kills))
if (options.only !== 'storm') await quiet(Number(options.messages))

async function withFleet(
  devices: number,
  work: (server: ServerProcess, fleet: Fleet) => Promise<void>,
): Promise<void> {
  const server = await startServerProcess({ demoDevices: devices, environment: stormEnvironment })
  const fleet = new Fleet(server.devices(), {
    broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
    random: createRandom(1),
    reconnectMs: [100, 500],
    connectsPerSecond: 1_000,
  })
  try {
    await fleet.start()
    await fleet.whenOnline()
    await work(server, fleet)
  } finally {
    fleet.cutPower()
    await server.remove()
  }
}

function fail(faults: readonly string[]): void {
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

async function storm(alarms: number, minutes: number, kills: number): Promise<void> {
  await withFleet(Math.ceil(alarms / alarmsOfADevice), async (server, fleet) => {
    const told = await tellProviders(server, await server.client.signIn('admin', server.adminPassword))
    const beganAtMs = Date.now()
    const raised = raiseEvenly(fleet.devices, alarms, minutes * 60_000)
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(300 + Math.random() * ((2 * minutes * 60_000) / Math.max(1, kills) - 300))
      await server.kill()
      await server.start()
    }
    await raised
    const acknowledgedS = ((Date.now() - beganAtMs) / 1_000).toFixed(0)
    await whenTold(server, { alarms, isHurried: false })
    const { faults, doubled, lines } = await accountOf(server, told, alarms)
    if (doubled > 1) faults.push(`${doubled} messages came twice`)
    console.log(`storm: ${alarms} alarms in ${minutes} min, ${kills} times kill -9`)
    console.log(
      `  all acknowledged after ${acknowledgedS} s, all told after ${((Date.now() - beganAtMs) / 1_000).toFixed(0)} s; ` +
        `${doubled} messages twice, ${faults.length} faults`,
    )
    for (const line of lines) console.log(`  ${line}`)
    fail(faults)
    await told.close()
  })
}

async function quiet(messages: number): Promise<void> {
  await withFleet(messages, async (server, fleet) => {
    const told = await tellProviders(server, await server.client.signIn('admin', server.adminPassword))
    const times = new Map<string, number[]>()
    for (const device of fleet.devices.slice(0, messages)) {
      const sentAtMs = Date.now()
      void device.raise(criticalCode, 1)
      for (const { kind, takenAtMs } of told.providers) {
        let at = takenAtMs(device.code)
        for (; at === undefined; at = takenAtMs(device.code)) await delay(20)
        times.set(kind, [...(times.get(kind) ?? []), at - sentAtMs])
      }
      await delay(Math.max(0, sentAtMs + 5_000 + Math.random() * 2_000 - Date.now()))
    }
    console.log(`quiet: ${messages} alarms of level 1, from the report to the provider's answer`)
    for (const [kind, of] of times) console.log(`  ${kind.padEnd(9)} ${timesText(of)}`)
    const all = [...times.values()].flat()
    console.log(`  ${'all'.padEnd(9)} ${timesText(all)}`)
    fail(timeAt(all, 0.95) > 5_000 ? ['p95 is beyond 5 s'] : [])
    await told.close()
  })
}
