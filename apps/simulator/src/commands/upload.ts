// Uploads a file as a device with a bad connection does: it asks whether the file is wanted before it sends a byte, and
// begins again where the connection breaks.
import { createHash } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'

export interface UploadOptions {
  url: string
  content: Buffer
  /** Ends the upload without a result: it throws the signal's reason. */
  signal: AbortSignal
  /** How long the whole file takes at least; 0 by default. */
  paceMs?: number
  /** The first upload breaks off in the middle. */
  cutsFirst?: boolean
  random: Random
  /** The first window to wait in before another try; it doubles up to the second. */
  retryMs?: readonly [first: number, longest: number] | undefined
}

const triesLimit = 20
const silenceMs = 30_000
/** A proxy may swallow `Expect: 100-continue`; the device sends after this timeout. */
const continueMs = 2_000
const pieces = 20

/** Returns whether the server has accepted the file. */
export async function upload(options: UploadOptions): Promise<boolean> {
  const { signal, random, retryMs = [1_000, 30_000] } = options
  for (let attempt = 0; attempt < triesLimit; attempt += 1) {
    const status = await putOnce(options, attempt === 0 && options.cutsFirst === true)
    signal.throwIfAborted()
    if (status === 200) return true
    // Refused for good: used, expired, too large, of the wrong type.
    if (status !== null && status < 500 && status !== 400 && status !== 429) return false
    const [first, longest] = retryMs
    const windowMs = Math.min(longest, first * 2 ** attempt)
    await delay(windowMs * (0.1 + 0.9 * random.next()), undefined, { signal })
  }
  return false
}

/** Returns the HTTP status; null where the connection broke. */
async function putOnce(options: UploadOptions, cuts: boolean): Promise<number | null> {
  const { url, content, signal } = options
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
    method: 'PUT',
    agent: false,
    signal,
    headers: {
      'content-length': content.length,
      'content-md5': createHash('md5').update(content).digest('base64'),
      expect: '100-continue',
    },
  })
  request.setTimeout(silenceMs, () => request.destroy(new Error('TIMEOUT')))
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  answered.catch(() => undefined)
  try {
    request.flushHeaders()
    const isWanted = await Promise.race([
      answered.then(() => false),
      new Promise<boolean>((resolve) => request.once('continue', () => resolve(true))),
      delay(continueMs, true, { signal }),
    ])
    if (isWanted) await send(request, options, cuts)
    const response = await answered
    response.resume()
    return response.statusCode ?? null
  } catch {
    return null
  } finally {
    request.destroy()
  }
}

async function send(request: ClientRequest, options: UploadOptions, cuts: boolean): Promise<void> {
  const { content, paceMs = 0, signal } = options
  const step = Math.max(1, Math.ceil(content.length / pieces))
  for (let at = 0; at < content.length; at += step) {
    if (cuts && at * 2 >= content.length) throw new Error('CUT')
    await new Promise<void>((resolve, reject) => {
      request.write(content.subarray(at, at + step), (error) => (error ? reject(error) : resolve()))
    })
    if (paceMs > 0) await delay(paceMs / pieces, undefined, { signal })
  }
  request.end()
}
