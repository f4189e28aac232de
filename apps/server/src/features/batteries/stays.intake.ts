/**
 * Makes stays and stock of status reports. Most reports change nothing: they are compared with what the device said
 * before, and cost no statement. What differs is placed among the stays in the database, which alone is relied on.
 */
import type { StatusReport } from '@voltkeep/contract/topics/index'
import type { Notices } from '../../platform/database/notices/notices.ts'
import type { Connection } from '../../platform/database/transaction.ts'
import { isBeyondClock, type Report, type StatusConsumer } from '../../platform/devices/ingest/reports.ts'
import {
  type Contents,
  changeOf,
  type Look,
  lookOf,
  remembered,
  sightingsIn,
  stockOf,
} from './arrangement.rules.ts'
import { batteriesChanged, batteriesMoved } from './batteries.notices.ts'
import { newCodesPerDay, StayBudget, staysPerDay } from './battery-budget.rules.ts'
import {
  addBatteries,
  countFound,
  deleteStays,
  deleteStock,
  describeBatteries,
  findCodes,
  isBattery,
  lockStates,
  type Place,
  placeBatteries,
  putStays,
  putStock,
  readStays,
} from './stay-intake.queries.ts'
import { continuityMs, type Sighting, type Stay, setBack, startOf, withSightings } from './stays.rules.ts'

/** When full this takes some 150 MB; a cabinet of 12 compartments takes 1.5 KB. */
const rememberedDevices = 100_000
/**
 * What a device says is written at least so often, though nothing has changed: after a kill the end of a stay is known
 * that well.
 */
const writtenEveryMs = 3_600_000
/** A late report of a compartment is placed among so many later stays at most, each of which is read; with more it says nothing. */
const laterStays = 500
/** A batch that changes more batteries names none: clients read their lists again. */
const namedBatteries = 500

/** The newest look at a device, and when all of it was written last. */
interface Seen {
  look: Look
  writtenMs: number
}

/** A device whose reports have to be written. */
interface Work {
  deviceId: number
  /** In the order of arrival, after the look that is remembered. */
  looks: Look[]
  newest: Look
  /** Null: all. */
  compartments: Set<number> | null
  isRestocked: boolean
  writtenMs: number
  clockBack: { limitMs: number; toMs: number } | null
  report: Report<StatusReport>
}

type PlacedStay = Place & Stay

export function createStayConsumer({
  notices,
  now = () => performance.now(),
}: {
  notices: Pick<Notices, 'publish' | 'subscribe'>
  now?: () => number
}): StatusConsumer {
  const memory = new Memory()
  const stayBudget = new StayBudget(now)
  /** Devices of which this process has told itself. */
  const told = new Set<number>()
  // Behind a broker that divides the messages of a device among processes, another one may have written a change and
  // this one be given the change back alone: that is no change to what it remembers.
  notices.subscribe(batteriesMoved, (ids) => {
    if (ids === null) memory.clear()
    for (const id of ids ?? []) if (!told.delete(id)) memory.forget(id)
  })

  return {
    name: 'batteries',
    async write(connection, reports) {
      const quiet = new Map<number, Seen>()
      const works: Work[] = []
      for (const [deviceId, some] of Map.groupBy(reports, (report) => report.deviceId)) {
        const seen = memory.get(deviceId)
        const found = compare(deviceId, some, seen, now())
        if ('work' in found) works.push(found.work)
        else quiet.set(deviceId, found.seen)
      }
      const written = works.length > 0 ? await writeAll(connection, works, stayBudget) : null
      return () => {
        for (const [deviceId, seen] of quiet) memory.keep(deviceId, seen)
        for (const { deviceId, newest, compartments, writtenMs } of works) {
          memory.keep(deviceId, { look: newest, writtenMs: compartments ? writtenMs : now() })
        }
        if (!written) return
        for (const [deviceId, count] of written.begun) stayBudget.spend(deviceId, count)
        for (const { report, detail } of written.refused) report.refuse('tooManyBatteries', detail)
        if (written.movedDevices.size > 0) {
          for (const id of written.movedDevices) told.add(id)
          notices.publish(batteriesMoved, [...written.movedDevices])
        }
        const { changedCodes } = written
        if (changedCodes.size > 0)
          notices.publish(batteriesChanged, changedCodes.size > namedBatteries ? null : [...changedCodes])
      }
    },
  }
}

