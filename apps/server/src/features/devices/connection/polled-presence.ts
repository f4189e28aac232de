// Presence of devices that poll: online from a poll until several in a row are missed.
import type pg from 'pg'
import { errorFields } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { beginByIndex, inTransaction } from '../../../platform/database/transaction.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { endSilent, upsertPolled, upsertSightings } from '../device-intake.queries.ts'
import { devicesOnline } from '../devices.notices.ts'

export interface PolledPresence {
  /** A device has polled. */
  polled(deviceId: number, address: string): Promise<void>
  /** From now on devices can poll. */
  begin(): void
  /** Sets devices offline that are silent. */
  look(): Promise<void>
}

const queryLimitMs = 30_000
const longestPauseMs = 30_000
/** Devices whose last written poll is remembered. */
const most = 200_000

/**
 * A poll is written at most once in a third of the interval, since its time is asked for no more exactly. `silentMs`:
 * after so long without a poll a device is offline. While this process or the database was away nobody could poll:
 * silence counts from their return.
 */
export function createPolledPresence({
  pool,
  notices,
  log,
  intervalMs,
  silentMs,
  now = Date.now,
}: {
  pool: pg.Pool
  notices: Pick<Notices, 'publish'>
  log: Log
  intervalMs: number
  silentMs: number
  now?: () => number
}): PolledPresence {
  const pauseMs = Math.min(longestPauseMs, intervalMs / 3)
  const written = new Map<number, { atMs: number; address: string }>()
  const complain = createComplaints((error, count) =>
    log.warn(
      { ...errorFields(error), count },
      spoken({
        zh: '轮询设备的在线状态暂时无法检查',
        en: 'whether polling devices are online cannot be checked for now',
      }),
    ),
  )
  let reachableSinceMs = Number.POSITIVE_INFINITY

  async function look(): Promise<void> {
    const atMs = now()
    if (atMs - reachableSinceMs < silentMs) return
    try {
      const gone = await endSilent(pool, new Date(atMs - silentMs))
      for (const deviceId of gone) written.delete(deviceId)
      if (gone.length > 0) notices.publish(devicesOnline, gone)
    } catch (error) {
      reachableSinceMs = now()
      complain(error)
    }
  }

  return {
    async polled(deviceId, address) {
      const atMs = now()
      const last = written.get(deviceId)
      if (last && last.address === address && Math.abs(atMs - last.atMs) < pauseMs) return
      const came = await inTransaction(
        pool,
        { begin: () => beginByIndex, queryLimitMs },
        async (connection) => {
          await upsertSightings(connection, [{ deviceId, lastReportAtMs: atMs, clockOffsetMs: null }])
          return upsertPolled(connection, { deviceId, atMs, address })
        },
      )
      written.delete(deviceId)
      written.set(deviceId, { atMs, address })
      if (written.size > most) written.delete(written.keys().next().value as number)
      if (came) notices.publish(devicesOnline, [deviceId])
    },
    begin() {
      reachableSinceMs = now()
    },
    look,
  }
}
