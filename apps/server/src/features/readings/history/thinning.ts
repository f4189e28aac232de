// What is kept of what devices report: a device that reports every three seconds costs what changed.
import { hourLimits } from './packing/index.ts'

/** How a reading is thinned. */
export interface ThinningRule {
  /** False: shown, and not kept. */
  isKept: boolean
  /** A value that differs from the last one kept by no more than this is not kept again; 0: one that is equal. */
  deadband: number
  /**
   * A value is kept at least once in each such stretch of the clock, so that all readings of a device are kept in the
   * same reports, and an hour begins with one of each.
   */
  longestMs: number
  /** A number out of this range is no measurement, and is not kept. */
  plausible: { min: number | null; max: number | null }
}
export const ordinaryRule: ThinningRule = {
  isKept: true,
  deadband: 0,
  longestMs: 900_000,
  plausible: { min: null, max: null },
}

/** The rules of a device's readings, by their short ids. */
export type RuleOf = (id: number) => ThinningRule

const hourMs = 3_600_000
/** Readings that are remembered, over all devices: 16 bytes each. */
const mostRemembered = 8_000_000

/**
 * Readings of one device that are kept in one hour of arrival. One that was away for a week and reported 170 every three seconds
 * delivers 34.3 million at once; a report of all 748 readings at the rate that the server takes is 134 million an hour.
 */
export const mostArriving = 40_000_000

/** What of a device was kept last. */
class Kept {
  ids: Int32Array
  values: Float64Array
  /** Seconds since 1970. */
  times: Uint32Array
  count: number
  /** Of them, names in `status`. */
  names: number
  /** While it is remembered: which device was heard of before it, and which after. */
  before: Kept | null = null
  after: Kept | null = null
  /** The hour of arrival, how many readings of it were kept, and whether it was said that there were too many. */
  arrivalHour = 0
  arrived = 0
  isCrowded = false
  /** The hour of its own time that it reports, and how many reports of it were kept. */
  ownHour = 0
  reports = 0
  readonly deviceId: number

  constructor(deviceId: number, room: number) {
    this.deviceId = deviceId
    this.ids = new Int32Array(room)
    this.values = new Float64Array(room)
    this.times = new Uint32Array(room)
    this.count = 0
    this.names = 0
  }

  /** Whether a report of these hours goes beyond what is kept. Older hours are packed within limits of their own. */
  isFull(arrivalHour: number, ownHour: number): boolean {
    if (arrivalHour !== this.arrivalHour) {
      this.arrivalHour = arrivalHour
      this.arrived = 0
      this.isCrowded = false
    }
    if (ownHour !== this.ownHour) {
      this.ownHour = ownHour
      this.reports = 0
    }
    return this.reports >= hourLimits.times || this.arrived >= mostArriving
  }

  /** Adds a reading of which nothing is known, and returns its place. */
  add(id: number, isName: boolean): number {
    if (this.count === this.ids.length) {
      const room = Math.max(16, this.count * 2)
      const { ids, values, times } = this
      this.ids = new Int32Array(room)
      this.values = new Float64Array(room)
      this.times = new Uint32Array(room)
      this.ids.set(ids)
      this.values.set(values)
      this.times.set(times)
    }
    const place = this.count
    this.ids[place] = id
    this.values[place] = Number.NaN
    this.times[place] = 0
    this.count += 1
    if (isName) this.names += 1
    return place
  }
}

/** The readings of one report, in place of an object for each. A switch is infinite: no number is. */
export class Readings {
  ids = new Int32Array(1_024)
  values = new Float64Array(1_024)
  count = 0

  clear(): void {
    this.count = 0
  }
  add(id: number, value: number | boolean): void {
    this.ids[this.count] = id
    this.values[this.count] =
      value === true ? Number.POSITIVE_INFINITY : value === false ? Number.NEGATIVE_INFINITY : value
    this.count += 1
  }
  valueAt(index: number): number | boolean {
    const value = this.values[index] as number
    return value === Number.POSITIVE_INFINITY ? true : value === Number.NEGATIVE_INFINITY ? false : value
  }
}

export interface Thinned {
  kept: number
  thinned: number
  /** Of names beyond the device's number, and of reports beyond what is kept of an hour. */
  refused: number
}

/**
 * A batch. What it takes of the memory comes back with `commit`, changed; without it, the devices of the batch are
 * forgotten: nobody knows whether a transaction whose end was not heard has kept their values.
 */
export interface ThinningPass {
  /** Takes the readings of a report that are to be kept over into `into`. */
  take(
    report: { deviceId: number; atMs: number; arrivedMs: number; clockLimitMs: number | null },
    readings: Readings,
    into: Readings,
    ruleOf: RuleOf,
  ): void
  readonly counts: Readonly<Thinned>
  /** Devices whose reports are the first of the hour that are beyond what is kept of it. */
  readonly crowded: readonly number[]
  commit(): void
}

