// The options of the simulator's command line, and the behaviour of its devices that they set.
import { parseArgs } from 'node:util'
import { type CabinetTroubleName, cabinetTroubles } from './cabinet/trouble.ts'
import type { CommandOptions } from './commands/host.ts'
import {
  type ActionTroubleName,
  actionTroubles,
  byChance,
  type LogTroubleName,
  logTroubles,
  parseTroubles,
  type SettingTroubleName,
  settingTroubles,
  type TroubleShares,
  troubles,
  type UpgradeTroubleName,
  upgradeTroubles,
} from './commands/trouble.ts'
import { alarmKinds, type Classify } from './firmware.ts'
import { parseBrokerAddress } from './link.ts'
import { type ScenarioName, scenarios } from './scenarios/index.ts'
import { texts } from './texts.ts'

export const usage = texts.usage(Object.keys(scenarios), {
  advertising: troubles,
  upgrades: upgradeTroubles,
  settings: settingTroubles,
  logs: logTroubles,
  actions: actionTroubles,
  cabinets: cabinetTroubles,
})

/** The troubles of an ordinary fleet. `--trouble` replaces these. */
const usualTroubles: TroubleShares = {
  'cut-download': 0.03,
  'disk-full': 0.01,
  'wrong-hash': 0.01,
  'never-answers': 0.01,
  'answers-twice': 0.01,
}

/**
 * Without troubles that delay a stage until the task's timeout, a quarter of an hour each time: `goes-silent`,
 * `never-answers` and `claims-success` only happen on request.
 */
const usualUpgradeTroubles: TroubleShares<UpgradeTroubleName> = {
  'cut-download': 0.05,
  'power-cut': 0.03,
  'wrong-hash': 0.01,
  'install-fails': 0.03,
  refuses: 0.01,
}

const usualSettingTroubles: TroubleShares<SettingTroubleName> = {
  refuses: 0.01,
  fails: 0.02,
  silent: 0.01,
  'never-applies': 0.01,
  'applies-late': 0.05,
  'applies-some': 0.01,
}

const usualLogTroubles: TroubleShares<LogTroubleName> = {
  'cut-upload': 0.1,
  refuses: 0.03,
  'goes-silent': 0.02,
}

const usualActionTroubles: TroubleShares<ActionTroubleName> = {
  refuses: 0.02,
  fails: 0.02,
  lies: 0.02,
}

/** Of compartments. `runs-out` and `claims-battery` only happen on request. */
const usualCabinetTroubles: TroubleShares<CabinetTroubleName> = {
  'compartment-fails': 0.01,
  'charger-fails': 0.01,
  'hot-battery': 0.01,
  'door-sticks': 0.002,
  'silent-sensor': 0.005,
  'bad-sensor': 0.002,
}

/** Throws a TypeError for options that cannot be understood. */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      mqtt: { type: 'string', default: 'mqtt://localhost:1883' },
      ca: { type: 'string' },
      secrets: { type: 'string' },
      devices: { type: 'string' },
      scenario: { type: 'string', default: 'live' },
      rate: { type: 'string', default: '1' },
      history: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      trouble: { type: 'string', multiple: true },
      'upgrade-trouble': { type: 'string', multiple: true },
      'setting-trouble': { type: 'string', multiple: true },
      'log-trouble': { type: 'string', multiple: true },
      'action-trouble': { type: 'string', multiple: true },
      'cabinet-trouble': { type: 'string', multiple: true },
      'status-seconds': { type: 'string', default: '300' },
      'upgrade-seconds': { type: 'string', default: '40' },
      'alarming-minor': { type: 'string', default: '66' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    process.exit(0)
  }
  if (values.secrets === undefined) throw new TypeError(texts.noSecrets)
  if (!(values.scenario in scenarios)) throw new TypeError(texts.noScenario(values.scenario))
  type NumberName =
    | 'rate'
    | 'history'
    | 'seed'
    | 'devices'
    | 'seconds'
    | 'status-seconds'
    | 'upgrade-seconds'
    | 'alarming-minor'
  const number = (name: NumberName) => {
    const value = Number(values[name])
    if (!(value >= 0)) throw new TypeError(texts.noNumber(name))
    return value
  }
  return {
    broker: parseBrokerAddress(values.mqtt),
    caPath: values.ca,
    secretsPath: values.secrets,
    scenario: values.scenario as ScenarioName,
    deviceCount: values.devices === undefined ? undefined : number('devices'),
    rate: number('rate') || 1,
    historyDays: number('history'),
    seed: number('seed'),
    seconds: values.seconds === undefined ? undefined : number('seconds'),
    troubles: values.trouble === undefined ? usualTroubles : parseTroubles(troubles, values.trouble),
    upgradeTroubles:
      values['upgrade-trouble'] === undefined
        ? usualUpgradeTroubles
        : parseTroubles(upgradeTroubles, values['upgrade-trouble']),
    settingTroubles:
      values['setting-trouble'] === undefined
        ? usualSettingTroubles
        : parseTroubles(settingTroubles, values['setting-trouble']),
    logTroubles:
      values['log-trouble'] === undefined
        ? usualLogTroubles
        : parseTroubles(logTroubles, values['log-trouble']),
    actionTroubles:
      values['action-trouble'] === undefined
        ? usualActionTroubles
        : parseTroubles(actionTroubles, values['action-trouble']),
    cabinetTroubles:
      values['cabinet-trouble'] === undefined
        ? usualCabinetTroubles
        : parseTroubles(cabinetTroubles, values['cabinet-trouble']),
    statusSeconds: number('status-seconds'),
    upgradeSeconds: number('upgrade-seconds'),
    alarmingMinor: number('alarming-minor'),
  }
}

/** How devices of a family execute commands. Batteries and energy storage have no screen. */
export function commandOptionsOf(
  classify: Classify,
  options: ReturnType<typeof readOptions>,
): CommandOptions {
  const { upgradeSeconds, alarmingMinor } = options
  // The first alarm of level 2: serious enough for the operator to be told, and not critical.
  const alarmed = alarmKinds[classify].find(({ level }) => level === 2)
  return {
    hasScreen: classify === 'EC',
    trouble: byChance(options.troubles),
    rebootMs: upgradeSeconds * 100,
    settings: { trouble: byChance(options.settingTroubles) },
    upgrade: {
      trouble: byChance(options.upgradeTroubles),
      downloadMs: upgradeSeconds * 500,
      installMs: upgradeSeconds * 400,
      alarmingMinor,
      alarm: alarmed && { code: alarmed.code, value: alarmed.values?.[0] ?? 1 },
      alarmAfterMs: upgradeSeconds * 250,
    },
    actions: { trouble: byChance(options.actionTroubles) },
    // As over a mobile connection: a progress that can be watched.
    logs: { trouble: byChance(options.logTroubles), prepareMs: 1_500, uploadMs: 4_000 },
  }
}
