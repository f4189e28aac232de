// Downloads a file as a device with little memory and a bad connection does: the hash is computed while the bytes
// arrive, and a broken connection is resumed by Range where it broke.
import { createHash } from 'node:crypto'
import { get as getHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as getHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'

export interface DownloadOptions {
  /** Read before each try, because a command with a newer address may arrive meanwhile. */
  url: string
  sizeBytes: number
  /** Lower-case hexadecimal. */
  sha256: string
  /** Ends the download without a result: it throws the signal's reason. */
  signal: AbortSignal
  /** Whether the bytes are in the result. Without them the memory stays flat. */
  keepsBytes?: boolean
  /** The part that came before this device lost its power. For a complete file nothing is requested. */
  file?: ReceivedFile
  /** The least duration of the whole file, as over a slow connection; 0 by default. */
  paceMs?: number
  /** Called with each piece, a twentieth of the file at most. `cut` breaks the connection. */
  onProgress?: (receivedBytes: number, cut: () => void) => void
  random: Random
  /** The first window to wait in before another try; it doubles up to the second. */
  retryMs?: readonly [first: number, longest: number]
}

export type DownloadResult = { isComplete: true; bytes?: Buffer } | { isComplete: false; reason: string }

/** Tries in a row that bring no byte. */
const fruitlessLimit = 5
const redirectLimit = 5
const silenceMs = 30_000

/** One attempt: how the connection ended. `again` may be resumed, `never` may not. */
type Attempt = { end: 'complete' } | { end: 'again'; reason: string } | { end: 'never'; reason: string }

export async function download(options: DownloadOptions): Promise<DownloadResult> {
  const { sizeBytes, sha256, signal, random, keepsBytes = false, retryMs = [1_000, 30_000] } = options
  const file = options.file ?? createReceivedFile(keepsBytes)
  let fruitless = 0
  for (;;) {
    const before = file.sizeBytes
    const attempt: Attempt = before === sizeBytes ? { end: 'complete' } : await fetchRest(options, file)
    signal.throwIfAborted()
    if (attempt.end === 'never') return { isComplete: false, reason: attempt.reason }
    if (attempt.end === 'complete') {
      if (file.sizeBytes !== sizeBytes) return { isComplete: false, reason: '文件大小与命令不符' }
      if (file.digest() !== sha256) return { isComplete: false, reason: '文件校验失败（SHA-256不符）' }
      return { isComplete: true, ...(keepsBytes ? { bytes: file.bytes() } : {}) }
    }
    fruitless = file.sizeBytes > before ? 0 : fruitless + 1
    if (fruitless >= fruitlessLimit) return { isComplete: false, reason: attempt.reason }
    // Anywhere within the window: devices that were cut off together must not come back together.
    const [first, longest] = retryMs
    const windowMs = Math.min(longest, first * 2 ** fruitless)
    await delay(windowMs * (0.1 + 0.9 * random.next()), undefined, { signal })
  }
}

/** The received part of a file. */
export interface ReceivedFile {
  readonly sizeBytes: number
  /** Shows whether the file on the server is still the same. */
  etag: string | undefined
  add(chunk: Buffer): void
  reset(): void
  digest(): string
  bytes(): Buffer
}

export function createReceivedFile(keepsBytes = false): ReceivedFile {
  let hash = createHash('sha256')
  let chunks: Buffer[] = []
  let sizeBytes = 0
  return {
    etag: undefined,
    get sizeBytes() {
      return sizeBytes
    },
    add(chunk) {
      hash.update(chunk)
      sizeBytes += chunk.length
      if (keepsBytes) chunks.push(chunk)
    },
    reset() {
      hash = createHash('sha256')
      chunks = []
      sizeBytes = 0
    },
    digest: () => hash.digest('hex'),
    bytes: () => Buffer.concat(chunks),
  }
}

/** Requests the missing bytes and appends them. */
async function fetchRest(options: DownloadOptions, file: ReceivedFile): Promise<Attempt> {
  const { url, sizeBytes, signal, onProgress, paceMs = 0 } = options
  const headers: Record<string, string> = {}
  if (file.sizeBytes > 0) {
    headers.range = `bytes=${file.sizeBytes}-`
    if (file.etag !== undefined) headers['if-range'] = file.etag
  }
  let response: IncomingMessage
  try {
    response = await request(url, { headers, signal, agent: false })
  } catch (error) {
    return { end: 'again', reason: `下载失败（${codeOf(error)}）` }
  }
  const refused = refusalOf(response)
  if (refused) {
    response.destroy()
    return refused
  }
  // A server that ignores Range, or whose file has changed, sends it from the beginning.
  if (response.statusCode === 200) file.reset()
  else if (firstByteOf(response) !== file.sizeBytes) {
    response.destroy()
    file.reset()
    return { end: 'again', reason: '下载失败（续传位置不符）' }
  }
  file.etag = response.headers.etag
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (const piece of piecesOf(chunk, Math.ceil(sizeBytes / 20))) {
        // Bytes that are still in the buffer count as not received: the connection or the power has failed.
        if (response.errored) throw response.errored
        signal.throwIfAborted()
        file.add(piece)
        if (file.sizeBytes > sizeBytes) {
          response.destroy()
          return { end: 'never', reason: '文件大小与命令不符' }
        }
        onProgress?.(file.sizeBytes, () => response.destroy(new Error('CUT')))
        if (paceMs > 0) await delay((paceMs * piece.length) / sizeBytes, undefined, { signal })
      }
    }
  } catch (error) {
    return { end: 'again', reason: `下载中断（${codeOf(error)}）` }
  }
  return { end: 'complete' }
}

function* piecesOf(chunk: Buffer, mostBytes: number): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += mostBytes) yield chunk.subarray(at, at + mostBytes)
}

/** Follows redirects: the server may leave the sending to its store. */
async function request(url: string, options: RequestOptions, redirects = 0): Promise<IncomingMessage> {
  const get = url.startsWith('https:') ? getHttps : getHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = get(url, options, resolve)
    sent.on('error', reject)
    sent.setTimeout(silenceMs, () => sent.destroy(new Error('TIMEOUT')))
  })
  const { statusCode = 0, headers } = response
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined
  if (!isRedirect || redirects === redirectLimit) return response
  response.destroy()
  return request(new URL(headers.location as string, url).href, options, redirects + 1)
}

/** Null where the bytes follow. */
function refusalOf({ statusCode = 0 }: IncomingMessage): Attempt | null {
  if (statusCode === 200 || statusCode === 206) return null
  if (statusCode === 429 || statusCode >= 500)
    return { end: 'again', reason: `下载失败（HTTP ${statusCode}）` }
  if ([401, 403, 404, 410].includes(statusCode)) {
    return { end: 'never', reason: `下载地址已失效（HTTP ${statusCode}）` }
  }
  return { end: 'never', reason: `下载失败（HTTP ${statusCode}）` }
}

/** `Content-Range: bytes 100-199/200` begins at 100. */
function firstByteOf({ headers }: IncomingMessage): number | undefined {
  const [, first] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? []
  return first === undefined ? undefined : Number(first)
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
