import type { FieldProblem, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import type * as z from 'zod/mini'
import { withoutEmpty } from './wire/outgoing.ts'

/** The contract types its schemas by what they take and give; at run time each is a zod schema. */
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

/** What is wrong with the values, by the schema's own words; empty where nothing is. */
export function problemsOf(schema: Schema, values: Record<string, unknown>): FieldProblem[] {
  const result = runnable(schema).safeParse(withoutEmpty(values))
  if (result.success) return []
  const problems: FieldProblem[] = []
  for (const issue of result.error.issues) {
    const field = issue.path.map(String).join('.')
    // The first word on a field is enough.
    if (!problems.some((known) => known.field === field)) problems.push({ field, message: issue.message })
  }
  return problems
}

/** Whether the schema wants the field to be there. */
export function isRequired(schema: Schema, field: string): boolean {
  const part = (schema as unknown as ObjectShape).shape[field]
  return part ? !part.safeParse(undefined).success : false
}

/**
 * The values as the schema understands them. What it does not understand is left out rather than
 * refused: an address typed or shortened by hand still shows a list.
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
