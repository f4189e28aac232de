// A simulated fleet with alarms of its own, for the bench of the alarm gate.
import { createRandom, type Random } from '@voltkeep/simulator/random'
import {
  type GateFigures,
  type GateWindow,
  gateWindow,
} from '../apps/server/src/features/upgrades/gate/gate.rules.ts'

/** The alarms that a fleet has without any upgrade. */
export interface FleetKind {
  name: string
  /** Mean number of alarms per device and day; some devices have most of them. */
  alarmsPerDay: number
  /** The probability that an alarm comes again within the hour. */
  recurring: number
  /** Events per site and day that raise one alarm on nearly all of its devices. */
  siteEventsPerDay: number
  /** The probability that an event affects a fifth of all sites during a rollout. */
  shock: number
  /** The probability that an upgraded device raises an alarm for two minutes after its restart. */
  restartNoise: number
}

export const fleetKinds: FleetKind[] = [
  { name: 'no alarms', alarmsPerDay: 0, recurring: 0, siteEventsPerDay: 0, shock: 0, restartNoise: 0 },
  {
    name: 'calm: 0.1 alarms a device and day',
    alarmsPerDay: 0.1,
    recurring: 0.3,
    siteEventsPerDay: 0.02,
    shock: 0,
    restartNoise: 0,
  },
  {
    name: 'many: 2 alarms a device and day, recurring, sites struck together',
    alarmsPerDay: 2,
    recurring: 0.6,
    siteEventsPerDay: 0.2,
    shock: 0,
    restartNoise: 0,
  },
  {
    name: 'shocks: calm, and a fifth of all sites struck in the midst of the rollout',
    alarmsPerDay: 0.1,
    recurring: 0.3,
    siteEventsPerDay: 0.02,
    shock: 1,
    restartNoise: 0,
  },
  {
    name: 'noise: calm, and 1 % of restarts raise an alarm for two minutes',
    alarmsPerDay: 0.1,
    recurring: 0.3,
    siteEventsPerDay: 0.02,
    shock: 0,
    restartNoise: 0.01,
  },
]

/** A bad image raises one alarm on this share of devices, with this mean delay in minutes after their upgrade. */
export interface Image {
  name: string
  share: number
  afterMinutes: number
}

/** An alarm, in minutes from the rollout's start. */
interface Episode {
  start: number
  end: number
  code: string
}

interface SimulatedDevice {
  stage: number
  startedAt: number
  verifiedAt: number
  episodes: Episode[]
}

export interface Fleet {
  devices: SimulatedDevice[]
  endsAt: number
  /** The stages that have begun. */
  stagesAt(minute: number): number[]
  /** The number of devices whose upgrade had begun. */
  startedBy(minute: number): number
}

const dayMinutes = 1_440
const beforeMinutes = gateWindow.beforeHours * 60
const mostMinutes = gateWindow.mostHours * 60
const soakMinutes = 30
const pacePerMinute = 1_000
const siteSize = 8
const codeCount = 12

/** A rollout without a gate: a rule judges it at several times, and its pause would end it there. */
export function simulateRollout({
  seed,
  devices: count,
  kind,
  image,
}: {
  seed: number
  devices: number
  kind: FleetKind
  image: Image
}): Fleet {
  const random = createRandom(seed * 7_919)
  const starts = stageStarts(count, random)
  const endsAt = (starts.at(-1)?.endsAt ?? 0) + soakMinutes
  const devices = starts.flatMap(({ stage, plan }) =>
    plan.map(([startedAt, verifiedAt]) => ({ stage, startedAt, verifiedAt, episodes: [] as Episode[] })),
  )
  // Shuffled, so that each site has devices of all stages.
  const shuffled = devices.map((device) => [random.next(), device] as const)
  shuffled.sort(([one], [other]) => one - other)
  const sites = Array.from({ length: Math.ceil(count / siteSize) }, (_, n) =>
    shuffled.slice(n * siteSize, (n + 1) * siteSize).map(([, device]) => device),
  )
  const days = (beforeMinutes + endsAt) / dayMinutes
  const shockAt = random.chance(kind.shock) ? random.next() * endsAt : null
  for (const site of sites) {
    for (const device of site) addOwn(device, kind, endsAt, random)
    for (let n = poisson(kind.siteEventsPerDay * days, random); n > 0; n -= 1) {
      strike(site, -beforeMinutes + random.next() * (beforeMinutes + endsAt), random)
    }
    if (shockAt !== null && random.chance(0.2)) strike(site, shockAt, random)
  }
  for (const device of devices) {
    const { verifiedAt, episodes } = device
    if (random.chance(kind.restartNoise))
      add(episodes, { start: verifiedAt - 1, end: verifiedAt + 1, code: 'restart' })
    if (random.chance(image.share)) {
      const start = verifiedAt + image.afterMinutes * (0.5 + random.next())
      add(episodes, { start, end: Number.POSITIVE_INFINITY, code: 'image' })
    }
  }
  return {
    devices,
    endsAt,
    stagesAt: (minute) => starts.filter(({ beginsAt }) => beginsAt <= minute).map(({ stage }) => stage),
    startedBy: (minute) => devices.filter(({ startedAt }) => startedAt <= minute).length,
  }
}

interface StagePlan {
  stage: number
  beginsAt: number
  endsAt: number
  /** For each device, when its upgrade began and when it was verified. */
  plan: [number, number][]
}

