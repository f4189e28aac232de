import { readingsWatchedMs } from '@voltkeep/contract'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { readingsReported, readingsWatched } from './readings.notices.ts'

/** A device that is read again and again is told of once in this time. */
const renewedMs = 60_000

/**
 * Which devices are on somebody's screen. A fleet reports its status ten thousand times a second, and nobody looks at
 * more than a few: the others cause no notice.
 */
export function createWatchedDevices(
  notices: Pick<Notices, 'publish' | 'subscribe'>,
  now: () => number = () => performance.now(),
) {
  /** Those of all processes: device → until when. */
  const watched = new Map<number, number>()
  /** Those that this process has told of: device → when. */
  const told = new Map<number, number>()

  const dropBefore = (times: Map<number, number>, before: number) => {
    // In the order of their last change: the first that is young enough ends it.
    for (const [id, time] of times) {
      if (time >= before) return
      times.delete(id)
    }
  }
  const put = (times: Map<number, number>, id: number, time: number) => {
    times.delete(id)
    times.set(id, time)
  }

  notices.subscribe(readingsWatched, (ids) => {
    dropBefore(watched, now())
    for (const id of ids ?? []) put(watched, id, now() + readingsWatchedMs)
    // Something was missed, perhaps what this process told.
    if (ids === null) told.clear()
  })

  return {
    /** A user has read this device. */
    watch(deviceId: number): void {
      dropBefore(told, now() - renewedMs)
      if (told.has(deviceId)) return
      put(told, deviceId, now())
      notices.publish(readingsWatched, [deviceId])
    },

    /** These devices have reported. */
    tellReported(deviceIds: Iterable<number>): void {
      if (watched.size === 0) return
      const seen = new Set<number>()
      for (const id of deviceIds) {
        if ((watched.get(id) ?? 0) > now()) seen.add(id)
      }
      if (seen.size > 0) notices.publish(readingsReported, [...seen])
    },
  }
}
