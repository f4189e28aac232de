// Tells of new critical alarms, gathered.
import { type AlarmRow, listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { idsAtOnce } from '@voltkeep/contract/fields'
import { useEffect, useRef } from 'react'
import { waitAfterMiss } from '../../../lib/live/burst.ts'
import { concerns, liveState, useLive } from '../../../lib/live/live.ts'
import { call } from '../../../lib/wire/call.ts'

/** A burst is gathered so long: who looks elsewhere is told once. */
const gatherMs = 1_000
/** Where more opened than the stream names, the newest are looked at. */
const newestAtOnce = 50
const remembered = 500

/**
 * Calls back with critical alarms that opened since the page was opened, each once. Also while the page is hidden, as
 * long as it is connected. What opened while it was not is told when it is connected again.
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
    // This comes lazily: the stream may have said that it is ready before anybody listened.
    if (liveState.get() === 'connected') made.missed(0)
    return () => made.stop()
  }, [])
  useLive((event) => {
    if (!concerns(event, liveAlarms.noun)) return
    if (event.type === 'changed') watch.current?.named(event.added)
    else watch.current?.missed(event.type === 'missed' ? waitAfterMiss() : 0)
  })
}

interface Watch {
  named(ids: readonly string[]): void
  missed(waitMs: number): void
  stop(): void
}

function createWatch(tell: (alarms: AlarmRow[]) => void): Watch {
  const pending = new Set<string>()
  const seen = new Set<string>()
  let isMissed = false
  /** The newest occurrence known; undefined before the first look, which tells nothing. */
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
    // What is named is new. Of the newest, those are that occurred since the look before, of which there may be none.
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
        // The next event asks again, for all that may have been missed.
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
