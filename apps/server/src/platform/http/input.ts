import type { Endpoint } from '@voltkeep/contract'
import type { FastifyRequest } from 'fastify'
import { refuseInput } from '../calls/refusal.ts'
import { depthLimit } from './body.ts'

/**
 * One input object per call: query string and body merged, path parameters over both. An empty string
 * or a null counts as absent, at every depth; 0 and false do not. A field of `narrows` stays, as an empty string.
 */
export function readInput(
  request: FastifyRequest,
  { narrows = [] }: Pick<Endpoint, 'narrows'>,
): Record<string, unknown> {
  const merged = {
    ...(request.query as Record<string, unknown>),
    ...(isRecord(request.body) ? request.body : {}),
    ...(request.params as Record<string, unknown>),
  }
  const input = withoutEmpty(merged, []) as Record<string, unknown>
  for (const name of narrows) if (merged[name] === null || merged[name] === '') input[name] = ''
  return input
}

function withoutEmpty(value: unknown, path: string[]): unknown {
  if (path.length > depthLimit) refuseInput({ field: path[0] ?? '', message: '请求内容嵌套过深' })
  if (Array.isArray(value)) return value.map((one, index) => withoutEmpty(one, [...path, String(index)]))
  // PostgreSQL has no NUL in its texts and no half of a surrogate pair in its JSON, and nobody types one.
  if (typeof value === 'string' && (value.includes('\u0000') || !value.isWellFormed())) {
    refuseInput({ field: path.join('.'), message: '包含无效字符' })
  }
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== '' && one !== null && one !== undefined)
      .map(([key, one]) => [key, withoutEmpty(one, [...path, key])]),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
