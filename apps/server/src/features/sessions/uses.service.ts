// When each session was last used: kept in memory for a second, then written for all of them in one statement.

import type { Db } from '../../platform/database/database.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { writeUses } from './sessions.queries.ts'

const writeAfterMs = 1_000

export interface Uses {
  /** The session is used now. */
  note(tokenHash: Buffer): void
  /** Writes what this process knows and has not written; the other processes' uses are at most a second behind. */
  write(): Promise<void>
  close(): void
}

export function createUses({ db, log }: { db: Db; log: Pick<Log, 'warn'> }): Uses {
  /** By the token's hash, in hexadecimal. */
  let noted = new Map<string, { tokenHash: Buffer; atMs: number }>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let isClosed = false
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({ zh: '会话的使用时间未能记录', en: 'the time of use of sessions could not be recorded' }),
    ),
  )

  const writeNoted = async () => {
    clearTimeout(timer)
    timer = undefined
    if (noted.size === 0) return
    const written = noted
    noted = new Map()
    const nowMs = performance.now()
    try {
      await writeUses(
        db,
        [...written.values()].map(({ tokenHash, atMs }) => ({ tokenHash, ageMs: nowMs - atMs })),
      )
    } catch (error) {
      // For the next time; a use since then is the later one.
      noted = new Map([...written, ...noted])
      throw error
    }
  }
  const write = () => {
    writing = writing.catch(() => undefined).then(writeNoted)
    return writing
  }

  return {
    note(tokenHash) {
      if (isClosed) return
      noted.set(tokenHash.toString('hex'), { tokenHash, atMs: performance.now() })
      timer ??= setTimeout(() => void write().catch(complain), writeAfterMs).unref()
    },
    write,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
