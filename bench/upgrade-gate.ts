/**
 * The alarm gate of staged upgrades, by Monte Carlo simulation of the server's own rule: simulated fleets with alarms of
 * their own are upgraded in stages (5 %, 25 %, the rest; half an hour each), with a good image and with bad ones. The
 * rule is evaluated every minute. The results do not depend on the machine.
 *
 *   npm run bench:gate                              20 seeds of 1,000 devices
 *   npm run bench:gate -- --devices 100 --seeds 100
 *   npm run bench:gate -- --only chosen             the rule that the server has, without the other candidates
 */
import { parseArgs } from 'node:util'
import {
  type GateFigures,
  type GateRule,
  type GateWindow,
  gateRule,
  gateWindow,
  judgeAlarms,
} from '../apps/server/src/features/upgrades/gate/gate.rules.ts'
import {
  type Fleet,
  type FleetKind,
  figuresAt,
  fleetKinds,
  type Image,
  simulateRollout,
} from './gate-fleet.ts'

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    devices: { type: 'string', default: '1000' },
    only: { type: 'string' },
  },
})
const seeds = Number(options.seeds)
const deviceCount = Number(options.devices)

interface Candidate {
  name: string
  pauses(figures: GateFigures): boolean
  window: GateWindow
  /** Whether it also judges passed stages. */
  looksBack: boolean
}

const byRule = (name: string, changes: Partial<GateRule>, window: Partial<GateWindow> = {}): Candidate => ({
  name,
  looksBack: true,
  window: { ...gateWindow, ...window },
  pauses: (figures) => !judgeAlarms(figures, { ...gateRule, ...changes }).passes,
})
/** A binomial test with a rate that is treated as known; a single alarm may exceed it. */
const binomial = { trialsLimit: Number.POSITIVE_INFINITY, leastAlarmed: 1, error: 0.01, codeShare: 0 }

const candidates: Candidate[] = [
  byRule('binomial 1 %, own span, all alarms', binomial, { leastHours: 1 / 60, settleMinutes: 0 }),
  byRule('binomial 1 %, all alarms', binomial, { settleMinutes: 0 }),
  byRule('binomial 1 %', binomial),
  byRule('limit 300, 1 %', { error: 0.01, codeShare: 0 }),
  byRule('limit 300, 1 %, codes', { error: 0.01 }),
  byRule('limit 300, 2 %, codes, all alarms', {}, { settleMinutes: 0 }),
  byRule('limit 500, 2 %, codes', { trialsLimit: 500 }),
  byRule('limit 300, 2 %, codes, at least 3', { leastAlarmed: 3 }),
  byRule('limit 300, 0.2 %, codes', { error: 0.002 }),
  byRule('limit 300, 2 %, codes (chosen)', {}),
  { ...byRule('limit 300, 2 %, codes, stages under way only', {}), looksBack: false },
  byRule('limit 200, 2 %, codes', { trialsLimit: 200 }),
  byRule('limit 100, 2 %, codes', { trialsLimit: 100 }),
]
const asked = candidates.filter(({ name }) => options.only === undefined || name.includes(options.only))

const images: Image[] = [
  { name: 'good', share: 0, afterMinutes: 0 },
  { name: '100 %, at once', share: 1, afterMinutes: 1 },
  { name: '30 %, 10 min', share: 0.3, afterMinutes: 10 },
  { name: '10 %, 10 min', share: 0.1, afterMinutes: 10 },
  { name: '5 %, 20 min', share: 0.05, afterMinutes: 20 },
  { name: '30 %, 90 min', share: 0.3, afterMinutes: 90 },
]

console.log(`${deviceCount} devices, ${seeds} seeds. Good image: rollouts paused for nothing.`)
console.log('Bad image: rollouts paused; devices that got it before the pause, median and worst.\n')
for (const kind of fleetKinds) {
  console.log(`## ${kind.name}`)
  console.log(`| rule | ${images.map(({ name }) => name).join(' | ')} |`)
  console.log(`|---|${images.map(() => '---').join('|')}|`)
  const cells = images.map((image) => measure(kind, image))
  for (const [index, { name }] of asked.entries()) {
    console.log(`| ${name} | ${cells.map((column) => column[index]).join(' | ')} |`)
  }
  console.log()
}

/** One cell of the table per rule. */
function measure(kind: FleetKind, image: Image): string[] {
  const reached: number[][] = asked.map(() => [])
  let paused = asked.map(() => 0)
  // False pauses are rare, so they are sought in more rollouts.
  const runs = image.share === 0 ? seeds * 10 : seeds
  for (let seed = 1; seed <= runs; seed += 1) {
    const fleet = simulateRollout({ seed, devices: deviceCount, kind, image })
    const pauses = firstPauses(fleet)
    paused = paused.map((count, index) => count + (pauses[index] === null ? 0 : 1))
    for (const [index, at] of pauses.entries()) reached[index]?.push(fleet.startedBy(at ?? fleet.endsAt))
  }
  return asked.map((_, index) => {
    const share = `${Number(((100 * (paused[index] ?? 0)) / runs).toPrecision(2))} %`
    if (image.share === 0) return share
    const counts = (reached[index] ?? []).toSorted((one, other) => one - other)
    return `${share}; ${counts[Math.floor(counts.length / 2)]}, ${counts.at(-1)}`
  })
}

/** When each rule pauses the rollout, in minutes from its start, or null for never. */
function firstPauses(fleet: Fleet): (number | null)[] {
  const pauses: (number | null)[] = asked.map(() => null)
  // After the last device has begun, a pause protects nothing.
  for (let minute = 1; fleet.startedBy(minute) < deviceCount; minute += 1) {
    const stages = fleet.stagesAt(minute)
    for (const stage of stages) {
      const spans = new Map<string, GateFigures>()
      for (const [index, candidate] of asked.entries()) {
        if (pauses[index] !== null || (!candidate.looksBack && stage !== stages.at(-1))) continue
        const key = JSON.stringify(candidate.window)
        const figures = spans.get(key) ?? figuresAt(fleet, stage, minute, candidate.window)
        spans.set(key, figures)
        if (figures.verified > 0 && candidate.pauses(figures)) pauses[index] = minute
      }
    }
    if (pauses.every((at) => at !== null)) break
  }
  return pauses
}
