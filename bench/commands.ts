/**
 * Commands to ten thousand connected devices, sent and answered: each a row, a message, a PUBACK, a reply and its
 * PUBACK. The ratio is to the bare broker, which publishes messages of the same size to the same devices and waits
 * for PUBACK, without a database. Both alternate on the same machine; absolute figures depend on its load.
 *
 *   npm run bench:commands                                   the ratio, and what a command costs
 *   npm run bench:commands -- --only kills --kills 50        kill -9 meanwhile: none lost, none executed twice
 *   npm run bench:commands -- --only idle --devices 1000     CPU of a server whose devices are idle
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { CommandLedger } from '../apps/server/test/command-ledger.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { barePort, startBareBroker } from './bare-broker.ts'
import { measureCommands } from './command-rate.ts'
import type { FleetAnswer, FleetOrder } from './fleet-process.ts'
import { noDeviceLimits } from './no-device-limits.ts'
import { cpuMs } from './process-cpu.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'rate' },
    devices: { type: 'string', default: '10000' },
    commands: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    kills: { type: 'string', default: '50' },
    'idle-seconds': { type: 'string', default: '60' },
  },
})
const deviceCount = Number(options.devices)
const commandCount = Number(options.commands)
const restMs = 5_000

const median = (list: number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
const whole = (value: number) => Math.round(value).toLocaleString('en')

switch (options.only) {
  case 'kills':
    await measureKills(Number(options.kills))
    break
  case 'idle':
    await measureIdle(Number(options['idle-seconds']))
    break
  default:
    await measureRates(Number(options.rounds))
}

async function measureRates(rounds: number): Promise<void> {
  const server = await startServerProcess({
    demoDevices: deviceCount,
    environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
  })
  const fleet = fork(join(import.meta.dirname, 'fleet-process.ts'), { stdio: 'inherit' })
  const bareFleet = fork(join(import.meta.dirname, 'fleet-process.ts'), { stdio: 'inherit' })
  try {
    const secretsPath = join(server.dataDir, 'demo-devices.json')
    await connect(fleet, server.mqttPort, secretsPath)
    const bare = await startBareBroker()
    await connect(bareFleet, barePort, secretsPath)
    await delay(restMs)
    const ratios: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const bareRate = await bare.measure(commandCount, 150)
      const { rate, count, cpu } = await measureCommands({
        databaseUrl: databaseUrlOf(server.dataDir),
        devices: deviceCount,
        commands: commandCount,
        cpu: () => cpuMs(server.pid),
      })
      const each = (ms: number) => `${Math.round((ms * 1000) / count)} µs`
      ratios.push(rate / bareRate)
      console.log(
        `${deviceCount} devices: ${whole(rate)} commands/s answered, bare broker ${whole(bareRate)} messages/s, ` +
          `ratio ${(rate / bareRate).toFixed(2)}; CPU a command: server ${each(cpu.server)}, database ${each(cpu.database)}`,
      )
    }
    console.log(`  median ratio: ${median(ratios).toFixed(2)}`)
    bare.broker.close()
  } finally {
    fleet.kill('SIGKILL')
    bareFleet.kill('SIGKILL')
    await server.remove()
  }
}

async function measureKills(kills: number): Promise<void> {
  const ledger = new CommandLedger()
  const server = await startServerProcess({
    demoDevices: 60,
    environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
  })
  const fleet = new Fleet(server.devices(), {
    broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
    random: createRandom(1),
    reconnectMs: [100, 500],
    connectsPerSecond: 1_000,
    commandsOf: ({ code }) => ({ hasScreen: true, trouble: ledger.counting(code) }),
  })
  try {
    await fleet.start()
    await fleet.whenOnline()
    const playing = new AbortController()
    const storm = ledger.storm(server.dataDir, playing.signal, 100)
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(200 + Math.random() * 1_500)
      await server.kill()
      await server.start()
    }
    await delay(1_000)
    playing.abort()
    await storm
    await fleet.whenOnline()
    const differences = await ledger.differences(server.dataDir)
    for (const line of differences) console.log(`  ${line}`)
    console.log(
      `${kills} times kill -9: ${whole(ledger.promised.size)} commands promised, ` +
        `${differences.length} lost, unanswered or executed twice`,
    )
    if (differences.length > 0) process.exitCode = 1
  } finally {
    fleet.cutPower()
    await server.remove()
  }
}

async function measureIdle(seconds: number): Promise<void> {
  const server = await startServerProcess({
    demoDevices: deviceCount,
    environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
  })
  const fleet = fork(join(import.meta.dirname, 'fleet-process.ts'), { stdio: 'inherit' })
  try {
    await connect(fleet, server.mqttPort, join(server.dataDir, 'demo-devices.json'))
    // Waits for the start's jobs and the presence updates of the connections.
    await delay(60_000)
    const before = cpuMs(server.pid)
    await delay(seconds * 1_000)
    const after = cpuMs(server.pid)
    const share = (ms: number) => `${((ms / (seconds * 1_000)) * 100).toFixed(2)} %`
    console.log(
      `${deviceCount} devices merely there, ${seconds} s: server ${share(after.server - before.server)} of a core, ` +
        `database ${share(after.database - before.database)}`,
    )
  } finally {
    fleet.kill('SIGKILL')
    await server.remove()
  }
}

async function connect(fleet: ChildProcess, port: number, secretsPath: string): Promise<void> {
  const order: FleetOrder = {
    kind: 'connect',
    mqtt: `mqtt://127.0.0.1:${port}`,
    secretsPath,
    connectsPerSecond: 2_000,
    hasScreens: true,
  }
  const answer = once(fleet, 'message')
  fleet.send(order)
  const [{ onlineCount }] = (await answer) as [FleetAnswer]
  if (onlineCount < deviceCount) throw new Error(`${onlineCount} of ${deviceCount} devices are online`)
}
