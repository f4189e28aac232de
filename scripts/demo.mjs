// `npm run demo [-- --devices N …]`: a server with its own filled installation in data/demo, and a fleet of virtual
// devices that report. Both end with this process, the fleet first.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serverFlags } from './server-flags.mjs'
import { texts } from './texts.mjs'

const root = join(import.meta.dirname, '..')
const stopLimitMs = 10_000
const asked = askedOptions()
if (asked.help) {
  console.log(texts.demoUsage)
  process.exit(0)
}
const deviceCount = Number(asked.devices ?? process.env.DEVICE_COUNT ?? 200)
if (!Number.isInteger(deviceCount) || deviceCount < 1 || deviceCount > 100_000) {
  console.error(texts.demoDevices)
  process.exit(1)
}

const dataDir = process.env.DATA_DIR || join(root, 'data/demo')
const secretsFile = join(dataDir, 'demo-devices.json')

let fleet
let isReady = false
let isStopping = false
let exitCode = 0

const server = run(
  [...serverFlags, 'apps/server/src/main.ts', '--demo', String(deviceCount), '--secrets', secretsFile],
  { ...process.env, DATA_DIR: dataDir },
)
server.on('message', (message) => {
  if (message.kind !== 'ready' || isStopping) return
  isReady = true
  if (message.httpPort !== null) console.log(texts.demoFleet(deviceCount))
  startFleet(message)
})
server.on('exit', (code, signal) => {
  exitCode = code ?? 1
  // After a failed start, the server itself has printed why.
  if (!isStopping && (isReady || signal !== null)) {
    console.error(texts.demoServerEnded(signal ?? texts.exitCode(code)))
  }
  void stop()
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (isStopping) {
      fleet?.kill('SIGKILL')
      server.kill('SIGINT')
    } else void stop()
  })
}
process.on('disconnect', () => void stop())

function askedOptions() {
  const options = {
    help: { type: 'boolean' },
    devices: { type: 'string' },
    'upgrade-trouble': { type: 'string', multiple: true },
    'setting-trouble': { type: 'string', multiple: true },
    'cabinet-trouble': { type: 'string', multiple: true },
    'status-seconds': { type: 'string' },
    'upgrade-seconds': { type: 'string' },
    'alarming-minor': { type: 'string' },
  }
  try {
    return parseArgs({ options }).values
  } catch {
    const known = Object.keys(options).map((name) => `--${name}`)
    console.error(texts.demoOptions(process.argv.slice(2).join(' '), known))
    process.exit(1)
  }
}

/** The options that are passed on to the fleet. */
function fleetOptions() {
  const passed = [
    'upgrade-trouble',
    'setting-trouble',
    'cabinet-trouble',
    'status-seconds',
    'upgrade-seconds',
    'alarming-minor',
  ]
  return passed.flatMap((name) => [asked[name] ?? []].flat().flatMap((value) => [`--${name}`, value]))
}

function startFleet({ mqttPort, mqttTlsPort }) {
  const entry = 'apps/simulator/src/main.ts'
  if (!existsSync(join(root, entry)) || (mqttPort === null && mqttTlsPort === null)) return
  fleet = run([
    ...['--import', join(import.meta.dirname, 'end-with-parent.mjs'), entry],
    ...['--mqtt', mqttPort === null ? `mqtts://localhost:${mqttTlsPort}` : `mqtt://127.0.0.1:${mqttPort}`],
    ...['--devices', String(deviceCount), '--secrets', secretsFile],
    // A self-signed certificate is its own CA; the CA of any other certificate has to be known to this machine.
    ...(process.env.TLS_CERT ? ['--ca', process.env.TLS_CERT] : []),
    // At the first start only: lists and charts then have a week of history.
    ...['--history', '7'],
    ...fleetOptions(),
  ])
  fleet.on('exit', (code, signal) => {
    if (isStopping) return
    // Invalid options, which the fleet has reported.
    if (code === 2) {
      void stop()
      return
    }
    console.error(texts.demoFleetEnded(signal ?? texts.exitCode(code)))
    setTimeout(() => !isStopping && startFleet({ mqttPort, mqttTlsPort }), 5_000)
  })
}

/** Each child in its own session, so that a Ctrl-C reaches only this process, which ends them in order. */
function run(argv, env = process.env) {
  return spawn(process.execPath, argv, {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

async function stop() {
  if (isStopping) return
  isStopping = true
  await ended(fleet)
  await ended(server)
  process.exit(exitCode)
}

async function ended(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  // Only the fleet may be killed: the server has its own limits and a database to close.
  const timer = child === fleet ? setTimeout(() => child.kill('SIGKILL'), stopLimitMs) : undefined
  await exit
  clearTimeout(timer)
}
