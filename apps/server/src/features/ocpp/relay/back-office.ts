/**
 * The connection of a station to another platform, to which this server is the station: its calls in, each answered once, and
 * the station's calls to it. It is made again for as long as the station is here, after a growing pause.
 */
import { isIP } from 'node:net'
import { maxPayloadBytes } from '@voltkeep/contract/topics/index'
import { WebSocket } from 'ws'
import {
  createStationLine,
  type StationAnswer,
  type StationCall,
  type StationLine,
  type StationResult,
} from '../../../platform/devices/ocpp/line.ts'
import { AddressNotAllowed, guardedLookup, type IsAllowed } from '../../../platform/http/outgoing/index.ts'
import { addressOf, failureText } from './relay.rules.ts'

/** Where to, and by what proof. */
export interface RelayTarget {
  url: string
  identity: string
  password: string | null
  tls: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined }
}

export interface BackOfficeEvents {
  /** Answers a call of the other platform. */
  call(call: StationCall): Promise<StationAnswer>
  /** It is connected; nothing has been said yet. */
  opened(): void
  /** Why it is not connected. */
  failed(why: string): void
}

export interface BackOffice {
  /** Resolves when the first attempt has ended, either way. */
  readonly tried: Promise<void>
  readonly isOpen: boolean
  /** `gone` where it is away, or goes away before it has answered; `silent` where it does not answer, after which it is away. */
  ask(action: string, payload: object): Promise<StationResult>
  /** Asks for a sign of life, and gives up a connection without one since the last time. */
  ping(): void
  close(): void
}

export interface BackOfficeLimits {
  handshakeMs: number
  answerMs: number
  retryMs: number
  retryAtMostMs: number
}

export const usualLimits: BackOfficeLimits = {
  handshakeMs: 10_000,
  // Before the station gives up: most wait for 30 s.
  answerMs: 15_000,
  retryMs: 1_000,
  retryAtMostMs: 60_000,
}

const subprotocol = 'ocpp1.6'
/** Of one second: beyond, the connection is not read until the next one. */
const messagesAtMost = 100

export function connectBackOffice(
  target: RelayTarget,
  { isAllowed, ...events }: BackOfficeEvents & { isAllowed: IsAllowed },
  limits: BackOfficeLimits = usualLimits,
): BackOffice {
  const { url, identity, password, tls } = target
  const { hostname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const lookup = guardedLookup(isAllowed)
  let socket: WebSocket | null = null
  let line: StationLine | null = null
  let timer: NodeJS.Timeout | undefined
  let pauseMs = limits.retryMs
  let isClosed = false
  const { promise: tried, resolve: hasTried } = Promise.withResolvers<void>()

  function ended(why: string): void {
    line = null
    socket = null
    hasTried()
    if (isClosed) return
    events.failed(why)
    // Not all stations of a platform that comes back at the same moment.
    timer = setTimeout(connect, pauseMs * (0.5 + Math.random() / 2))
    pauseMs = Math.min(pauseMs * 2, limits.retryAtMostMs)
  }

  function connect(): void {
    // A socket calls no `lookup` for an address that is written out.
    if (isIP(host) !== 0 && !isAllowed(host)) {
      ended(failureText(new AddressNotAllowed()))
      return
    }
    const made = new WebSocket(addressOf(url, identity), [subprotocol], {
      handshakeTimeout: limits.handshakeMs,
      maxPayload: maxPayloadBytes,
      perMessageDeflate: false,
      followRedirects: false,
      lookup,
      ...tls,
      ...(password !== null && { auth: `${identity}:${password}` }),
    })
    socket = made
    let why: string | null = null
    const failed = (error: Error) => {
      why ??= failureText(error)
    }
    made.on('error', failed)
    made.once('close', (code) => {
      if (socket !== made) return
      ended(why ?? (line ? `原平台断开了连接（${code}）` : '无法连接原平台'))
    })
    made.once('open', () => {
      const count = perSecond()
      const opened = createStationLine(
        made,
        {
          call: events.call,
          received: count,
          // What nobody can read is nobody's answer; whoever waits for one waits in vain.
          unreadable: () => {},
          closed: () => {},
          failed: (error) => failed(error as Error),
        },
        { answerWithinMs: limits.answerMs },
      )
      line = opened
      hasTried()
      events.opened()
    })
  }

  async function ask(action: string, payload: object): Promise<StationResult> {
    const asked = line
    if (!asked?.isOpen) return { kind: 'gone' }
    const result = await asked.ask(action, payload)
    if (result.kind === 'silent' && line === asked) {
      // The station's next call would wait as long.
      const silent = socket
      ended('原平台没有及时应答')
      silent?.terminate()
    } else if (result.kind !== 'gone') pauseMs = limits.retryMs
    return result
  }

  connect()
  return {
    tried,
    get isOpen() {
      return line?.isOpen ?? false
    },
    ask,
    ping: () => line?.ping(),
    close() {
      isClosed = true
      clearTimeout(timer)
      hasTried()
      if (line) line.close(1001)
      else socket?.terminate()
    },
  }
}

/** How long nothing is to be read, ms, for each message that has come. */
function perSecond(): () => number {
  let sinceMs = 0
  let count = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs - sinceMs >= 1_000) {
      sinceMs = nowMs
      count = 0
    }
    count += 1
    return count > messagesAtMost ? Math.max(1, sinceMs + 1_000 - nowMs) : 0
  }
}