/** What has to be written of one device's reports; or, where that is nothing, what is to be remembered. */
function compare(
  deviceId: number,
  reports: readonly Report<StatusReport>[],
  seen: Seen | undefined,
  nowMs: number,
): { seen: Seen } | { work: Work } {
  const looks = reports.map(({ occurredAtMs, payload }) => lookOf(occurredAtMs, payload.compartments))
  const isDue = !seen || nowMs - seen.writtenMs > writtenEveryMs
  const compartments = new Set<number>()
  let isWhole = isDue
  let isRestocked = isDue
  let newest = seen?.look
  const clockBack = clockBackOf(reports)
  for (const [index, { clockLimitMs }] of reports.entries()) {
    const look = looks[index] as Look
    const isAhead = newest !== undefined && isBeyondClock(newest.atMs, clockLimitMs)
    const change = newest && !isAhead ? changeOf(newest, look) : null
    if (!change) isWhole = true
    for (const no of change?.moved ?? []) compartments.add(no)
    isRestocked ||= change?.isRestocked ?? true
    if (!newest || isAhead) newest = look
    else if (newest.atMs <= look.atMs) newest = remembered(newest, look)
  }
  const look = newest as Look
  const writtenMs = seen?.writtenMs ?? nowMs
  if (!isWhole && !isRestocked && compartments.size === 0) return { seen: { look, writtenMs } }
  const isKnown = seen && !isBeyondClock(seen.look.atMs, clockBack?.limitMs ?? null)
  return {
    work: {
      deviceId,
      looks: isKnown ? [seen.look, ...looks] : looks,
      newest: look,
      compartments: isWhole ? null : compartments,
      isRestocked,
      writtenMs,
      clockBack,
      report: reports.at(-1) as Report<StatusReport>,
    },
  }
}

/** To when the clock of a device may have been set back, as `setBack` in the newest values has it. */
function clockBackOf(reports: readonly Report<StatusReport>[]): Work['clockBack'] {
  const limits = reports.filter(({ clockLimitMs }) => clockLimitMs !== null)
  const limitMs = limits.at(-1)?.clockLimitMs ?? null
  return limitMs === null
    ? null
    : { limitMs, toMs: Math.min(...limits.map(({ occurredAtMs }) => occurredAtMs)) }
}

interface Written {
  movedDevices: Set<number>
  changedCodes: Set<string>
  /** Device → stays that it began. */
  begun: Map<number, number>
  refused: { report: Report<StatusReport>; detail: string }[]
}

async function writeAll(connection: Connection, asked: Work[], stayBudget: StayBudget): Promise<Written> {
  const written: Written = { movedDevices: new Set(), changedCodes: new Set(), begun: new Map(), refused: [] }
  const states = await lockStates(
    connection,
    asked.map(({ deviceId }) => deviceId),
  )
  const works = asked.filter(({ deviceId }) => states.has(deviceId))
  const spots = works.flatMap((work) => spotsOf(work))
  const unwelcome = await admitCodes(connection, works, spots, written)
  const { stale, fresh } = await placeSightings(connection, works, spots, unwelcome, stayBudget, written)
  if (stale.length > 0) await deleteStays(connection, stale)
  if (fresh.length > 0) await putStays(connection, fresh)
  const moved = [...new Set([...stale, ...fresh].filter(isBattery).map(({ code }) => code))]
  if (moved.length > 0) await placeBatteries(connection, moved)

  // Of a device whose newest report this is. A late one says nothing of the present.
  const present = works.filter(({ deviceId, newest, isRestocked }) => {
    const statusMs = states.get(deviceId)?.statusMs ?? null
    return isRestocked && (statusMs === null || statusMs <= newest.atMs)
  })
  const standing = present.flatMap(({ deviceId, newest }) =>
    [...newest.contents.values()]
      .filter(hasBattery)
      .map((one) => ({ ...one, deviceId, compartment: one.no })),
  )
  if (standing.length > 0) await describeBatteries(connection, standing)
  const stocks = present.map(({ deviceId, newest }) => ({ deviceId, stock: stockOf(newest) }))
  const known = stocks.flatMap(({ deviceId, stock }) => (stock ? [{ deviceId, ...stock }] : []))
  const unknown = stocks.filter(({ stock }) => !stock).map(({ deviceId }) => deviceId)
  if (known.length > 0) for (const id of await putStock(connection, known)) written.movedDevices.add(id)
  if (unknown.length > 0) await deleteStock(connection, unknown)
  return written
}

const hasBattery = (one: Contents): one is Contents & { code: string } =>
  one.code !== null && isBattery({ code: one.code })

/** A compartment of which something was seen. */
interface Spot extends Place {
  sightings: Sighting[]
}

function spotsOf({ deviceId, looks, compartments }: Work): Spot[] {
  const numbers = compartments ?? new Set(looks.flatMap(({ contents }) => [...contents.keys()]))
  return [...numbers]
    .map((compartment) => ({ deviceId, compartment, sightings: sightingsIn(compartment, looks) }))
    .filter(({ sightings }) => sightings.length > 0)
}

