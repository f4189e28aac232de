import type { FieldProblem, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import type * as z from 'zod/mini'
import { withoutEmpty, withoutEmptyFields } from './wire/outgoing.ts'

/** The contract types its schemas by input and output only; at run time each is a zod schema. */
function runnable(schema: Schema): z.ZodMiniType {
  return schema as unknown as z.ZodMiniType
}

interface ObjectShape {
  shape: Record<string, z.ZodMiniType>
}

/** The names of an object schema's fields. */
export function fieldsOf(schema: Schema): string[] {
  return Object.keys((schema as unknown as ObjectShape).shape)
}

type Parsed<S> =
  | { values: OutputOf<S>; problems?: undefined }
  | { values?: undefined; problems: FieldProblem[] }

/**
 * A form's values as the schema parses them, or the first problem of each field in the schema's own words. Empty texts
 * count as absent; an empty list is a value. Fields that the schema does not have are left out.
 */
export function parsedBy<S extends Schema>(schema: S, values: object): Parsed<S> {
  const result = runnable(schema).safeParse(withoutEmptyFields(values))
  if (result.success) return { values: result.data as OutputOf<S> }
  const problems: FieldProblem[] = []
  for (const issue of result.error.issues) {
    const field = issue.path.map(String).join('.')
    if (!problems.some((known) => known.field === field)) problems.push({ field, message: issue.message })
  }
  return { problems }
}

/** The problems of the values, as `parsedBy` finds them; empty where there are none. */
export function problemsOf(schema: Schema, values: object): FieldProblem[] {
  return parsedBy(schema, values).problems ?? []
}

/** Whether the schema requires the field; one inside a group is named by its path, `remark.zh`. */
export function isRequired(schema: Schema, field: string): boolean {
  const [name = '', ...inside] = field.split('.')
  const part = (schema as unknown as ObjectShape).shape[name]
  if (!part) return false
  if (inside.length === 0) return !part.safeParse(undefined).success
  const { error } = part.safeParse({})
  return error?.issues.some(({ path }) => path.join('.') === inside.join('.')) ?? false
}

/**
 * The values as the schema parses them, for an address typed or shortened by hand: a value that it refuses is left
 * out, and the others still count.
 */
export function readLeniently<S extends Schema>(schema: S, values: Record<string, unknown>): OutputOf<S> {
  let known = withoutEmpty(values)
  for (;;) {
    const result = runnable(schema).safeParse(known)
    if (result.success) return result.data as OutputOf<S>
    const wrong = new Set(result.error.issues.map((issue) => String(issue.path[0])))
    const kept = Object.fromEntries(Object.entries(known).filter(([name]) => !wrong.has(name)))
    if (Object.keys(kept).length === Object.keys(known).length) {
      throw new Error(`an address cannot satisfy the schema: ${[...wrong].join(', ')}`)
    }
    known = kept
  }
}
