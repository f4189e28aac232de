/**
 * Syslog over TLS (RFC 5425). The protocol has no acknowledgement, but the end of a connection is one: we close our half
 * behind the last message, and the receiver's end after it says that it has read everything before. A connection that
 * breaks, or that the receiver ends first, says nothing: all that went over it is sent again.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'

export interface Receiver {
  /** `tls://host:port`. */
  url: string
  /** Paths of PEM files; without `ca` the machine's own authorities are believed. */
  ca: string | undefined
  cert: string | undefined
  key: string | undefined
}

const usualPort = 6_514
const limitMs = 30_000
/**
 * Between the last message and our end. A receiver that does not take our certificate may say so behind the handshake
 * (TLS 1.3), by ending the connection: after our own end that would look like one that has read everything.
 */
const quietMs = 500

/** Of the files as they are now: they are renewed while the server runs. Throws where one cannot be read. */
export const readFiles = ({ ca, cert, key }: Receiver) => ({
  ...(ca !== undefined && { ca: readFileSync(ca) }),
  ...(cert !== undefined && { cert: readFileSync(cert) }),
  ...(key !== undefined && { key: readFileSync(key) }),
})

/** Resolves when the receiver has read everything; rejects where that is not known. */
export async function deliver(
  receiver: Receiver,
  content: Buffer,
  { signal, withinMs = limitMs }: { signal?: AbortSignal; withinMs?: number } = {},
): Promise<void> {
  const { hostname, port } = new URL(receiver.url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: port === '' ? usualPort : Number(port),
    ...(isIP(host) === 0 && { servername: host }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...readFiles(receiver),
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = () => socket.destroy(new Error('gave up waiting for the syslog receiver'))
  const timer = setTimeout(giveUp, withinMs)
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  let isEnding = false
  let quiet: NodeJS.Timeout | undefined
  socket.on('error', reject)
  socket.once('secureConnect', () => {
    socket.write(content, () => {
      quiet = setTimeout(() => {
        isEnding = true
        socket.end()
      }, quietMs)
    })
  })
  // What a receiver may say is not read but thrown away: it has nothing to say.
  socket.resume()
  socket.once('end', () => {
    if (isEnding) resolve()
    else reject(new Error('the syslog receiver ended the connection first'))
  })
  socket.once('close', () => reject(new Error('the connection to the syslog receiver broke')))
  try {
    await promise
  } finally {
    clearTimeout(timer)
    clearTimeout(quiet)
    signal?.removeEventListener('abort', giveUp)
    socket.destroy()
  }
}
