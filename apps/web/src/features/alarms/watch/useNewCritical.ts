// Notifies of new critical alarms, in batches.
import { type AlarmRow, listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { idsAtOnce } from '@voltkeep/contract/fields'
import { useEffect, useRef } from 'react'
import { waitAfter } from '../../../lib/live/burst.ts'
import { concerns, liveState, useLive } from '../../../lib/live/live.ts'
import { call } from '../../../lib/wire/call.ts'

/** Alarms are collected for this long, so that a burst is one notification. */
const gatherMs = 1_000
/** Where more alarms occurred than the stream names, this many of the newest are read. */
const newestAtOnce = 50
const remembered = 500

/**
 * Calls back with critical alarms that occurred since the page was opened, each once, also while the page is hidden
 * and connected. Alarms that occurred while it was disconnected are reported after the reconnect.
 */
export function useNewCritical(tell: (alarms: AlarmRow[]) => void): void {
  const latest = useRef(tell)
  useEffect(() => {
    latest.current = tell
  })
  const watch = useRef<Watch>(undefined)
  useEffect(() => {
    const made = createWatch((alarms) => latest.current(alarms))
    watch.current = made
    // This module is loaded lazily: the stream may have connected before this listener was added.
    if (liveState.get() === 'connected') made.missed(0)
    return () => made.stop()
  }, [])
  useLive((event) => {
    if (!concerns(event, liveAlarms.noun)) return
    if (event.type === 'changed') watch.current?.named(event.added)
    else watch.current?.missed(waitAfter(event))
  })
}

interface Watch {
  named(ids: readonly string[]): void
  missed(waitMs: number): void
  stop(): void
}

/** What `useNewCritical` does, without a page. */
export function createWatch(tell: (alarms: AlarmRow[]) => void): Watch {
  const pending = new Set<string>()
  const seen = new Set<string>()
  let isMissed = false
  /** The newest known occurrence time. Undefined before the first read, which reports nothing. */
  let since: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  const read = async (input: Partial<InputFor<typeof listAlarms>>) =>
    (await call(listAlarms, { alarmLevel: [1], pageNum: 1, ...input })).rows
  const look = async () => {
    timer = undefined
    const wasMissed = isMissed
    const ids = [...pending].slice(0, idsAtOnce)
    pending.clear()
    isMissed = false
    const rows = wasMissed
      ? await read({ pageSize: newestAtOnce })
      : await read({ ids, pageSize: ids.length })
    if (isStopped) return
    // Alarms named by the stream are new. Of the newest rows, those that occurred since the last read are new; there
    // may be none.
    const named = new Set(ids)
    const isNew = ({ id, occurrenceTime }: AlarmRow) =>
      !seen.has(id) && (named.has(id) || (since !== undefined && occurrenceTime >= since))
    const fresh = rows.filter(isNew)
    for (const { id } of rows) seen.add(id)
    for (const id of seen) {
      if (seen.size <= remembered) break
      seen.delete(id)
    }
    since = [since ?? '', ...rows.map(({ occurrenceTime }) => occurrenceTime)].sort().at(-1)
    if (fresh.length > 0) tell(fresh)
  }
  const ask = (waitMs: number) => {
    timer ??= setTimeout(() => {
      look().catch(() => {
        // The next event retries, and reads everything that may have been missed.
        isMissed = true
      })
    }, gatherMs + waitMs)
  }
  return {
    named(ids) {
      if (ids.length === 0) return
      for (const id of ids) pending.add(id)
      if (pending.size > idsAtOnce) isMissed = true
      ask(0)
    },
    missed(waitMs) {
      isMissed = true
      ask(waitMs)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
