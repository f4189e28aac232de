import type { ThrottleReason } from '@voltkeep/contract/devices'
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { devicesThrottled } from '../devices.notices.ts'
import { clearThrottled, markThrottled } from './throttle-marks.queries.ts'

const repeatMs = 60_000
const tryAgainMs = 1_000

interface ThrottleMarks {
  /** Sets which devices are throttled, as lists show it. The last call for a device counts. */
  mark(deviceId: number, reason: ThrottleReason | null): void
  /** Removes the marks that an earlier run of this process left behind. */
  clearAll(): Promise<void>
  close(): Promise<void>
}

/**
 * Keeps in the database which devices are throttled. A failed write is tried again every second; a mark that another
 * process removed when it started is written again within a minute.
 */
export function createThrottleMarks({
  db,
  log,
  notices,
}: {
  db: Db
  log: Log
  notices: Pick<Notices, 'publish'>
}): ThrottleMarks {
  const marked = new Map<number, ThrottleReason>()
  /** Devices whose marks are still to be removed. */
  const cleared = new Set<number>()
  const failed = new Set<number>()
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({
        zh: '设备的限流状态暂未写入',
        en: 'which devices are throttled could not be written for now',
      }),
    ),
  )
  let writing = Promise.resolve()

  async function write(deviceId: number): Promise<void> {
    const reason = marked.get(deviceId)
    try {
      const isChanged = reason
        ? await markThrottled(db, deviceId, reason)
        : (await clearThrottled(db, deviceId)).length > 0
      if (!reason) cleared.delete(deviceId)
      if (isChanged) notices.publish(devicesThrottled, [deviceId])
    } catch (error) {
      failed.add(deviceId)
      complain(error)
    }
  }
  const writeInTurn = (deviceId: number) => {
    writing = writing.then(() => write(deviceId))
  }
  const timer = setInterval(() => {
    for (const deviceId of [...marked.keys(), ...cleared]) writeInTurn(deviceId)
  }, repeatMs)
  const againTimer = setInterval(() => {
    const again = [...failed]
    failed.clear()
    for (const deviceId of again) writeInTurn(deviceId)
  }, tryAgainMs)

  return {
    mark(deviceId, reason) {
      if (reason === (marked.get(deviceId) ?? null)) return
      if (reason) {
        marked.set(deviceId, reason)
        cleared.delete(deviceId)
      } else {
        marked.delete(deviceId)
        cleared.add(deviceId)
      }
      writeInTurn(deviceId)
    },
    async clearAll() {
      const deviceIds = await clearThrottled(db, null)
      if (deviceIds.length > 0) notices.publish(devicesThrottled, deviceIds)
    },
    async close() {
      clearInterval(timer)
      clearInterval(againTimer)
      for (const deviceId of marked.keys()) cleared.add(deviceId)
      marked.clear()
      for (const deviceId of cleared) writeInTurn(deviceId)
      await writing
    },
  }
}
