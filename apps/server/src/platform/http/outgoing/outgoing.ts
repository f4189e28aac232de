/**
 * Requests of this server to addresses that users have given: to public addresses and the networks that the installation
 * allows, judged where the connection is made. Redirects are not followed; of an answer at most 64 KB are read.
 */
import { isIP } from 'node:net'
import { Agent, buildConnector, request } from 'undici'
import { AddressNotAllowed, guardedLookup, type IsAllowed } from './address-guard.ts'

const answerLimitBytes = 65_536
const usualTimeoutMs = 15_000

export interface OutgoingAnswer {
  status: number
  /** The beginning of the body; never shown to users, who could read the neighbours of this server by it. */
  body: string
  /** What the header `retry-after` asks for; null where there is none, or none that can be read. */
  retryAfterMs: number | null
}

export interface Outgoing {
  /**
   * Rejects with `AddressNotAllowed`, or where no answer has come within `timeoutMs` (15 s by default).
   */
  post(
    url: string,
    content: { headers?: Readonly<Record<string, string>>; body: string; timeoutMs?: number },
  ): Promise<OutgoingAnswer>
  close(): Promise<void>
}

export function createOutgoing(isAllowed: IsAllowed): Outgoing {
  const connect = buildConnector({ timeout: 10_000, lookup: guardedLookup(isAllowed) })
  const agent = new Agent({
    connections: 8,
    // A socket calls no `lookup` for an address that is written out.
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) && !isAllowed(host)) return callback(new AddressNotAllowed(), null)
      return connect(options, callback)
    },
  })
  return {
    async post(url, { headers, body, timeoutMs = usualTimeoutMs }) {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return {
        status: answer.statusCode,
        body: await beginningOf(answer.body),
        retryAfterMs: retryAfterOf(answer.headers['retry-after']),
      }
    },
    close: () => agent.destroy(),
  }
}

async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  for await (const part of body) {
    parts.push(part)
    sizeBytes += part.length
    if (sizeBytes >= answerLimitBytes) break
  }
  return Buffer.concat(parts).subarray(0, answerLimitBytes).toString('utf8')
}

const longestRetryAfterMs = 86_400_000

function retryAfterOf(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), longestRetryAfterMs) : null
}
