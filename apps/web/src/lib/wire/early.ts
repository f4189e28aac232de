import type { Envelope } from '@voltkeep/contract/endpoint'
import { readToken } from '../session.ts'
import type { Outgoing } from './outgoing.ts'

/** A reading call that index.html made before any script was there. */
export interface EarlyAnswer {
  method: string
  address: string
  body: string | undefined
  token: string
  askedAtMs: number
  response: Promise<Response>
  /** The answer, and when it came in the browser's milliseconds, once it has come. */
  envelope?: Envelope<unknown>
  answeredAtMs?: number
}

/** An answer that was not used for so long is outdated. */
const freshMs = 30_000

const holder = window as { early?: EarlyAnswer[] }

/** The response of the same call, where it was made early. Each can be used once. */
export function takeEarly(outgoing: Outgoing): Promise<Response> | undefined {
  return take(outgoing, () => true)?.response
}

/**
 * The answer of the same call, where it has come and was a success. Each can be used once: a list is drawn with its
 * rows at once.
 */
export function takeAnswered(outgoing: Outgoing): { envelope: Envelope<unknown>; atMs: number } | undefined {
  const { envelope, answeredAtMs: atMs = 0 } = take(outgoing, (found) => found.envelope?.code === 200) ?? {}
  return envelope && { envelope, atMs }
}

function take(
  { method, address, body }: Outgoing,
  isWanted: (found: EarlyAnswer) => boolean,
): EarlyAnswer | undefined {
  const { early = [] } = holder
  const at = early.findIndex(
    (each) => each.address === address && each.method === method && each.body === body && isWanted(each),
  )
  const [found] = at < 0 ? [] : early.splice(at, 1)
  if (!found || performance.now() - found.askedAtMs > freshMs) return undefined
  // Somebody else may have signed in since.
  return found.token === readToken() ? found : undefined
}
