// Random requests, valid and invalid, for the fuzz tests.

import { type Endpoint, type Envelope, logout, openLiveStream, refusals } from '@voltkeep/contract'
import type { Random } from '@voltkeep/simulator/random'
import * as z from 'zod/mini'
import { endpoints } from '../endpoints.ts'
import { hostileValues } from './hostile.ts'
import { inputFor, jsonWith, placesOf } from './inputs.ts'

export interface FuzzedRequest {
  /** A description that is enough to repeat the request. */
  what: string
  path: string
  init: RequestInit
  endpoint: Endpoint
}

/** All calls except the one that ends the session, and the one whose answer never ends. */
export const fuzzed = endpoints.filter(({ endpoint }) => endpoint !== logout && endpoint !== openLiveStream)

const json = 'application/json'
const contentTypes = ['text/plain', 'application/xml', 'multipart/form-data', 'application/json; charset=x']

/** A call with this JSON as its body; where it takes no body, with the JSON's fields as a query. */
export function requestOf(endpoint: Endpoint, body: string, token: string | null): FuzzedRequest {
  const method = endpoint.methods.find((one) => one === 'POST') ?? endpoint.methods[0]
  const fields = parsed(body)
  const path = pathOf(endpoint, fields)
  const headers: Record<string, string> = token === null ? {} : { authorization: token }
  const what = `${method} ${endpoint.path} ${body.slice(0, 300)}`
  if (method === 'POST' && endpoint.fileLimitBytes === undefined) {
    return { what, path, init: { method, headers: { ...headers, 'content-type': json }, body }, endpoint }
  }
  if (method === 'POST') {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, wordOf(value))
    form.append('file', new Blob([body]), `${wordOf(fields.name)}.xlsx`)
    return { what, path, init: { method, headers, body: form }, endpoint }
  }
  return { what, path: `${path}?${queryOf(fields)}`, init: { method, headers }, endpoint }
}

/**
 * Whether the call's schema takes this JSON, as the server reads it: a body as it is, all else as words. Of a call with a
 * file that is not known.
 */
export function isTaken({ input, methods, fileLimitBytes }: Endpoint, body: string): boolean {
  if (fileLimitBytes !== undefined) return true
  const fields = parsed(body)
  const words = Object.entries(fields).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(wordOf) : wordOf(value),
  ])
  return z.safeParse(
    input as z.ZodMiniType,
    methods.some((one) => one === 'POST') ? fields : Object.fromEntries(words),
  ).success
}

/** A random request: a call's input with some fields replaced, sent in one of several ways. */
export function randomRequest(random: Random, token: string | null): FuzzedRequest {
  const { endpoint } = random.pick(fuzzed)
  const places = placesOf(endpoint)
  let body = JSON.stringify(inputFor(endpoint, random))
  for (let spoilt = places.length > 0 ? random.between(0, 3) : 0; spoilt > 0; spoilt -= 1) {
    body = jsonWith(parsed(body), random.pick(places), random.pick(hostileValues))
  }
  if (random.chance(0.03)) body = body.slice(0, random.between(0, body.length - 1))
  const request = requestOf(
    endpoint,
    body,
    random.chance(0.97) ? token : random.chance(0.5) ? null : 'x'.repeat(43),
  )
  if (request.init.method !== 'POST' || typeof request.init.body !== 'string') return request
  const headers = request.init.headers as Record<string, string>
  switch (random.between(0, 19)) {
    case 0:
    case 1:
      request.init.body = queryOf(parsed(body))
      headers['content-type'] = 'application/x-www-form-urlencoded'
      break
    case 2:
      headers['content-type'] = random.pick(contentTypes)
      break
    case 3:
      request.path += `?${queryOf(parsed(body))}`.slice(0, 4_000)
  }
  return request
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function pathOf({ path }: Endpoint, fields: Record<string, unknown>): string {
  return `/api${path.replace(/:(\w+)/g, (_, name: string) => encoded(wordOf(fields[name])).slice(0, 600) || '1')}`
}

function queryOf(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value.slice(0, 20) : [value]).map(
        (one) => `${encoded(name)}=${encoded(wordOf(one))}`,
      ),
    )
    .join('&')
    .slice(0, 12_000)
}

/** Encodes half a surrogate pair as the bytes that some clients send for it. */
const encoded = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80')

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Signs of leaked internals: stack traces, SQL, source paths, messages of libraries. */
const inside =
  /\bat [\w.<>]+ \(|node_modules|file:\/\/|\.ts:\d|\bSELECT\b.*\bFROM\b|\bINSERT INTO\b|syntax error|violates|relation "|invalid input syntax|is not a function|Cannot (?:read|convert)|undefined \(/i

const statuses = new Map<number, number>(
  Object.values(refusals).map(([code]) => [code, code > 1_000 ? 401 : code]),
)

/** The fault of an answer; null if it is correct. */
export function faultOf(
  endpoint: Endpoint,
  answer: { status: number; type: string | null; text: string },
): string | null {
  const { status, type, text } = answer
  if (status >= 500) return `answered ${status}: ${text.slice(0, 300)}`
  const mayBeFile = endpoint.reply.kind === 'file' || endpoint.reply.kind === 'oneOrFile'
  if (!type?.startsWith(json))
    return mayBeFile && status < 400 ? null : `answered ${status} as ${type}, no envelope`
  let envelope: Partial<Envelope<unknown>>
  try {
    envelope = JSON.parse(text)
  } catch {
    return 'answered JSON that is none'
  }
  const { code, message, data, refusal } = envelope
  if (typeof code !== 'number' || typeof message !== 'string' || data === undefined)
    return `answered no envelope: ${text.slice(0, 200)}`
  if (code === 200) return status === 200 ? null : `code 200 with status ${status}`
  if (statuses.get(code) !== status) return `code ${code} with status ${status}`
  if (refusal === undefined) return `code ${code} without the refusal's name`
  // A problem's message may contain the client's own input; only the answer's message is checked.
  return inside.test(message) ? `shows the inside: ${message.slice(0, 300)}` : null
}
