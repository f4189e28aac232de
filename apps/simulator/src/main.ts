// The command line of the simulator: reads the options and plays a scenario on a fleet.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Batteries } from './cabinet/battery.ts'
import { Cabinet } from './cabinet/cabinet.ts'
import { drawTrouble } from './cabinet/trouble.ts'
import { parametersOf, partsOf, type SimulatedIdentity, usualCompartments } from './firmware.ts'
import { keepFlash } from './flash.ts'
import { Fleet } from './fleet.ts'
import { commandOptionsOf, readOptions, usage } from './options.ts'
import { createRandom } from './random.ts'
import { backFill } from './scenarios/history.ts'
import { scenarios } from './scenarios/index.ts'
import { readSecrets } from './secrets.ts'
import { texts } from './texts.ts'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function main(): Promise<void> {
  const options = readOptions()
  const identities = readSecrets(options.secretsPath).slice(0, options.deviceCount)
  if (identities.length === 0) throw new TypeError(texts.noDevices(options.secretsPath))

  if (options.caPath !== undefined) {
    // For all of the process: connections, downloads and uploads.
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(options.caPath, 'utf8')])
  }
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
  // Shared by all devices of a kind.
  const commandsOf = {
    EC: commandOptionsOf('EC', options),
    BAT: commandOptionsOf('BAT', options),
    ESS: commandOptionsOf('ESS', options),
  }
  const flash = keepFlash(`${options.secretsPath}.flash.json`)
  const batteries = new Batteries(random.fork('batteries'))
  const drawn = drawTrouble(options.cabinetTroubles, random.fork('cabinets'))
  const doneHistoryPath = `${options.secretsPath}.history-done`
  const isFilling = options.historyDays > 0 && !existsSync(doneHistoryPath)
  /** Cabinets stand since the beginning of the history that is to be reported. */
  const standingSinceMs = Date.now() - (isFilling ? options.historyDays * 24 * 3_600_000 : 0)
  /** A fleet that reports no status keeps none. */
  const cabinetOf = ({ code, classify, compartments: count = usualCompartments }: SimulatedIdentity) =>
    classify === 'EC' && options.statusSeconds > 0
      ? new Cabinet({
          count,
          batteries,
          random: random.fork(`${code}/cabinet`),
          nowMs: standingSinceMs,
          trouble: drawn,
        })
      : undefined
  const fleet = new Fleet(identities, {
    broker: options.broker,
    random: random.fork('fleet'),
    commandsOf: ({ classify }) => commandsOf[classify],
    partsOf: (identity) => partsOf(identity, random.fork(`${identity.code}/parts`)),
    parametersOf: (identity) => parametersOf(identity, random.fork(`${identity.code}/parameters`)),
    cabinetOf,
    savedOf: ({ code }) => flash.of(code),
    onAttemptFailed: (device, reason) => {
      failures += 1
      if (failures === 1) say(texts.notLetIn(device.code, reason))
    },
  })
  const stage = {
    fleet,
    broker: options.broker,
    random: random.fork('play'),
    rate: options.rate,
    statusSeconds: options.statusSeconds,
    batteries,
    signal: ending.signal,
    say,
  }
  say(texts.begins(identities.length, options.scenario))
  const watch = watchOnline(fleet)
  flash.watch(fleet.devices)
  if (isFilling) await fillHistory(options.historyDays)
  await scenarios[options.scenario](stage)
  clearInterval(watch)
  await fleet.stop()
  flash.write(fleet.devices)

  async function fillHistory(days: number) {
    await fleet.start(fleet.devices, stage.signal)
    await backFill(stage, days)
    if (!stage.signal.aborted) writeFileSync(doneHistoryPath, '')
  }
}

/** Prints a line when many devices came online or went offline, as after a restart of the server. */
function watchOnline(fleet: Fleet): NodeJS.Timeout {
  let said = 0
  return setInterval(() => {
    if (Math.abs(fleet.onlineCount - said) <= fleet.devices.length * 0.1) return
    said = fleet.onlineCount
    say(texts.online(said, fleet.devices.length))
  }, 2_000).unref()
}

try {
  await main()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${texts.failed(error instanceof Error ? error.message : String(error))}\n`)
  if (error instanceof TypeError) process.stderr.write(usage)
  // 2: the same call would end the same way.
  process.exit(error instanceof TypeError ? 2 : 1)
}
