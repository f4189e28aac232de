// Watches the file system of DATA_DIR, which the embedded database is on as well. Warns when little is free. Files are
// refused while there still is room for reports of devices. When the disk is nearly full, intake stops before
// PostgreSQL would stop by itself: messages are not acknowledged, so that the devices keep them. Both go on by
// themselves when there is room again. The disk of an external database is not seen from here: there its error "disk
// full" has the same effect.
import { Counter, Gauge, type Registry } from 'prom-client'
import { refuse } from '../../calls/refusal.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { spoken } from '../sentences.ts'
import type { Warnings } from '../warnings.ts'
import { type DiskLevel, type DiskSpace, leftByFiles, nextLevel, thresholdsOf } from './disk-levels.ts'
import { databaseFull, databaseFullNow, databaseRoomy, diskSentences } from './disk-sentences.ts'
import { createRooms, type Room } from './room.ts'
import { spaceOf } from './spare.ts'

export interface DiskWatch {
  /** Nothing of devices is written while this is so: their messages wait unacknowledged. */
  readonly isIntakeStopped: boolean
  /** What files may still take, in bytes. */
  readonly leftForFiles: number
  /**
   * Room for a file of this number of bytes; 0 where nobody knows how many will come. Throws `filesFull` where they
   * would take what intake needs.
   */
  roomFor(bytes: number): Room
  /** A write has failed for lack of room: checks at once. */
  suspect(): void
  /** The database has said that its disk is full (53100), or has written again. */
  databaseIsFull(isFull: boolean): void
  close(): void
}

const usualPauseMs = 5_000
/** Where little space is left, it may be gone within seconds. */
const closePauseMs = 500

export function watchDisk({
  config,
  log,
  metrics,
  warnings,
  readSpace = spaceOf,
}: {
  config: Pick<
    Config,
    'dataDir' | 'databaseUrl' | 'diskWarnPercent' | 'diskWarnFreeGb' | 'diskStopPercent' | 'diskStopFreeGb'
  >
  log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  metrics: Registry
  warnings: Warnings
  /** By default that of the file system. */
  readSpace?: (directory: string) => Promise<DiskSpace>
}): DiskWatch {
  const { dataDir } = config
  const holdsDatabase = config.databaseUrl === undefined
  const thresholds = thresholdsOf(config)
  let level: DiskLevel = 'roomy'
  let space: DiskSpace | undefined
  let isDatabaseFull = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  /** While looking: what was asked for since then may not be in the answer. */
  let isAskedAgain = false
  const rooms = createRooms()

  const stops = new Counter({
    name: 'voltkeep_intake_disk_stops_total',
    help: 'How often intake stopped because a disk was full',
    registers: [metrics],
  })
  new Gauge({
    name: 'voltkeep_disk_free_bytes',
    help: 'Free on the file system of DATA_DIR',
    registers: [metrics],
    collect() {
      if (space) this.set(space.freeBytes)
    },
  })
  new Gauge({
    name: 'voltkeep_disk_size_bytes',
    help: 'Size of the file system of DATA_DIR',
    registers: [metrics],
    collect() {
      if (space) this.set(space.totalBytes)
    },
  })
  new Gauge({
    name: 'voltkeep_intake_disk_stopped',
    help: '1 while messages of devices are not taken because a disk is full',
    registers: [metrics],
    collect() {
      this.set(isIntakeStopped() ? 1 : 0)
    },
  })

  const isIntakeStopped = () => holdsDatabase && level === 'full'
  const isRefusing = () => level === 'tight' || level === 'full'
  const sentences = diskSentences({ dataDir, holdsDatabase })

  function enter(next: DiskLevel): void {
    const former = level
    level = next
    if (next === former || !space) return
    if (next === 'full' && holdsDatabase) stops.inc()
    const line = spoken(sentences.entered(former, next, space))
    if (next === 'full') log.error(line)
    else if (next === 'roomy' && former === 'low') log.info(line)
    else log.warn(line)
  }

  async function look(): Promise<void> {
    isAskedAgain = isLooking
    if (isLooking) return
    isLooking = true
    clearTimeout(timer)
    try {
      const looked = rooms.look()
      space = await readSpace(dataDir)
      looked(space.freeBytes - leftByFiles(space, thresholds))
      enter(nextLevel(level, space, thresholds))
    } catch (err) {
      log.debug(
        { err },
        spoken({ zh: '未能读取磁盘空间', en: 'the free space of the disk could not be read' }),
      )
    }
    isLooking = false
    if (isClosed) return
    if (isAskedAgain) return look()
    timer = setTimeout(look, level === 'roomy' && !rooms.isUnseen() ? usualPauseMs : closePauseMs)
    timer.unref()
  }
  void look()

  warnings.add(() => {
    const lasting = space && sentences.lasting(level, space)
    return [isDatabaseFull ? databaseFull : [], lasting ?? []].flat()
  })

  return {
    get isIntakeStopped() {
      return isIntakeStopped()
    },
    get leftForFiles() {
      return isRefusing() ? 0 : rooms.leftBytes()
    },
    roomFor(bytes) {
      if (isRefusing()) refuse('filesFull')
      const room = rooms.open(bytes)
      return {
        grow: room.grow,
        end() {
          room.end()
          void look()
        },
      }
    },
    suspect: () => void look(),
    databaseIsFull(isFull) {
      if (isFull === isDatabaseFull) return
      isDatabaseFull = isFull
      void look()
      if (isFull) {
        stops.inc()
        log.error(spoken(databaseFullNow))
      } else log.warn(spoken(databaseRoomy))
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
