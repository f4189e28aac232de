import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { bodyLimitOf, type Endpoint } from './endpoint.ts'
import * as contract from './index.ts'

const endpoints = Object.entries(contract as Record<string, unknown>).flatMap(([name, value]) =>
  typeof value === 'object' && value !== null && 'methods' in value && 'access' in value
    ? [{ name, ...(value as Endpoint) }]
    : [],
)

interface Json {
  anyOf?: Json[]
  const?: unknown
  enum?: unknown[]
  type?: string
  maxLength?: number
  maxItems?: number
  items?: Json
  properties?: Record<string, Json>
}

/** The size of a text without a maximum length: an id, a time, a version. */
const shortTextBytes = 20
/** The length of an array without a maximum, which another check limits. */
const fewItems = 11

/** Bytes of the largest value that the schema accepts, as JSON with Chinese characters of three bytes each. */
function largest({ anyOf, enum: values, type, properties, ...schema }: Json): number {
  if (anyOf) return Math.max(...anyOf.map(largest))
  if (schema.const !== undefined) return JSON.stringify(schema.const).length
  if (values) return Math.max(...values.map((value) => JSON.stringify(value).length))
  if (type === 'string') return 2 + (schema.maxLength === undefined ? shortTextBytes : 3 * schema.maxLength)
  if (type === 'array') return 2 + (schema.maxItems ?? fewItems) * (1 + largest(schema.items ?? {}))
  if (type === 'object')
    return (
      2 + Object.entries(properties ?? {}).reduce((sum, [key, one]) => sum + key.length + 4 + largest(one), 0)
    )
  return 20
}

/**
 * Their 15,000 entries are ids of a few digits, not texts of 32 Chinese characters, and 15,000 in all of their lists.
 */
const ofNumbers = [
  'insertApiKey',
  'insertUser',
  'updatePermissions',
  'previewPermissions',
  'explainPermissions',
]

describe('the largest body of a call', () => {
  it('fits the largest input of its schema', () => {
    const tooNarrow = endpoints.flatMap(({ name, methods, input, ...endpoint }) => {
      if (!methods.includes('POST') || ofNumbers.includes(name)) return []
      const schema = z.toJSONSchema(input as z.ZodMiniType, { io: 'output', unrepresentable: 'any' }) as Json
      const bytes = largest(schema)
      return bytes > bodyLimitOf(endpoint) ? [`${name}: ${bytes}, at most ${bodyLimitOf(endpoint)}`] : []
    })
    expect(tooNarrow).toEqual([])
  })

  it('is a few kilobytes for public calls', () => {
    const wide = endpoints.filter((endpoint) => endpoint.access === 'public' && bodyLimitOf(endpoint) > 4_096)
    expect(wide.map(({ name }) => name)).toEqual([])
  })

  it('is never more than 640 KB', () => {
    expect(endpoints.filter((endpoint) => bodyLimitOf(endpoint) > 655_360).map(({ name }) => name)).toEqual(
      [],
    )
  })
})
