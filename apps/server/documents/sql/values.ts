// What is known of an expression of the source without running it (sql-text.ts).
import type { Node } from 'typescript/unstable/ast'
import type { FunctionNode } from './symbols.ts'

type Constant = string | number | boolean | null | undefined

export type Value =
  | { kind: 'sql'; text: string }
  | { kind: 'constant'; value: Constant }
  | { kind: 'list'; items: Value[] }
  | { kind: 'object'; entries: Map<string, () => Value> }
  | { kind: 'function'; node: FunctionNode; bound: Bound }
  | Unknown

export interface Unknown {
  kind: 'unknown'
  why: () => string
  /** The expression that the value comes from. */
  at?: Node
}

/** Declaration of a parameter → its value in the call that is followed. */
export type Bound = ReadonlyMap<Node, () => Value>

export const nothing: Bound = new Map()
export const unknown = (why: () => string, at?: Node): Unknown => ({
  kind: 'unknown',
  why,
  ...(at && { at }),
})
export const constant = (value: Constant): Value => ({ kind: 'constant', value })

export const isTrue = (one: Value | undefined) => one?.kind === 'constant' && Boolean(one.value)
export const isSame = (one: Value, other: Value) =>
  one.kind === 'constant' && other.kind === 'constant' && one.value === other.value
export const itemsOf = (value: Value): Value[] => (value.kind === 'list' ? value.items : [value])

/** Of two forms, the one that shows more. */
export function fuller(one: Value, other: Value): Value {
  if (one.kind === 'unknown' || other.kind === 'unknown') return one.kind === 'unknown' ? other : one
  if (one.kind === 'sql' && other.kind === 'sql') return other.text.length > one.text.length ? other : one
  return one.kind === 'constant' ? other : one
}
