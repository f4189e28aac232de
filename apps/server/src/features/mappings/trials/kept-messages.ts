// The last messages of devices of other makers, for trials: gathered in memory and written every second. A flood costs no
// more than a few rows.
import type { Db } from '../../../platform/database/database.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { type KeptMessage, keepMessages } from './messages.queries.ts'

export interface KeptMessages {
  /** Kept, or not where enough of the same came just now. */
  record(message: KeptMessage): void
  flush(): Promise<void>
  close(): Promise<void>
}

const flushMs = 1_000
const mostWaiting = 100
/** A larger payload is not kept: it could not be tried as a part. */
const largestBytes = 16_384
/** Of one device, one pattern and one outcome. */
const pauseMs = { mapped: 60_000, unmapped: 2_000 } as const
const rememberedPauses = 20_000
const textLimit = 256

export function createKeptMessages({ db, log }: { db: Db; log: Log }): KeptMessages {
  let waiting: KeptMessage[] = []
  const lastMs = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({
        zh: '用于试运行的设备报文暂未保存',
        en: 'messages of devices could not be kept for trials for now',
      }),
    ),
  )

  function isTooSoon({ deviceId, pattern, outcome }: KeptMessage): boolean {
    const nowMs = performance.now()
    const key = `${deviceId} ${outcome} ${pattern}`
    const last = lastMs.get(key)
    if (last !== undefined && nowMs - last < pauseMs[outcome]) return true
    lastMs.delete(key)
    lastMs.set(key, nowMs)
    if (lastMs.size > rememberedPauses) lastMs.delete(lastMs.keys().next().value as string)
    return false
  }

  function flush(): Promise<void> {
    const messages = waiting
    waiting = []
    if (messages.length > 0) writing = writing.then(() => keepMessages(db, messages)).catch(complain)
    return writing
  }

  const timer = setInterval(() => void flush(), flushMs)

  return {
    record(message) {
      if (message.payload.length > largestBytes || waiting.length >= mostWaiting || isTooSoon(message)) return
      // Copied: the payload is a part of what was read from the socket, which may be large.
      waiting.push({
        ...message,
        payload: Buffer.from(message.payload),
        topic: storable(message.topic),
        pattern: storable(message.pattern),
        detail: message.detail && storable(message.detail, 1_000),
      })
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

/** A device may put anything into a topic; PostgreSQL takes no NUL. */
const storable = (text: string, limit = textLimit) =>
  Buffer.from(text.slice(0, limit).replace(/\p{C}/gu, '·')).toString()