/** Makes new batteries known. Returns those for which a device has no budget left. */
async function admitCodes(
  connection: Connection,
  works: readonly Work[],
  spots: readonly Spot[],
  written: Written,
): Promise<Set<string>> {
  const claimed = new Map<string, number>()
  for (const { deviceId, sightings } of spots)
    for (const sighting of sightings)
      if (isBattery(sighting) && !claimed.has(sighting.code)) claimed.set(sighting.code, deviceId)
  if (claimed.size === 0) return new Set()
  const known = await findCodes(connection, [...claimed.keys()])
  const fresh = [...claimed]
    .filter(([code]) => !known.has(code))
    .map(([code, deviceId]) => ({ code, deviceId }))
  if (fresh.length === 0) return new Set()
  const used = await countFound(connection, [...new Set(fresh.map(({ deviceId }) => deviceId))])
  const admitted: typeof fresh = []
  const unwelcome = new Set<string>()
  for (const { code, deviceId } of fresh) {
    const count = used.get(deviceId) ?? 0
    if (count < newCodesPerDay) {
      used.set(deviceId, count + 1)
      admitted.push({ code, deviceId })
    } else {
      unwelcome.add(code)
    }
  }
  if (admitted.length > 0) await addBatteries(connection, admitted)
  const over = new Set(fresh.filter(({ code }) => unwelcome.has(code)).map(({ deviceId }) => deviceId))
  for (const { deviceId, report } of works) {
    if (over.has(deviceId))
      written.refused.push({ report, detail: `一台设备一天最多上报 ${newCodesPerDay} 个新的电池编号` })
  }
  return unwelcome
}

/** Which stays are no more as they were, and which are to be written. */
async function placeSightings(
  connection: Connection,
  works: readonly Work[],
  spots: readonly Spot[],
  unwelcome: ReadonlySet<string>,
  stayBudget: StayBudget,
  written: Written,
): Promise<{ stale: PlacedStay[]; fresh: PlacedStay[] }> {
  const stale: PlacedStay[] = []
  const fresh: PlacedStay[] = []
  if (spots.length === 0) return { stale, fresh }
  const placeOf = ({ deviceId, compartment }: Place) => `${deviceId} ${compartment}`
  const standing = Map.groupBy(
    await readStays(
      connection,
      spots.map(({ sightings, ...place }) => ({
        ...place,
        sinceMs: Math.min(...sightings.map(({ atMs }) => atMs)) - continuityMs,
      })),
      laterStays + 1,
    ),
    placeOf,
  )
  const spotsByDevice = Map.groupBy(spots, ({ deviceId }) => deviceId)
  for (const { deviceId, clockBack, report } of works) {
    const removed: PlacedStay[] = []
    const put: PlacedStay[] = []
    let begun = 0
    let isTooLate = false
    for (const { compartment, sightings } of spotsByDevice.get(deviceId) ?? []) {
      const before = standing.get(placeOf({ deviceId, compartment })) ?? []
      if (before.length > laterStays) {
        isTooLate = true
        continue
      }
      const base = clockBack ? setBack(before, clockBack.limitMs, clockBack.toMs) : before
      const after = withSightings(
        base,
        sightings.filter(({ code }) => !unwelcome.has(code)),
      )
      const former = new Map(before.map((stay) => [keyOf(stay), stay]))
      for (const stay of after) {
        const same = former.get(keyOf(stay))
        former.delete(keyOf(stay))
        if (same && isSame(same, stay)) continue
        put.push({ ...stay, deviceId, compartment })
        if (isBattery(stay) && !same) begun += 1
        const isMoved = !same || same.endMs !== stay.endMs
        if (isMoved) written.movedDevices.add(deviceId)
        if (isMoved && isBattery(stay)) written.changedCodes.add(stay.code)
      }
      for (const stay of former.values()) {
        removed.push({ ...stay, deviceId, compartment })
        written.movedDevices.add(deviceId)
        if (isBattery(stay)) written.changedCodes.add(stay.code)
      }
    }
    if (isTooLate)
      written.refused.push({ report, detail: `迟到的电池状态之后，该仓位已有 ${laterStays} 次以上电池进出` })
    if (begun > 0 && !stayBudget.isEnough(deviceId, begun)) {
      written.refused.push({ report, detail: `一台设备一天最多上报 ${staysPerDay} 次电池进出` })
      continue
    }
    written.begun.set(deviceId, begun)
    stale.push(...removed)
    fresh.push(...put)
  }
  return { stale, fresh }
}

const keyOf = (stay: Stay) => `${startOf(stay)} ${stay.code}`
const isSame = (one: Stay, other: Stay) =>
  one.endMs === other.endMs && JSON.stringify(one.stretches) === JSON.stringify(other.stretches)

/** What devices said last. It changes after the commit only: a transaction that fails is done again. */
class Memory {
  readonly #seen = new Map<number, Seen>()

  get(deviceId: number): Seen | undefined {
    return this.#seen.get(deviceId)
  }

  keep(deviceId: number, seen: Seen): void {
    this.#seen.delete(deviceId)
    this.#seen.set(deviceId, seen)
    for (const id of this.#seen.keys()) {
      if (this.#seen.size <= rememberedDevices) return
      this.#seen.delete(id)
    }
  }

  forget(deviceId: number): void {
    this.#seen.delete(deviceId)
  }

  clear(): void {
    this.#seen.clear()
  }
}
