/**
 * One station's WebSocket: its calls in, each of which gets exactly one answer, and calls to it, one under way at a time.
 *
 * While many of its calls wait for their answers, or it has sent more than it may, the connection is not read. Then TCP
 * slows the station down, as at the broker.
 */
import type { WebSocket } from 'ws'
import { type CallErrorCode, callFrame, errorFrame, type Frame, readFrame, resultFrame } from './frames.ts'

export type StationAnswer = { result: object } | { error: CallErrorCode; text: string }

export interface StationCall {
  /** The station's own. */
  id: string
  action: string
  payload: Record<string, unknown>
  /** As it has come. */
  bytes: Buffer
}

export interface StationLineEvents {
  /** Answers a call. Where it throws, the station is told of an internal error. */
  call(call: StationCall): Promise<StationAnswer>
  /** Bytes have come. Returns for how long nothing is read from now on, ms. */
  received(sizeBytes: number): number
  unreadable(frame: Extract<Frame, { kind: 'unreadable' }>, bytes: Buffer): void
  /** `isProper`: the station has closed the connection by itself. */
  closed(isProper: boolean): void
  failed(error: unknown): void
}

/** What a station has answered to a call. */
export type StationResult =
  | { kind: 'result'; payload: Record<string, unknown> }
  | { kind: 'error'; code: string; text: string }
  /** No answer in time. */
  | { kind: 'silent' }
  /** The connection has ended before. */
  | { kind: 'gone' }

export interface StationLine {
  /** Calls in the order of asking, one under way at a time. */
  ask(action: string, payload: object): Promise<StationResult>
  /** Calls of the station that have no answer yet. */
  readonly unansweredCount: number
  readonly isOpen: boolean
  /** Asks for a sign of life; closes a connection that has given none since the last time. */
  ping(): void
  /** Reads nothing any more; what has come is still answered. */
  stopReading(): void
  close(code?: number): void
}

/** A station has one call under way; one that sends many ahead is read again when they are answered. */
const unansweredAtMost = 16
const answerLimitMs = 30_000
/** Of what is sent; one that sends and never reads would fill the memory. */
const unreadLimitBytes = 262_144
/** A station that does not answer the closing is cut off. */
const closeLimitMs = 2_000
const properCodes = new Set([1000, 1001])

/** Too much of what was sent is not read: the connection is cut off. */
export class TooMuchUnread extends Error {
  readonly code = 'TOO_MUCH_UNREAD'
}

export function createStationLine(
  socket: WebSocket,
  events: StationLineEvents,
  { answerWithinMs = answerLimitMs }: { answerWithinMs?: number } = {},
): StationLine {
  let unanswered = 0
  let isStopped = false
  let isAlive = true
  let pausedBy = 0
  let asked = 0
  let latest: Promise<unknown> = Promise.resolve()
  let waiting: { id: string; resolve(result: StationResult): void } | null = null

  const isOpen = () => socket.readyState === socket.OPEN
  const endUnread = () => {
    if (!isOpen() || socket.bufferedAmount <= unreadLimitBytes) return
    events.failed(new TooMuchUnread('sent messages are not read'))
    socket.terminate()
  }
  const send = (text: string) => {
    if (isOpen()) socket.send(text)
    endUnread()
  }
  const pause = () => {
    pausedBy += 1
    if (isOpen()) socket.pause()
  }
  const resume = () => {
    pausedBy -= 1
    if (pausedBy === 0 && isOpen()) socket.resume()
  }

  const took = (sizeBytes: number) => {
    const waitMs = events.received(sizeBytes)
    if (waitMs <= 0) return
    pause()
    setTimeout(resume, waitMs)
  }

  async function answer(frame: Extract<Frame, { kind: 'call' }>, bytes: Buffer): Promise<void> {
    const { id, action, payload } = frame
    unanswered += 1
    const isMany = unanswered === unansweredAtMost
    if (isMany) pause()
    const answered = await events.call({ id, action, payload, bytes }).catch((error: unknown) => {
      events.failed(error)
      return { error: 'InternalError', text: 'not now' } as const
    })
    unanswered -= 1
    send(
      'result' in answered ? resultFrame(id, answered.result) : errorFrame(id, answered.error, answered.text),
    )
    if (isMany) resume()
  }

  socket.on('message', (data: Buffer) => {
    isAlive = true
    took(data.length)
    const frame = readFrame(data)
    switch (frame.kind) {
      case 'call':
        void answer(frame, data).catch(events.failed)
        return
      case 'unreadable':
        events.unreadable(frame, data)
        if (frame.id !== null) send(errorFrame(frame.id, 'FormationViolation', frame.detail))
        return
      case 'result':
      case 'error':
        // One that nobody waits for has come too late.
        if (waiting?.id === frame.id) waiting.resolve(frame)
        return
    }
  })
  socket.on('pong', ({ length }: Buffer) => {
    isAlive = true
    took(length)
  })
  // Of pongs that nobody reads ws has a limit of its own.
  socket.on('ping', ({ length }: Buffer) => took(length))
  socket.on('error', events.failed)
  socket.on('close', (code) => {
    waiting?.resolve({ kind: 'gone' })
    events.closed(properCodes.has(code))
  })

  function askNow(action: string, payload: object): Promise<StationResult> {
    if (!isOpen()) return Promise.resolve({ kind: 'gone' })
    asked += 1
    const id = `v${asked}`
    return new Promise<StationResult>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'silent' }), answerWithinMs)
      waiting = {
        id,
        resolve(result) {
          clearTimeout(timer)
          resolve(result)
        },
      }
      send(callFrame(id, action, payload))
    }).finally(() => {
      waiting = null
    })
  }

  return {
    ask(action, payload) {
      const answered = latest.then(() => askNow(action, payload))
      latest = answered.catch(() => {})
      return answered
    },
    get unansweredCount() {
      return unanswered
    },
    get isOpen() {
      return isOpen()
    },
    ping() {
      if (!isAlive && pausedBy === 0) {
        socket.terminate()
        return
      }
      isAlive = false
      if (isOpen()) socket.ping()
      endUnread()
    },
    stopReading() {
      if (isStopped) return
      isStopped = true
      pause()
    },
    close(code = 1001) {
      // A connection that is not read would not see the station's answer to the closing.
      socket.resume()
      socket.close(code)
      setTimeout(() => socket.terminate(), closeLimitMs).unref()
    },
  }
}
