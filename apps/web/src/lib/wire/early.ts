import { readToken } from '../session.ts'
import type { Outgoing } from './outgoing.ts'

/** A call made before what wants its answer is there: by index.html before any script, by the entry before the console. */
export interface EarlyAnswer {
  method: string
  address: string
  body: Outgoing['body']
  token: string
  askedAtMs: number
  response: Promise<Response>
}

/** What nobody has wanted for so long is no answer to what is wanted now. */
const freshMs = 10_000

const holder = window as { early?: EarlyAnswer[] }

/** The same call, where it has been made already. Once. */
export function takeEarly({ method, address, body }: Outgoing): Promise<Response> | undefined {
  const { early = [] } = holder
  const at = early.findIndex(
    (each) => each.method === method && each.address === address && each.body === body,
  )
  const [found] = at < 0 ? [] : early.splice(at, 1)
  if (!found || performance.now() - found.askedAtMs > freshMs) return undefined
  // Somebody else has signed in since.
  return found.token === readToken() ? found.response : undefined
}

/** A copy of an answer that is on its way to somebody else. */
export async function seeEarly(address: string): Promise<Response | undefined> {
  const found = holder.early?.find((each) => each.address === address)
  return (await found?.response)?.clone()
}

/** Keeps the answer of a call for whoever makes the same one. */
export function keepEarly({ method, address, body }: Outgoing, response: Promise<Response>): void {
  // Whoever takes it is told.
  response.catch(() => undefined)
  holder.early ??= []
  holder.early.push({
    method,
    address,
    body,
    token: readToken() ?? '',
    askedAtMs: performance.now(),
    response,
  })
}
