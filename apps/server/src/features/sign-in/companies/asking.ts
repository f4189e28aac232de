// One request to a provider: what it says as JSON, and in which ways that may be no answer.
import { ProviderAway } from '../provider-away.ts'

/** The provider has refused, by its own code: for the log. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal'
  readonly code: unknown
  constructor(what: string, code: unknown, said: unknown) {
    super(`${what}: ${String(code)} ${String(said ?? '').slice(0, 200)}`)
    this.code = code
  }
}

/** Somebody whom the provider knows, and who is not of the company. */
export class Stranger extends Error {
  override name = 'Stranger'
}

export type Said = Readonly<Record<string, unknown>>

const timeoutMs = 5_000
const answerLimitBytes = 262_144

/** Rejects with `ProviderAway` where there is no object in JSON. No address is in an error: tokens stand in some. */
export async function ask(
  what: string,
  url: string,
  {
    query = {},
    headers = {},
    body,
  }: { query?: Record<string, string>; headers?: Record<string, string>; body?: object } = {},
): Promise<{ status: number; said: Said }> {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  const { status, text } = await read(what, address, {
    method: body ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json; charset=utf-8' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (status >= 500) throw new ProviderAway(`${what}: HTTP ${status}`)
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    throw new ProviderAway(`${what}: HTTP ${status} without JSON`)
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said))
    throw new ProviderAway(`${what}: HTTP ${status} without an object`)
  return { status, said: said as Said }
}

async function read(what: string, address: URL, init: RequestInit) {
  try {
    const answer = await fetch(address, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const parts: Uint8Array[] = []
    let sizeBytes = 0
    for await (const part of answer.body ?? []) {
      parts.push(part)
      sizeBytes += part.length
      if (sizeBytes > answerLimitBytes) throw new Error('too long an answer')
    }
    return { status: answer.status, text: Buffer.concat(parts).toString('utf8') }
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as { code?: string; message?: string }
    throw new ProviderAway(`${what}: ${code ?? message}`)
  }
}

/** A text that says who somebody is. Throws where there is none. */
export function identifier(what: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > 255)
    throw new ProviderRefusal(what, 'incomplete', 'the answer does not say who it is')
  return value
}

export const objectOf = (value: unknown): Said =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Said) : {}

/** Only those that are there. */
export const claimsOf = (claims: Record<string, unknown>): Said =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined && value !== null))
