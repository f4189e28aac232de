// How the body of a request is read: within the bytes that its call takes, the fields that any call has, and the time
// that an ordinary connection needs. Each limit is checked while the body comes in.
import type { Readable } from 'node:stream'
import { bodyLimitOf } from '@voltkeep/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'

/** For a request that matches no call: nobody reads its body. */
export const strangersBodyBytes = bodyLimitOf({ access: 'public' })

/** No input of the contract nests deeper than a handful; without a limit a hostile body ends in a stack overflow. */
export const depthLimit = 20
/** The largest form, an entry of the dictionary with a thousand definitions, has 3,000. */
const keyLimit = 5_000
/** The longest list, the operators of a data permission, has 15,000. */
const valueLimit = 20_000
/** How long a client that was refused may go on sending, so that it can read the answer. */
const lingerMs = 5_000

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [brace, bracket, endBrace, endBracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * Counts the fields and values of JSON as its bytes come in, which takes a fiftieth of the time of parsing and
 * validating them. Throws `tooManyFields`, and `badInput` where it nests too deep.
 */
export function createJsonMeter(): (bytes: Uint8Array) => void {
  let isText = false
  let isEscaped = false
  let depth = 0
  let keys = 0
  let values = 0
  return (bytes) => {
    for (const byte of bytes) {
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isText = false
      } else if (byte === quote) isText = true
      else if (byte === comma) values += 1
      else if (byte === colon) keys += 1
      else if (byte === brace || byte === bracket) depth += 1
      else if (byte === endBrace || byte === endBracket) depth -= 1
      // One more than of the input: its outermost braces.
      if (depth > depthLimit + 1) throw new Refusal('badInput', [{ field: '', message: '请求内容嵌套过深' }])
      if (keys > keyLimit || values > valueLimit) throw new Refusal('tooManyFields')
    }
  }
}

/**
 * Reads a body as text. Throws `bodyTooLarge`, where possible by what the client announces, `bodyTooSlow`, and what
 * `meter` throws.
 */
export function readBody(
  request: Pick<FastifyRequest, 'headers'>,
  content: Readable,
  {
    limitBytes,
    withinMs,
    meter,
  }: { limitBytes: number; withinMs: number; meter?: (bytes: Uint8Array) => void },
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      reject(new Refusal('bodyTooLarge'))
      return
    }
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const timer = setTimeout(() => fail(new Refusal('bodyTooSlow')), withinMs)
    const stop = () => {
      clearTimeout(timer)
      content.off('data', take).off('end', end).off('error', fail).off('close', leave)
    }
    const fail = (error: unknown) => {
      stop()
      reject(error)
    }
    const take = (bytes: Buffer) => {
      sizeBytes += bytes.length
      if (sizeBytes > limitBytes) {
        fail(new Refusal('bodyTooLarge'))
        return
      }
      try {
        meter?.(bytes)
      } catch (error) {
        fail(error)
        return
      }
      chunks.push(bytes)
    }
    const end = () => {
      stop()
      resolve(Buffer.concat(chunks).toString())
    }
    const leave = () => fail(new Refusal('badInput'))
    content.on('data', take).on('end', end).on('error', fail).on('close', leave)
  })
}

/**
 * For a client that was answered before it has sent its whole body: what it still sends is dropped for a while, then
 * the connection is cut. `isLast`: the connection is not kept for another request. Node would destroy it as soon as the
 * answer is written; data that arrives after that causes a reset, which drops the answer from the client's buffer
 * unread. So only our side is ended, and the rest when the body has come to its end.
 */
export function lingerOver(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { forMs = lingerMs, isLast = false }: { forMs?: number; isLast?: boolean } = {},
): void {
  const { socket } = raw
  const destroySoon = socket.destroySoon.bind(socket)
  if (isLast) socket.destroySoon = () => void socket.end()
  reply.raw.once('finish', () => {
    if (raw.complete) {
      if (isLast) destroySoon()
      return
    }
    raw.resume()
    const cut = setTimeout(() => socket.destroy(), forMs)
    socket.once('close', () => clearTimeout(cut))
    raw.once('end', () => {
      clearTimeout(cut)
      if (isLast) destroySoon()
    })
  })
}

/** Whether there is more to come of the request's body. */
export const isStillSending = ({ raw, headers }: FastifyRequest): boolean =>
  !raw.complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

export interface Pace {
  /** 0: any. */
  leastBytesPerSecond: number
  /** The span over which the rate is taken: a connection may pause for a moment. */
  windowMs?: number
}

export const anyPace: Pace = { leastBytesPerSecond: 0 }
const paceWindowMs = 20_000

/**
 * Calls `onSlow` once when less than the least rate came in over a window, unless received bytes were left unread: a
 * slow disk of ours is no fault of the client's. Returns the function that ends the watch.
 */
export function watchUpload(
  request: Pick<FastifyRequest['raw'], 'socket' | 'readableLength' | 'complete'>,
  { leastBytesPerSecond, windowMs = paceWindowMs }: Pace,
  onSlow: () => void,
): () => void {
  if (leastBytesPerSecond === 0) return () => undefined
  const { socket } = request
  let seenBytes = socket.bytesRead
  const timer = setInterval(() => {
    const bytes = socket.bytesRead - seenBytes
    seenBytes = socket.bytesRead
    if (request.complete || request.readableLength > 0) return
    if (bytes * 1_000 >= leastBytesPerSecond * windowMs) return
    stop()
    onSlow()
  }, windowMs)
  const stop = () => clearInterval(timer)
  socket.once('close', stop)
  return () => {
    stop()
    socket.off('close', stop)
  }
}
