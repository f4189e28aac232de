// The connection of the live stream: opened, watched, and opened again after a loss.
import { type LiveEvent, openLiveStream } from '@voltkeep/contract/live'
import { CallError, lastSuccessMs, refusalOf, request, sessionEnd } from '../wire/call.ts'
import { outgoingOf } from '../wire/outgoing.ts'
import { isWatchedUnseen, liveState, publishLive } from './live.ts'
import { createEventReader } from './sse.ts'

/** The server sends a comment every 5 s; after two and a half missing ones the connection is lost. */
const silenceMs = 12_500
/**
 * A hidden page closes its connection after this long. Over HTTP/1.1 a browser has six connections per host
 * for all of its tabs together: the seventh tab would wait for ever.
 */
const outOfSightMs = 20_000
const firstWaitMs = 1_000
const longestWaitMs = 30_000

/** The page is hidden, and nothing is to be announced meanwhile. */
const isOutOfSight = () => document.hidden && !isWatchedUnseen.get()

/** How long before the next try: doubling, capped, and spread so that many tabs do not return at once. */
export function waitBeforeTry(failures: number, random: () => number = Math.random): number {
  const full = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.max(0, failures - 1))
  return Math.round(full / 2 + (full / 2) * random())
}

/** Keeps one connection open until the function that it returns is called. */
export function keepLiveStream(): () => void {
  const stopped = new AbortController()
  void run(stopped.signal)
  return () => {
    stopped.abort()
    liveState.set('off')
  }
}

async function run(stop: AbortSignal): Promise<void> {
  let failures = 0
  let wasConnected = false
  liveState.set('connecting')
  while (!stop.aborted) {
    await untilInSight(stop)
    if (stop.aborted) return
    try {
      await follow(stop, () => {
        failures = 0
        liveState.set('connected')
        wasConnected = true
      })
    } catch (error) {
      if (stop.aborted) return
      if (error instanceof CallError && error.isSessionEnd) {
        liveState.set('off')
        sessionEnd.set(error)
        return
      }
    }
    if (isOutOfSight()) {
      liveState.set('connecting')
      continue
    }
    failures += 1
    if (wasConnected || failures > 1) liveState.set('reconnecting')
    await pause(waitBeforeTry(failures), stop)
  }
}

/** One connection, from its opening to its end. Silence ends it too. */
async function follow(stop: AbortSignal, onOpen: () => void): Promise<void> {
  const lost = new AbortController()
  const signal = AbortSignal.any([stop, lost.signal])
  let silence: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(() => lost.abort(), silenceMs)
  }
  let goodbye: ReturnType<typeof setTimeout> | undefined
  const onSight = () => {
    clearTimeout(goodbye)
    if (isOutOfSight()) goodbye = setTimeout(() => lost.abort(), outOfSightMs)
  }
  document.addEventListener('visibilitychange', onSight)
  // A network that goes away is reported at once, long before the silence is noticed.
  const onOffline = () => lost.abort()
  window.addEventListener('offline', onOffline)
  try {
    onSight()
    heard()
    const response = await request(outgoingOf(openLiveStream, {}), signal, { isEndless: true })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!response.ok || !isStream || !response.body) throw await refusalOf(response)
    onOpen()
    const messages = createEventReader()
    const decoder = new TextDecoder()
    const body = response.body.getReader()
    for (;;) {
      const { done, value } = await body.read()
      if (done) return
      heard()
      for (const data of messages.read(decoder.decode(value, { stream: true }))) {
        const event = parseEvent(data)
        if (event) publishLive(event)
      }
    }
  } finally {
    document.removeEventListener('visibilitychange', onSight)
    window.removeEventListener('offline', onOffline)
    clearTimeout(goodbye)
    clearTimeout(silence)
    lost.abort()
  }
}

/** The server has formed the event by its schema; what is not even JSON is ignored. */
function parseEvent(data: string): LiveEvent | undefined {
  try {
    return JSON.parse(data) as LiveEvent
  } catch {
    return undefined
  }
}

/** Resolves at once for a visible page, else when it becomes visible. */
function untilInSight(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (isOutOfSight() && !stop.aborted) return
      document.removeEventListener('visibilitychange', look)
      stop.removeEventListener('abort', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    stop.addEventListener('abort', look)
    look()
  })
}

/**
 * Waits, but no longer than until the browser is online again or a call succeeds: after a long restart of the server the
 * page would show new rows and yet miss all changes for half a minute. Not for less than the first wait, so that a
 * server that answers calls and refuses streams is not asked at each call.
 */
function pause(ms: number, stop: AbortSignal): Promise<void> {
  const earliestMs = performance.now() + Math.min(ms, firstWaitMs)
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      window.removeEventListener('online', end)
      stop.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    const unsubscribe = lastSuccessMs.subscribe(() => {
      if (lastSuccessMs.get() >= earliestMs) end()
    })
    window.addEventListener('online', end)
    stop.addEventListener('abort', end)
  })
}
