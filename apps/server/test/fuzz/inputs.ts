// Inputs generated from a call's schema: a valid one, as far as a schema can say, and one with any value at any path.
import type { Endpoint } from '@voltkeep/contract'
import type { Random } from '@voltkeep/simulator/random'
import * as z from 'zod/mini'

interface Json {
  anyOf?: Json[]
  allOf?: Json[]
  const?: unknown
  enum?: unknown[]
  type?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  items?: Json
  properties?: Record<string, Json>
}

/** The path of a value: `['definitions', 0, 'name']`. */
export type Place = readonly (string | number)[]

/** Tried one by one until one matches the pattern: the forms of ids, codes, times, versions, phones and passwords. */
const texts = [
  '1',
  '2',
  '0',
  '2026-11-01 08:00:00',
  '2026-11-01',
  '440305',
  '01110001',
  'ALARM',
  'EC',
  'A1',
  'abc',
  '1.0',
  '13800138000',
  'Abc-12345',
  'http://example.com/a',
  'equip:list',
  'PART_TYPE_EC_BIN',
  'x'.repeat(32),
  'x'.repeat(64),
]

const schemas = new Map<Endpoint, Json>()

function schemaOf(endpoint: Endpoint): Json {
  const known = schemas.get(endpoint)
  if (known) return known
  const made = z.toJSONSchema(endpoint.input as z.ZodMiniType, {
    io: 'output',
    unrepresentable: 'any',
  }) as Json
  schemas.set(endpoint, made)
  return made
}

/** All paths of the call's input that its schema names, including those within lists and objects. */
export function placesOf(endpoint: Endpoint): Place[] {
  const walk = (schema: Json, place: Place): Place[] => [
    ...(place.length > 0 ? [place] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, one]) => walk(one, [...place, key])),
    ...(schema.items ? walk(schema.items, [...place, 0]) : []),
    ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => walk(one, place)),
  ]
  const places = walk(schemaOf(endpoint), [])
  return [...new Map(places.map((place) => [place.join('.'), place])).values()]
}

/** An input with valid values for all fields; with `random`, optional fields may be missing and values vary. */
export function inputFor(endpoint: Endpoint, random?: Random): Record<string, unknown> {
  return valueFor(schemaOf(endpoint), random) as Record<string, unknown>
}

function valueFor(schema: Json, random?: Random): unknown {
  const { anyOf, allOf, type } = schema
  if (anyOf) return valueFor((random?.pick(anyOf) ?? anyOf[0]) as Json, random)
  if (allOf) return valueFor(allOf[0] as Json, random)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random?.pick(schema.enum) ?? schema.enum[0]
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(() => random === undefined || random.chance(0.8))
          .map(([key, one]) => [key, valueFor(one, random)]),
      )
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 0, 1) }, () =>
        valueFor(schema.items ?? {}, random),
      )
    case 'integer':
    case 'number': {
      const least = Math.max(schema.minimum ?? 0, -1_000)
      return random ? random.between(least, Math.min(schema.maximum ?? 10, least + 20)) : Math.max(least, 1)
    }
    case 'boolean':
      return random?.chance(0.5) ?? true
    default: {
      const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern)
      const fitting = texts.filter(
        (text) =>
          (!pattern || pattern.test(text)) &&
          text.length >= (schema.minLength ?? 0) &&
          text.length <= (schema.maxLength ?? 100),
      )
      return random && fitting.length > 0 ? random.pick(fitting) : (fitting[0] ?? 'abc')
    }
  }
}

/** The input as JSON, with the value at the path replaced by the text. */
export function jsonWith(input: unknown, place: Place, json: string): string {
  const marker = '\u0001here\u0001'
  return JSON.stringify(replaced(input, place, marker)).replace(JSON.stringify(marker), () => json)
}

function replaced(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? [...(value as unknown[])] : []
    list[key] = replaced(list[key], rest, by)
    return list
  }
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  return { ...fields, [key]: replaced((fields as Record<string, unknown>)[key], rest, by) }
}
