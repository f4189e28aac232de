import type { FastifyRequest } from 'fastify'

/**
 * One input object per call: query string and body merged, path parameters over both. An empty string
 * or a null counts as absent, at every depth; 0 and false do not.
 */
export function readInput(request: FastifyRequest): Record<string, unknown> {
  const merged = {
    ...(request.query as Record<string, unknown>),
    ...(isRecord(request.body) ? request.body : {}),
    ...(request.params as Record<string, unknown>),
  }
  return withoutEmpty(merged) as Record<string, unknown>
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== '' && one !== null && one !== undefined)
      .map(([key, one]) => [key, withoutEmpty(one)]),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
