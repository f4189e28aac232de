// Entries of the operation log leave for the syslog receiver in their order, a connection for each batch.
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Sentence, spoken } from '../../platform/process/sentences.ts'
import { deliver, type Receiver } from './delivery.ts'
import { frameOf, type Origin } from './message.rules.ts'
import * as queries from './syslog.queries.ts'

export interface SyslogNeeds {
  db: Db
  log: Pick<Log, 'info' | 'warn'>
  receiver: Receiver
  origin: Origin
  /** Told of what the receiver has read. */
  onSent?: (count: number) => void
  onFailed?: () => void
}

export type Syslog = ReturnType<typeof createSyslog>

/** Of one connection: 8 MB at most. */
const sentAtOnce = 1_000
const longestPauseMs = 60_000

export function createSyslog({ db, log, receiver, origin, onSent, onFailed }: SyslogNeeds) {
  let failure: { since: Date; tryAgainMs: number; pauseMs: number; waiting: number } | null = null

  async function failed(err: unknown): Promise<void> {
    const pauseMs = failure ? Math.min(failure.pauseMs * 2, longestPauseMs) : 1_000
    const isNew = failure === null
    failure = {
      since: failure?.since ?? new Date(),
      tryAgainMs: performance.now() + pauseMs,
      pauseMs,
      waiting: await queries.countPending(db),
    }
    onFailed?.()
    if (isNew)
      log.warn(
        { err },
        spoken({
          zh: 'syslog 服务器不可用，操作日志等待发送',
          en: 'the syslog receiver cannot be used: entries of the operation log wait',
        }),
      )
  }

  return {
    /**
     * Sends what waits, in its order. To be called by one process at a time; a receiver that cannot be used is asked again
     * after a pause. An entry is sent again where it is not known whether it was read.
     */
    async send(signal: AbortSignal): Promise<void> {
      await queries.noteWanted(db)
      if (failure && performance.now() < failure.tryAgainMs) return
      while (!signal.aborted) {
        const pending = await queries.listPending(db, sentAtOnce)
        if (pending.length === 0) return
        const frames = pending.flatMap(({ entry }) => (entry ? [frameOf(entry, origin)] : []))
        if (frames.length > 0) {
          try {
            await deliver(receiver, Buffer.concat(frames), { signal })
          } catch (error) {
            if (!signal.aborted) await failed(error)
            return
          }
          onSent?.(frames.length)
          if (failure)
            log.info(spoken({ zh: 'syslog 服务器恢复可用', en: 'the syslog receiver can be used again' }))
          failure = null
        }
        await queries.deletePending(
          db,
          pending.map(({ pendingId }) => pendingId),
        )
      }
    },

    warning(): Sentence | null {
      if (!failure) return null
      const since = failure.since.toLocaleString('sv-SE')
      return {
        zh: `syslog 服务器自 ${since} 起不可用，${failure.waiting} 条操作日志等待发送：请检查 SYSLOG_URL、证书和网络`,
        en: `The syslog receiver cannot be used since ${since}, ${failure.waiting} entries of the operation log wait: check SYSLOG_URL, certificates and network`,
      }
    },
  }
}