export interface ThinningMemory {
  begin(): ThinningPass
  /** What another process may have kept meanwhile; null: of all devices. */
  forget(deviceIds: readonly number[] | null): void
  /** How many readings are remembered. */
  readonly size: number
}

/**
 * Remembers what was kept last, of the devices that reported last. Of a device that is not remembered everything is
 * kept, and so is what comes late. `isThinning` false: all is kept, for processes that divide the messages of a device.
 */
export function createThinning({
  isThinning = true,
  most = mostRemembered,
  namesOfDevice,
  firstNamedId,
}: {
  isThinning?: boolean
  most?: number
  namesOfDevice: number
  firstNamedId: number
}): ThinningMemory {
  const devices = new Map<number, Kept>()
  // Linked in the order in which they were heard of. The map's own order would do, but looking for its first entry walks
  // past all those that have been taken out of it: with 100,000 devices nearly all of a report's time.
  let oldest: Kept | null = null
  let latest: Kept | null = null
  let size = 0
  /** Goes up when something is forgotten: a batch under way must not bring it back. */
  let forgotten = 0

  const remove = (deviceId: number): Kept | undefined => {
    const kept = devices.get(deviceId)
    if (!kept) return undefined
    devices.delete(deviceId)
    size -= kept.ids.length
    if (kept.before) kept.before.after = kept.after
    else oldest = kept.after
    if (kept.after) kept.after.before = kept.before
    else latest = kept.before
    kept.before = null
    kept.after = null
    return kept
  }
  const remember = (kept: Kept) => {
    remove(kept.deviceId)
    devices.set(kept.deviceId, kept)
    size += kept.ids.length
    kept.before = latest
    if (latest) latest.after = kept
    else oldest = kept
    latest = kept
    while (size > most && oldest !== null && oldest !== kept) remove(oldest.deviceId)
  }

  return {
    get size() {
      return size
    },
    forget(deviceIds) {
      forgotten += 1
      for (const deviceId of deviceIds ?? [...devices.keys()]) remove(deviceId)
    },
    begin() {
      const touched = new Map<number, Kept>()
      const begunAt = forgotten
      const counts = { kept: 0, thinned: 0, refused: 0 }
      const crowded: number[] = []

      const taken = (deviceId: number, room: number): Kept => {
        let device = touched.get(deviceId)
        if (!device) {
          device = remove(deviceId) ?? new Kept(deviceId, room)
          touched.set(deviceId, device)
        }
        return device
      }

      return {
        counts,
        crowded,
        take({ deviceId, atMs, arrivedMs, clockLimitMs }, readings, into, ruleOf) {
          const device = taken(deviceId, readings.count)
          if (device.isFull(Math.floor(arrivedMs / hourMs), Math.floor(atMs / hourMs))) {
            counts.refused += readings.count
            if (!device.isCrowded) crowded.push(deviceId)
            device.isCrowded = true
            return
          }
          const before = into.count
          const at = Math.floor(atMs / 1_000)
          const limit = clockLimitMs === null ? Number.POSITIVE_INFINITY : Math.ceil(clockLimitMs / 1_000)
          // A device lists its readings in one order: the next place is nearly always the right one.
          let place = 0
          for (let index = 0; index < readings.count; index += 1) {
            const id = readings.ids[index] as number
            const { isKept, deadband, longestMs, plausible } = ruleOf(id)
            const value = readings.values[index] as number
            if (!isKept || !isPlausible(value, plausible)) continue
            if (place >= device.count || device.ids[place] !== id) {
              const isName = id >= firstNamedId
              place = device.ids.subarray(0, device.count).indexOf(id)
              if (place < 0 && isName && device.names >= namesOfDevice) {
                counts.refused += 1
                place = 0
                continue
              }
              if (place < 0) place = device.add(id, isName)
            }
            const keptAt = device.times[place] as number
            const isLate = at < keptAt && keptAt <= limit
            const stretch = longestMs / 1_000
            const isThinned =
              isThinning &&
              at >= keptAt &&
              isSame(device.values[place] as number, value, deadband) &&
              Math.floor(at / stretch) === Math.floor(keptAt / stretch)
            if (isThinned) {
              counts.thinned += 1
            } else {
              if (!isLate) {
                device.values[place] = value
                device.times[place] = at
              }
              into.ids[into.count] = id
              into.values[into.count] = value
              into.count += 1
              counts.kept += 1
            }
            place += 1
          }
          device.arrived += into.count - before
          if (into.count > before) device.reports += 1
        },
        commit() {
          // What another process may have kept meanwhile stays forgotten.
          if (begunAt !== forgotten) return
          for (const device of touched.values()) remember(device)
        },
      }
    },
  }
}

/** Switches are within every range. */
const isPlausible = (value: number, { min, max }: ThinningRule['plausible']): boolean =>
  !Number.isFinite(value) || ((min === null || value >= min) && (max === null || value <= max))

const isSame = (standing: number, value: number, deadband: number): boolean =>
  standing === value || (deadband > 0 && Math.abs(standing - value) <= deadband)
