// `npm run demo [-- --devices N …]`: a server with its own filled installation in data/demo, and a fleet of virtual
// devices that report. Both end with this process, the fleet first.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serverFlags } from './server-flags.mjs'

const root = join(import.meta.dirname, '..')
const stopLimitMs = 10_000
const asked = askedOptions()
if (asked.help) {
  console.log(`用法：npm run demo -- [选项]
  --devices 数量              虚拟设备数量，1 到 100000，默认 200
  --upgrade-trouble 名称=比例 每次尝试升级时按比例发生故障，可重复，如 install-fails=0.2
  --setting-trouble 名称=比例 设置参数时按比例发生故障，可重复，如 never-applies=0.1
  --upgrade-seconds 秒数      一次升级约用多久，默认 40
  --alarming-minor 数字       次版本号为此数的固件安装成功后会产生告警，默认 66
故障名称和其余选项见 node apps/simulator/src/main.ts --help`)
  process.exit(0)
}
const deviceCount = Number(asked.devices ?? process.env.DEVICE_COUNT ?? 200)
if (!Number.isInteger(deviceCount) || deviceCount < 1 || deviceCount > 100_000) {
  console.error('设备数量应为 1 到 100000 的整数：npm run demo -- --devices 200')
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
  if (message.httpPort !== null) console.log(`  虚拟设备：${deviceCount} 台；按 Ctrl-C 停止。\n`)
  startFleet(message)
})
server.on('exit', (code, signal) => {
  exitCode = code ?? 1
  // After a failed start, the server itself has printed why.
  if (!isStopping && (isReady || signal !== null)) {
    console.error(
      `服务意外退出（${signal ?? `退出码 ${code}`}），演示随之停止；重新执行 npm run demo 即可，数据都在。`,
    )
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
    'upgrade-seconds': { type: 'string' },
    'alarming-minor': { type: 'string' },
  }
  try {
    return parseArgs({ options }).values
  } catch {
    // Invalid options: a count of NaN is refused below.
    return { devices: Number.NaN }
  }
}

/** The options that are passed on to the fleet. */
function fleetOptions() {
  return ['upgrade-trouble', 'setting-trouble', 'upgrade-seconds', 'alarming-minor'].flatMap((name) =>
    [asked[name] ?? []].flat().flatMap((value) => [`--${name}`, value]),
  )
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
    console.error(`虚拟设备意外退出（${code ?? signal}），5 秒后重新启动`)
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
