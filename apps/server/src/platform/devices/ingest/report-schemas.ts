// The contract's schemas of reports, compiled, and what is wrong with a report in words.
import { mostOwnNames, tooManyOwnNames, type UpTopicName, upTopics } from '@voltkeep/contract/topics/index'
import * as z from 'zod/mini'
import * as core from 'zod/v4/core'

/** The fields of every report. */
export interface Payload {
  id: string
  time: number
}

/**
 * The contract's schemas are of zod/mini, which checks the fields of an object in a loop, to keep the console's bundle
 * small. The same definition as an object of zod's other kind is compiled: decoding an alarm takes 1.07 µs instead of
 * 1.38.
 */
const schemas = Object.fromEntries(
  Object.entries(upTopics).map(([name, { payload }]) => [name, new core.$ZodObjectJIT(payload._zod.def)]),
) as unknown as { [Name in UpTopicName]: (typeof upTopics)[Name]['payload'] }

const detailLimit = 500
/** Each problem costs its words: 8,000 of a report of 64 KB took 300 ms. */
const toldProblems = 10
/** Fields with names of the device's own. Their number is looked at before their values are, each of which is tried as three types. */
const ownNames: Partial<Record<UpTopicName, string>> = { status: 'status', event: 'data' }

/** The payload as its topic's schema has it, or all that is wrong with it. */
export function readReport(name: UpTopicName, json: object): { payload: Payload } | { detail: string } {
  const free = ownNames[name]
  const fields = free === undefined ? undefined : (json as Record<string, unknown>)[free]
  if (typeof fields === 'object' && fields !== null && Object.keys(fields).length > mostOwnNames)
    return { detail: `${free}${tooManyOwnNames}` }
  const result = z.safeParse(schemas[name], json)
  if (result.success) return { payload: result.data }
  const problems = new Set(
    result.error.issues.slice(0, toldProblems).map((issue) => problemText(issue, json)),
  )
  return { detail: [...problems].join('；').slice(0, detailLimit) }
}

/** Whether PostgreSQL stores all texts in it. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\u0000') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner))
}

/** `versions[0].version长度不能超过 32`, `缺少time` */
function problemText({ path, message }: { path: PropertyKey[]; message: string }, json: unknown): string {
  const field = path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('')
  return valueAt(json, path) === undefined ? `缺少${field}` : `${field}${message}`
}

const valueAt = (json: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], json)
