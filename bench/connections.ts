// `npm run bench:connections [-- --devices 10000 --restarts 3]`: the cost of ten thousand idle
// devices for the embedded broker, and how long they are offline after the server was killed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { checkOpenFiles, forkFleet } from './fleet.ts'
import { noDeviceLimits } from './no-device-limits.ts'
import { residentBytes } from './process-cpu.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '10000' },
    restarts: { type: 'string', default: '3' },
    'connects-per-second': { type: 'string', default: '2000' },
  },
})
const deviceCount = Number(values.devices)
const restarts = Number(values.restarts)

/** Sockets, and some files for the server itself. */
const wantedFiles = deviceCount + 500
const restMs = 5_000

checkOpenFiles(wantedFiles)
console.log(`${deviceCount} devices, embedded broker and database, Node ${process.version}`)
const server = await startServerProcess({
  demoDevices: deviceCount,
  environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
})
const fleet = forkFleet()
try {
  await measure()
} finally {
  fleet.end()
  await server.remove()
}

async function measure(): Promise<void> {
  // The first start has registered the devices, and its memory has the garbage of that.
  await server.kill()
  await server.start()
  await delay(restMs)
  const emptyBytes = residentBytes(server.pid)
  const idleCpuMs = cpuMsOf(server.pid)
  const beganAt = Date.now()
  const connected = await fleet.ask({
    kind: 'connect',
    mqtt: `mqtt://127.0.0.1:${server.mqttPort}`,
    secretsPath: join(server.dataDir, 'demo-devices.json'),
    connectsPerSecond: Number(values['connects-per-second']),
  })
  const serverCpuMs = cpuMsOf(server.pid) - idleCpuMs
  await delay(restMs)
  const fullBytes = residentBytes(server.pid)
  const { rssBytes } = await fleet.ask({ kind: 'memory' })
  report('time to connect all', `${seconds(connected.atMs - beganAt)} s`)
  // Unlike the time above, CPU time is not affected by other load of the machine.
  report('  CPU of the server for it', `${seconds(serverCpuMs)} s`)
  report('  CPU of the fleet for it', `${seconds(connected.cpuMs)} s`)
  report('server memory, idle', `${megabytes(emptyBytes)} MB`)
  report('server memory, all connected', `${megabytes(fullBytes)} MB`)
  report('server memory per device', `${((fullBytes - emptyBytes) / deviceCount / 1024).toFixed(1)} KB`)
  report('fleet memory per device', `${(rssBytes / deviceCount / 1024).toFixed(1)} KB`)

  const startTimes: number[] = []
  const returnTimes: number[] = []
  const awayTimes: number[] = []
  for (let turn = 1; turn <= restarts; turn += 1) {
    const killedAt = Date.now()
    const gone = fleet.ask({ kind: 'whenOffline' })
    await server.kill()
    await gone
    await server.start()
    const readyAt = Date.now()
    const { atMs } = await fleet.ask({ kind: 'whenOnline' })
    startTimes.push(readyAt - killedAt)
    returnTimes.push(atMs - readyAt)
    awayTimes.push(atMs - killedAt)
    console.log(`  restart ${turn}: all back ${seconds(atMs - readyAt)} s after the server was ready`)
  }
  report('kill -9 to ready again', `${seconds(median(startTimes))} s (median of ${restarts})`)
  report('ready to all back online', `${seconds(median(returnTimes))} s (median of ${restarts})`)
  report('kill -9 to all back online', `${seconds(median(awayTimes))} s (median of ${restarts})`)
}

/** User and system time of one process since its start, ms. Linux counts in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const words = fields.split(' ')
  return (Number(words[11]) + Number(words[12])) * 10
}

function report(what: string, value: string): void {
  console.log(`${what.padEnd(32)}${value}`)
}

function median(list: readonly number[]): number {
  return list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0)
}
