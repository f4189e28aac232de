// The command line of the simulator: reads the options and plays a scenario on a fleet.
import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { byChance, parseTroubles, type TroubleShares, troubles } from './commands/trouble.ts'
import { Fleet } from './fleet.ts'
import { parseBrokerAddress } from './link.ts'
import { createRandom } from './random.ts'
import { backFill } from './scenarios/history.ts'
import { type ScenarioName, scenarios } from './scenarios/index.ts'
import { readSecrets } from './secrets.ts'

const usage = `用法：simulator --secrets 文件 [选项]
  --mqtt 地址        设备接入服务，默认 mqtt://localhost:1883
  --secrets 文件     设备编号与密钥的 JSON 列表：[{"code","secret","classify","partTypes"}]
  --devices 数量     只模拟前若干台，默认全部
  --scenario 名称    ${Object.keys(scenarios).join('、')}；默认 live
  --rate 倍数        节奏，默认 1；storm 为每秒 1000 条的倍数
  --history 天数     开始前补报最近若干天的历史数据，每个密钥文件只补报一次
  --seed 数字        随机种子，默认 1
  --seconds 秒数     到时自动结束，默认一直运行
  --trouble 名称=比例 执行命令时按比例发生故障，可重复；比例为 0 到 1
${Object.entries(troubles)
  .map(([name, meaning]) => `    ${name.padEnd(16)} ${meaning}`)
  .join('\n')}
`

/** A fleet in the field is never without trouble. `--trouble` replaces these. */
const usualTroubles: TroubleShares = {
  'cut-download': 0.03,
  'disk-full': 0.01,
  'wrong-hash': 0.01,
  'never-answers': 0.01,
  'answers-twice': 0.01,
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      mqtt: { type: 'string', default: 'mqtt://localhost:1883' },
      secrets: { type: 'string' },
      devices: { type: 'string' },
      scenario: { type: 'string', default: 'live' },
      rate: { type: 'string', default: '1' },
      history: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      trouble: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    process.exit(0)
  }
  if (values.secrets === undefined) throw new TypeError('缺少 --secrets')
  if (!(values.scenario in scenarios)) throw new TypeError(`没有名为 ${values.scenario} 的场景`)
  const number = (name: 'rate' | 'history' | 'seed' | 'devices' | 'seconds') => {
    const value = Number(values[name])
    if (!(value >= 0)) throw new TypeError(`--${name} 应为非负数`)
    return value
  }
  return {
    broker: parseBrokerAddress(values.mqtt),
    secretsPath: values.secrets,
    scenario: values.scenario as ScenarioName,
    deviceCount: values.devices === undefined ? undefined : number('devices'),
    rate: number('rate') || 1,
    historyDays: number('history'),
    seed: number('seed'),
    seconds: values.seconds === undefined ? undefined : number('seconds'),
    troubles: values.trouble === undefined ? usualTroubles : parseTroubles(values.trouble),
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function main(): Promise<void> {
  const options = readOptions()
  const identities = readSecrets(options.secretsPath).slice(0, options.deviceCount)
  if (identities.length === 0) throw new TypeError(`${options.secretsPath} 中没有设备`)

  const ending = new AbortController()
  const end = () => (ending.signal.aborted ? process.exit(130) : ending.abort())
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  // The parent process has ended; this process must not stay behind.
  process.on('disconnect', end)
  // The console may be closed before this process ends.
  process.stdout.on('error', () => undefined)
  if (options.seconds !== undefined) setTimeout(end, options.seconds * 1_000).unref()

  const random = createRandom(options.seed)
  let failures = 0
  // Shared by all devices of a kind. Batteries and energy storage have no screen.
  const withScreen = { hasScreen: true, trouble: byChance(options.troubles) }
  const withoutScreen = { hasScreen: false }
  const fleet = new Fleet(identities, {
    broker: options.broker,
    random: random.fork('fleet'),
    commandsOf: ({ classify }) => (classify === 'EC' ? withScreen : withoutScreen),
    onAttemptFailed: (device, reason) => {
      failures += 1
      if (failures === 1) say(`设备 ${device.code} 未能接入（${reason}），将继续重试`)
    },
  })
  const stage = {
    fleet,
    broker: options.broker,
    random: random.fork('play'),
    rate: options.rate,
    signal: ending.signal,
    say,
  }
  say(`模拟 ${identities.length} 台设备，场景 ${options.scenario}`)
  const watch = watchOnline(fleet)
  if (options.historyDays > 0) await fillHistoryOnce(options.secretsPath, options.historyDays)
  await scenarios[options.scenario](stage)
  clearInterval(watch)
  await fleet.stop()

  async function fillHistoryOnce(secretsPath: string, days: number) {
    const donePath = `${secretsPath}.history-done`
    if (existsSync(donePath)) return
    await fleet.start(fleet.devices, stage.signal)
    await backFill(stage, days)
    if (!stage.signal.aborted) writeFileSync(donePath, '')
  }
}

/** Prints a line when many devices came online or went offline, as after a restart of the server. */
function watchOnline(fleet: Fleet): NodeJS.Timeout {
  let said = 0
  return setInterval(() => {
    if (Math.abs(fleet.onlineCount - said) <= fleet.devices.length * 0.1) return
    said = fleet.onlineCount
    say(`在线 ${said}/${fleet.devices.length} 台`)
  }, 2_000).unref()
}

try {
  await main()
  process.exit(0)
} catch (error) {
  process.stderr.write(`模拟器：${error instanceof Error ? error.message : error}\n`)
  if (error instanceof TypeError) process.stderr.write(usage)
  process.exit(1)
}
