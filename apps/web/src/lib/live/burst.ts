import type { LiveEvent } from '@voltkeep/contract/live'

/** A burst of events is gathered this long before the first act. */
const gatherMs = 250
/** From the end of one act to the next at least this long, however many events come. */
const usualPauseMs = 1_500

export interface Burst {
  /** Asks for an act soon; a later delay does not postpone an earlier one. */
  ask(delayMs?: number): void
  stop(): void
}

/**
 * Acts once for a burst of events: never twice at a time, not more often than the pause allows, and not while the page
 * is hidden (a hidden page catches up when it is shown). An act that cannot be done yet calls `again`.
 */
export function createBurst(act: (again: () => void) => unknown, pauseMs = usualPauseMs): Burst {
  let dueMs: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastEndMs = 0
  let isActing = false
  let isStopped = false

  const schedule = () => {
    clearTimeout(timer)
    if (dueMs === undefined || isActing || isStopped || document.hidden) return
    const atMs = Math.max(dueMs, lastEndMs + pauseMs)
    timer = setTimeout(() => void run(), Math.max(0, atMs - Date.now()))
  }
  const ask = (delayMs = 0) => {
    const nextMs = Date.now() + Math.max(gatherMs, delayMs)
    dueMs = dueMs === undefined ? nextMs : Math.min(dueMs, nextMs)
    schedule()
  }
  const run = async () => {
    dueMs = undefined
    isActing = true
    try {
      await act(ask)
    } finally {
      isActing = false
      lastEndMs = Date.now()
      schedule()
    }
  }
  document.addEventListener('visibilitychange', schedule)
  return {
    ask,
    stop() {
      isStopped = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', schedule)
    },
  }
}

/** How long a page waits after a miss, so that the pages that are open do not all read at once; after others not. */
export function waitAfter(event: LiveEvent, random: () => number = Math.random): number {
  return event.type === 'missed' ? Math.round((event.spreadMs ?? 0) * random()) : 0
}
