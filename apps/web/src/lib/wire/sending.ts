import { texts } from '../texts/index.ts'
import { unreachable } from './unreachable.ts'

/** The progress of a body on its way to the server. */
export interface Sent {
  bytes: number
  ofBytes: number
}

export interface SendingOptions {
  method: string
  headers: Record<string, string>
  body: FormData
  signal: AbortSignal | undefined
  onSent: (sent: Sent) => void
}

/** Longest time without a byte sent, or without an answer after the last one. */
const silenceLimitMs = 300_000

/**
 * The same as `fetch`, with the progress of the body, which fetch does not report. Throws what fetch throws: the
 * signal's reason, a TypeError without a network, a TimeoutError.
 */
export function sendWithProgress(
  address: string,
  { method, headers, body, signal, onSent }: SendingOptions,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest()
    let silence: ReturnType<typeof setTimeout> | undefined
    const fail = (error: unknown) => {
      clearTimeout(silence)
      reject(error)
    }
    const awaitSign = () => {
      clearTimeout(silence)
      silence = setTimeout(() => {
        fail(new DOMException(texts.errors.timeout, 'TimeoutError'))
        sending.abort()
      }, silenceLimitMs)
    }
    if (signal?.aborted) return fail(signal.reason)
    signal?.addEventListener('abort', () => {
      fail(signal.reason)
      sending.abort()
    })
    sending.upload.addEventListener('progress', ({ loaded, total }) => {
      awaitSign()
      onSent({ bytes: loaded, ofBytes: total })
    })
    sending.addEventListener('error', () => fail(new TypeError(unreachable())))
    sending.addEventListener('load', () => {
      clearTimeout(silence)
      resolve(new Response(sending.response, { status: sending.status, headers: headersOf(sending) }))
    })
    sending.open(method, address)
    sending.responseType = 'blob'
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value)
    awaitSign()
    sending.send(body)
  })
}

function headersOf(sent: XMLHttpRequest): [string, string][] {
  return sent
    .getAllResponseHeaders()
    .split('\r\n')
    .filter((line) => line.includes(':'))
    .map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trim()]
    })
}

/** Bytes a second over the last seconds of a transfer. */
export function createRate(now: () => number = () => performance.now()) {
  const windowMs = 3_000
  let marks: { atMs: number; bytes: number }[] = [{ atMs: now(), bytes: 0 }]
  return (bytes: number): number => {
    const atMs = now()
    const recent = marks.filter((mark) => mark.atMs >= atMs - windowMs)
    marks = [...(recent.length > 0 ? recent : marks.slice(-1)), { atMs, bytes }]
    const [oldest] = marks
    if (!oldest || atMs === oldest.atMs) return 0
    return ((bytes - oldest.bytes) * 1_000) / (atMs - oldest.atMs)
  }
}
