import type { Log } from '../../process/log.ts'
import { type Sentence, spoken } from '../../process/sentences.ts'
import type { Worker } from './worker.ts'

export interface Watch {
  /**
   * Looks, and returns in how many ms to look again; null: when somebody asks. `isAsked`: because somebody asked; else
   * for the first time, or because that time was over.
   */
  look: (isAsked: boolean) => Promise<number | null>
  /** Subscribes to what asks for a look, at once or in so many ms, so that what comes together is looked at together. */
  subscribe: (ask: (inMs?: number) => void) => (() => void)[]
  /** From a look that failed to the next, which is as the first. */
  retryMs: number
  log: Log
  /** The log's sentence where a look has failed. */
  complaint: Sentence
}

/**
 * Looks at something again and again, one look at a time: when notices ask, and by itself, as notices may be lost. Who asks
 * during a look gets another one after it.
 */
export function createWatch({ look, subscribe, retryMs, log, complaint }: Watch): Worker {
  let isRunning = false
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  /** When the next look is due because somebody asked. */
  let askedForMs = Number.POSITIVE_INFINITY
  /** What the last look was asked for may be lost with it. */
  let hasFailed = false
  let stops: (() => void)[] = []

  function fire(): void {
    const isAsked = askedForMs < Number.POSITIVE_INFINITY && !hasFailed
    hasFailed = false
    askedForMs = Number.POSITIVE_INFINITY
    looking = look(isAsked)
      .catch((err: unknown) => {
        log.warn({ err }, spoken(complaint))
        hasFailed = true
        askedForMs = Number.POSITIVE_INFINITY
        return retryMs
      })
      .then((inMs) => {
        looking = undefined
        if (!isRunning) return
        if (askedForMs < Number.POSITIVE_INFINITY) arm(askedForMs - performance.now())
        else if (inMs !== null) arm(inMs)
      })
  }

  function arm(inMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(fire, Math.max(0, inMs))
  }

  function ask(inMs = 0): void {
    const atMs = performance.now() + inMs
    if (!isRunning || atMs >= askedForMs) return
    askedForMs = atMs
    if (!looking) arm(inMs)
  }

  return {
    start() {
      isRunning = true
      stops = subscribe(ask)
      fire()
    },
    async stop() {
      isRunning = false
      for (const stop of stops) stop()
      clearTimeout(timer)
      await looking
    },
  }
}
