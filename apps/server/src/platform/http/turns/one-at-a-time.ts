// One request of a connection is under way at a time. Node hands over every request that has been read, up to 3,600 in
// a piece of 64 KB, and reads on while it answers them.
//
// This is the one file that relies on how Node reads a connection: by a single listener of the socket's `data`, which
// parses what it is given. It gets the bytes of one request after the other.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { plainAddress } from '../../process/networks.ts'
import { answerBare } from '../errors.ts'

/** What may have been read beyond the request under way: two requests with the longest headers, or many short ones. */
const aheadBytesAtMost = 32_768
/** Of one piece: its headers may end in the piece of the next request. */
const underWayAtMost = 4
/** Whoever comes again at once must gain nothing by it. */
const refusedAfterMs = 1_000
/** Then the other connections have their turn. */
const piecesAtOnce = 16
/** Of a body that does not say its length. */
const chunkedPieceBytes = 4_096
const endOfHeaders = '\r\n\r\n'
const nothing = Buffer.alloc(0)

interface Line {
  began(request: IncomingMessage, response: ServerResponse): void
  /** Parses nothing any more. Returns what was read beyond the last request. */
  letGo(): Buffer
}
const lines = new WeakMap<Socket, Line>()

/** For the option `ServerResponse` of the servers that `takeOneAtATime` gets: tells of each request, however it comes. */
export class CountedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...given)
    const [request] = given
    lines.get(request.socket)?.began(request, this)
  }
}

/**
 * Parses a request of a connection after the one before has been answered and its answer been taken. What a client sends
 * ahead waits, 32 KB at most: beyond, the connection is refused with 429 and ended. A connection is read all the time,
 * so that a client that leaves is noticed; what it had sent ahead is dropped then.
 */
export function takeOneAtATime(servers: readonly Server[], onFlood: (address: string) => void): void {
  for (const server of servers) {
    server.on('connection', (socket: Socket) => hold(socket, onFlood))
    server.on('secureConnection', (socket: TLSSocket) => hold(socket, onFlood))
  }
}

/**
 * The connection speaks HTTP no more: its request asked for another protocol. Returns what its client has sent ahead.
 */
export const letGo = (socket: Socket): Buffer => lines.get(socket)?.letGo() ?? nothing

function hold(socket: Socket, onFlood: (address: string) => void): void {
  const [parse, ...others] = socket.listeners('data') as ((bytes: Buffer) => void)[]
  // None: the plain connection under one of TLS.
  if (!parse || others.length > 0) return
  /** Read, and not yet parsed. */
  let ahead: Buffer = nothing
  let underWay = 0
  let last: { request: IncomingMessage; response: ServerResponse } | undefined
  let bodyBytesLeft = 0
  let isParsing = false
  let isRefused = false

  const isInBody = () => last?.request.complete === false
  const isBusy = () => underWay > 0 && !isInBody()

  function nextPiece(): Buffer {
    let end = ahead.length
    if (bodyBytesLeft > 0) {
      end = Math.min(end, bodyBytesLeft)
      bodyBytesLeft -= end
    } else {
      const at = ahead.indexOf(endOfHeaders, isInBody() ? chunkedPieceBytes : 0)
      if (at >= 0) end = at + endOfHeaders.length
    }
    const piece = ahead.subarray(0, end)
    ahead = ahead.subarray(end)
    return piece
  }

  function parseOn(): void {
    if (isParsing) return
    isParsing = true
    let pieces = 0
    // Paused by Node: a body that nobody reads yet, or an answer that the client does not take.
    while (ahead.length > 0 && !socket.destroyed && !socket.isPaused() && !isBusy()) {
      // After the last answer of a connection only the rest of a body is of interest.
      if (!socket.writable && !isInBody()) ahead = nothing
      else if (pieces === piecesAtOnce) {
        setImmediate(parseOn)
        break
      } else parse?.call(socket, nextPiece())
      pieces += 1
    }
    isParsing = false
    if (isBusy() && ahead.length > aheadBytesAtMost) refuse()
  }

  function refuse(): void {
    ahead = nothing
    isRefused = true
    socket.pause()
    onFlood(plainAddress(socket.remoteAddress ?? ''))
    const timer = setTimeout(() => {
      const isUnanswered = last?.response.headersSent !== true && socket.writableLength === 0
      if (isUnanswered) answerBare(socket, 'tooManyAhead')
      socket.destroySoon()
    }, refusedAfterMs)
    socket.once('close', () => clearTimeout(timer))
  }

  lines.set(socket, {
    began(request, response) {
      last = { request, response }
      bodyBytesLeft = Number(request.headers['content-length']) || 0
      underWay += 1
      response.once('close', () => {
        underWay -= 1
        parseOn()
      })
      if (underWay > underWayAtMost) socket.destroy()
    },
    letGo() {
      const rest = ahead
      ahead = nothing
      socket.off('data', take)
      socket.off('resume', parseOn)
      lines.delete(socket)
      return rest
    },
  })
  socket.on('data', take)
  socket.off('data', parse)
  socket.on('resume', parseOn)
  socket.prependListener('end', () => {
    ahead = nothing
  })

  function take(bytes: Buffer): void {
    if (isRefused) {
      socket.pause()
      return
    }
    ahead = ahead.length === 0 ? bytes : Buffer.concat([ahead, bytes])
    parseOn()
  }
}