function stageStarts(count: number, random: Random): StagePlan[] {
  const sizes = count <= 20 ? [count] : [Math.max(1, Math.round(count * 0.05)), Math.round(count * 0.25)]
  if (count > 20) sizes.push(count - sizes.reduce((sum, size) => sum + size, 0))
  let beginsAt = 0
  return sizes.map((size, index) => {
    const plan = Array.from({ length: size }, (_, rank): [number, number] => {
      const startedAt = beginsAt + rank / pacePerMinute
      return [startedAt, startedAt + 3 + Math.min(random.gap(4), 20)]
    })
    const endsAt = Math.max(...plan.map(([, verifiedAt]) => verifiedAt))
    const stage = { stage: index + 1, beginsAt, endsAt, plan }
    beginsAt = endsAt + soakMinutes
    return stage
  })
}

/** Alarms of single devices: few devices have most of them, more by day than by night, and they recur. */
function addOwn(
  { episodes }: SimulatedDevice,
  { alarmsPerDay, recurring }: FleetKind,
  endsAt: number,
  random: Random,
): void {
  // A gamma distribution of shape 1/2 with mean 1: the square of a normal deviate.
  const rate = alarmsPerDay * normal(random) ** 2 * (1 - recurring)
  for (let n = poisson((rate * (beforeMinutes + endsAt)) / dayMinutes, random); n > 0; n -= 1) {
    let start = -beforeMinutes + random.next() * (beforeMinutes + endsAt)
    if (!random.chance(0.5 + 0.5 * Math.sin((2 * Math.PI * start) / dayMinutes))) continue
    const code = `own${random.between(1, codeCount)}`
    do {
      add(episodes, { start, end: start + random.gap(10), code })
      start += random.gap(25)
    } while (random.chance(recurring))
  }
}

function strike(site: readonly SimulatedDevice[], at: number, random: Random): void {
  for (const { episodes } of site) {
    if (!random.chance(0.8)) continue
    const start = at + random.next() * 2
    add(episodes, { start, end: start + random.gap(30), code: 'power' })
  }
}

/** A semaphore has one episode at a time. */
function add(episodes: Episode[], episode: Episode): void {
  const meets = ({ code, start, end }: Episode) =>
    code === episode.code && start <= episode.end && end >= episode.start
  if (!episodes.some(meets)) episodes.push(episode)
}

/** The figures of the server's query, for one stage at one minute. */
export function figuresAt(
  { devices }: Fleet,
  stage: number,
  minute: number,
  window: GateWindow,
): GateFigures {
  const upgraded = devices.filter(
    (one) => one.stage === stage && one.verifiedAt + window.settleMinutes <= minute,
  )
  const first = upgraded.reduce((least, { startedAt }) => Math.min(least, startedAt), minute)
  const windowMinutes = Math.min(mostMinutes, Math.max(window.leastHours * 60, minute - first))
  const from = minute - windowMinutes
  const windows = Math.floor(beforeMinutes / windowMinutes)
  const counts = new Map<string, { alarmed: number; before: number; control: number }>()
  const of = (code: string) => {
    const known = counts.get(code)
    if (known) return known
    const none = { alarmed: 0, before: 0, control: 0 }
    counts.set(code, none)
    return none
  }
  const all = of('')
  for (const { startedAt, verifiedAt, episodes } of upgraded) {
    if (episodes.length === 0) continue
    const standing = codesAt(episodes, startedAt)
    const raised = new Set<string>()
    const before = new Set<string>()
    const beforeAll = new Set<number>()
    for (const { start, end, code } of episodes) {
      if (start > startedAt) {
        if (start > from && start <= minute && end > verifiedAt + window.settleMinutes && !standing.has(code))
          raised.add(code)
      } else {
        const window = Math.floor((startedAt - start) / windowMinutes)
        if (window >= windows) continue
        beforeAll.add(window)
        before.add(`${code} ${window}`)
      }
    }
    if (raised.size > 0) all.alarmed += 1
    all.before += beforeAll.size
    for (const code of raised) of(code).alarmed += 1
    for (const key of before) of(key.split(' ')[0] ?? '').before += 1
  }
  let controlDevices = 0
  for (const { startedAt, episodes } of devices) {
    if (startedAt <= minute) continue
    controlDevices += 1
    if (episodes.length === 0) continue
    const raised = new Set(
      episodes.filter(({ start }) => start > from && start <= minute).map(({ code }) => code),
    )
    if (raised.size > 0) all.control += 1
    for (const code of raised) of(code).control += 1
  }
  counts.delete('')
  return {
    verified: upgraded.length,
    windowHours: windowMinutes / 60,
    beforeWindows: upgraded.length * windows,
    controlDevices,
    all,
    codes: [...counts].flatMap(([code, one]) => (one.alarmed > 0 ? [{ code, ...one }] : [])),
  }
}

const codesAt = (episodes: readonly Episode[], minute: number) =>
  new Set(episodes.filter(({ start, end }) => start <= minute && end > minute).map(({ code }) => code))

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

/** Samples a Poisson distribution by the gaps between events. */
function poisson(mean: number, random: Random): number {
  let events = 0
  for (let at = random.gap(1); at < mean; at += random.gap(1)) events += 1
  return events
}
