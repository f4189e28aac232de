// `npm run demo [-- --devices N]`: a server with a filled installation of its own under data/demo, and
// a fleet of virtual devices that keeps it alive. Both end with this process, the fleet first.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serverFlags } from './server-flags.mjs'

const root = join(import.meta.dirname, '..')
const stopLimitMs = 10_000
const { values } = parseArgs({ options: { devices: { type: 'string' } } })
const deviceCount = Number(values.devices ?? process.env.DEVICE_COUNT ?? 200)
if (!Number.isInteger(deviceCount) || deviceCount < 1 || deviceCount > 100_000) {
  console.error('设备数量应为 1 到 100000 的整数：npm run demo -- --devices 200')
  process.exit(1)
}

const dataDir = process.env.DATA_DIR || join(root, 'data/demo')
const secretsFile = join(dataDir, 'demo-devices.json')
const adminPassword = process.env.ADMIN_PASSWORD || keptPassword()
const environment = { ...process.env, DATA_DIR: dataDir, ADMIN_PASSWORD: adminPassword }

let fleet
let isStopping = false
let exitCode = 0

const server = run(
  [...serverFlags, 'apps/server/src/main.ts', '--demo', String(deviceCount), '--secrets', secretsFile],
  environment,
)
server.on('message', (message) => {
  if (message.kind !== 'ready' || isStopping) return
  if (message.httpPort !== null) {
    console.log(`  演示登录：用户名 admin，密码 ${adminPassword}（保存在 ${join(dataDir, 'demo-password')}）`)
    console.log(`  虚拟设备：${deviceCount} 台；按 Ctrl-C 停止。\n`)
  }
  startFleet(message.mqttPort)
})
server.on('exit', (code) => {
  exitCode = code ?? 1
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

/** The same at every start, unlike a first password that is shown once: a demo is come back to. */
function keptPassword() {
  const path = join(dataDir, 'demo-password')
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const password = `Demo-${randomBytes(6).toString('base64url')}`
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${password}\n`, { mode: 0o600 })
  return password
}

function startFleet(mqttPort) {
  const entry = 'apps/simulator/src/main.ts'
  if (!existsSync(join(root, entry)) || mqttPort === null) return
  fleet = run([
    ...['--import', join(import.meta.dirname, 'end-with-parent.mjs'), entry],
    ...['--mqtt', `mqtt://127.0.0.1:${mqttPort}`, '--devices', String(deviceCount), '--secrets', secretsFile],
    // The first time only: lists and charts begin with a week of past, not empty.
    ...['--history', '7'],
  ])
  fleet.on('exit', (code, signal) => {
    if (isStopping) return
    console.error(`虚拟设备意外退出（${code ?? signal}），5 秒后重新启动`)
    setTimeout(() => !isStopping && startFleet(mqttPort), 5_000)
  })
}

/** A session of its own each, so that a Ctrl-C reaches this process alone and the order holds. */
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
  // Only the fleet may be cut short: the server has its own limits and a database to close.
  const timer = child === fleet ? setTimeout(() => child.kill('SIGKILL'), stopLimitMs) : undefined
  await exit
  clearTimeout(timer)
}
