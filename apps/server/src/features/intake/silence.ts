// Devices at an external broker that say nothing of their presence, since they speak another maker's protocol: they are
// online from a message until they have been silent for long.
import type { Db } from '../../platform/database/database.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { listSilent } from './intake.queries.ts'
import type { IntakePresence } from './message-handler.ts'

/** Makers' devices report every few minutes. */
export const silentMs = 15 * 60_000
const lookEveryMs = 60_000
/** A device that is known to be online is said to be so again after this time: another process may have missed it. */
const againMs = 60_000
/** Devices that are remembered. */
const most = 200_000

export interface Silence {
  /** A device has reported something. */
  heard(deviceId: number): void
  /** From now on messages come: what was silent before may have had nobody to hear it. */
  begin(): void
  /** Sets devices offline that are silent. */
  look(): Promise<void>
  close(): void
}

export function createSilence({
  db,
  log,
  presence,
  now,
  gone,
}: {
  db: Db
  log: Log
  presence: Pick<IntakePresence, 'connected' | 'disconnected'>
  now(): number
  gone(deviceId: number): void
}): Silence {
  const saidAtMs = new Map<number, number>()
  let hearingSinceMs = Number.POSITIVE_INFINITY
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({
        zh: '设备的在线状态暂时无法检查',
        en: 'whether devices are online cannot be checked for now',
      }),
    ),
  )

  async function look(): Promise<void> {
    const atMs = now()
    if (atMs - hearingSinceMs < silentMs) return
    try {
      for (const deviceId of await listSilent(db, new Date(atMs - silentMs))) {
        saidAtMs.delete(deviceId)
        gone(deviceId)
        presence.disconnected(deviceId, true)
      }
    } catch (err) {
      // Nobody could be heard either.
      hearingSinceMs = now()
      complain(err)
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs)

  return {
    heard(deviceId) {
      const atMs = now()
      const last = saidAtMs.get(deviceId)
      if (last !== undefined && Math.abs(atMs - last) < againMs) return
      saidAtMs.delete(deviceId)
      saidAtMs.set(deviceId, atMs)
      if (saidAtMs.size > most) saidAtMs.delete(saidAtMs.keys().next().value as number)
      presence.connected(deviceId, null)
    },
    begin() {
      hearingSinceMs = now()
    },
    look,
    close: () => clearInterval(timer),
  }
}
