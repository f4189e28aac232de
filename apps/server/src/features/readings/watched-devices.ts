import { readingsWatchedMs } from '@voltkeep/contract'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { readingsReported, readingsWatched } from './readings.notices.ts'

/** A device that is read again and again is told of once in this time. */
const renewedMs = 60_000

/** Devices, each until a time of its own has passed. */
export function createPassing(lastsMs: number, now: () => number = () => performance.now()) {
  /** In the order of their times: all last equally long. */
  const until = new Map<number, number>()
  return {
    put(id: number): void {
      for (const [oldest, time] of until) {
        if (time > now()) break
        until.delete(oldest)
      }
      until.delete(id)
      until.set(id, now() + lastsMs)
    },
    has: (id: number): boolean => (until.get(id) ?? 0) > now(),
    clear: () => until.clear(),
    /** Those whose time has passed are counted until the next is put. */
    get size() {
      return until.size
    },
  }
}

/**
 * Which devices are on somebody's screen. A fleet reports its status ten thousand times a second, and nobody looks at
 * more than a few: the others cause no notice.
 */
export function createWatchedDevices(notices: Pick<Notices, 'publish' | 'subscribe'>) {
  /** Those that any process has told of. */
  const watched = createPassing(readingsWatchedMs)
  /** Those that this process has told of. */
  const told = createPassing(renewedMs)

  notices.subscribe(readingsWatched, (ids) => {
    for (const id of ids ?? []) watched.put(id)
    // Something was missed, perhaps what this process told.
    if (ids === null) told.clear()
  })

  return {
    /** A user has read this device. */
    watch(deviceId: number): void {
      if (told.has(deviceId)) return
      told.put(deviceId)
      notices.publish(readingsWatched, [deviceId])
    },

    /** These devices have reported. */
    tellReported(deviceIds: Iterable<number>): void {
      if (watched.size === 0) return
      const seen = new Set<number>()
      for (const id of deviceIds) if (watched.has(id)) seen.add(id)
      if (seen.size > 0) notices.publish(readingsReported, [...seen])
    },
  }
}
