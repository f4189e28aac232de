// Watches the file system of DATA_DIR, which the embedded database is on as well. Warns when little is free. Files are
// refused while there still is room for reports of devices. When the disk is nearly full, intake stops before
// PostgreSQL would stop by itself: messages are not acknowledged, so that the devices keep them. Both go on by
// themselves when there is room again. The disk of an external database is not seen from here: there its error "disk
// full" has the same effect.
import { statfs } from 'node:fs/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { refuse } from '../../calls/refusal.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Warnings } from '../warnings.ts'
import { type DiskLevel, type DiskSpace, type DiskThresholds, leftByFiles, nextLevel } from './disk-levels.ts'
import { createRooms, type Room } from './room.ts'

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
const gigabyte = 1024 ** 3

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
  const { dataDir, diskWarnPercent, diskWarnFreeGb, diskStopPercent, diskStopFreeGb } = config
  const holdsDatabase = config.databaseUrl === undefined
  const thresholds: DiskThresholds = {
    low: { usedPercent: diskWarnPercent, freeBytes: diskWarnFreeGb * gigabyte },
    full: { usedPercent: diskStopPercent, freeBytes: diskStopFreeGb * gigabyte },
  }
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
  const what = holdsDatabase ? '设备报文和上传' : '上传'
  const isRefusing = () => level === 'tight' || level === 'full'
  /** While files alone are refused. */
  const noFiles = `已停止上传和导出${holdsDatabase ? '，为设备报文留出空间' : ''}`

  function enter(next: DiskLevel): void {
    const former = level
    level = next
    if (next === former || !space) return
    if (next === 'full') {
      if (holdsDatabase) stops.inc()
      const kept = holdsDatabase ? '，设备会保留报文并重发' : ''
      log.error(
        `磁盘将满（${shown(space)}）：已停止接收${what}${kept}；请清理 ${dataDir} 所在的磁盘或扩容，空间足够后自动恢复`,
      )
    } else if (next === 'tight') {
      const goesOn = former === 'full' && holdsDatabase ? '：继续接收设备报文，' : '：'
      log.warn(
        `磁盘空间不足（${shown(space)}）${goesOn}${noFiles}；请清理 ${dataDir} 所在的磁盘或扩容，空间足够后自动恢复`,
      )
    } else if (former === 'full' || former === 'tight')
      log.warn(`磁盘空间已恢复（${shown(space)}）：继续接收${former === 'full' ? what : '上传'}`)
    else if (next === 'low') log.warn(`磁盘空间不足（${shown(space)}）：将满时会停止接收${what}`)
    else log.info(`磁盘空间已恢复（${shown(space)}）`)
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
      log.debug({ err }, '未能读取磁盘空间')
    }
    isLooking = false
    if (isClosed) return
    if (isAskedAgain) return look()
    timer = setTimeout(look, level === 'roomy' && !rooms.isUnseen() ? usualPauseMs : closePauseMs)
    timer.unref()
  }
  void look()

  warnings.add(() => {
    const lines: string[] = []
    if (isDatabaseFull) lines.push('数据库磁盘已满：设备报文暂停接收，设备会保留并重发')
    if (level === 'full' && space) lines.push(`磁盘将满（${shown(space)}）：已停止接收${what}`)
    if (level === 'tight' && space) lines.push(`磁盘空间不足（${shown(space)}）：${noFiles}`)
    if (level === 'low' && space) lines.push(`磁盘空间不足（${shown(space)}）`)
    return lines
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
        log.error('数据库磁盘已满：设备报文暂停接收，设备会保留并重发；空间足够后自动恢复')
      } else log.warn('数据库磁盘空间已恢复：继续接收设备报文')
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function spaceOf(directory: string): Promise<DiskSpace> {
  const { blocks, bfree, bavail, bsize } = await statfs(directory)
  return { totalBytes: (blocks - bfree + bavail) * bsize, freeBytes: bavail * bsize }
}

function shown({ totalBytes, freeBytes }: DiskSpace): string {
  const used = totalBytes === 0 ? 100 : Math.floor((1 - freeBytes / totalBytes) * 1000) / 10
  const free =
    freeBytes >= gigabyte
      ? `${(freeBytes / gigabyte).toFixed(1)} GB`
      : `${Math.floor(freeBytes / 1024 ** 2)} MB`
  return `已用 ${used}%，剩余 ${free}`
}
