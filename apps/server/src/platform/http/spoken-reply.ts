// The sentences of the server in a reply, in the language of who reads it. The contract says which fields they are.
import { meaningOut, saidOut, seededOut } from '@voltkeep/contract'
import { seededMeaning, seededName } from '../process/language/seeded-names.ts'
import { languageNow, said } from '../process/language/speech.ts'

/** What of zod's definitions is looked at. */
interface Definition {
  type: string
  shape?: Record<string, Defined>
  element?: Defined
  innerType?: Defined
  out?: Defined
  options?: readonly Defined[]
  valueType?: Defined
}
interface Defined {
  _zod: { def: Definition }
}

type Speak = (value: unknown) => unknown

/** What may be absent or null is left as it is. */
const ofText =
  (speak: (text: string) => string): Speak =>
  (value) =>
    typeof value === 'string' ? speak(value) : value

const leaves = new Map<unknown, Speak>([
  [saidOut, ofText(said)],
  [seededOut, ofText(seededName)],
  [meaningOut, ofText(seededMeaning)],
])
const known = new WeakMap<object, Speak | null>()

/** The value with its sentences as the reader gets them. */
export function spokenReply<Value>(schema: unknown, value: Value): Value {
  if (languageNow() === 'zh') return value
  const speak = speakerOf(schema as Defined)
  return speak ? (speak(value) as Value) : value
}

/** Null where there is no sentence in it. A schema that has itself inside, as a tree, has none. */
function speakerOf(schema: Defined): Speak | null {
  const before = known.get(schema)
  if (before !== undefined) return before
  known.set(schema, null)
  const speak = leaves.get(schema) ?? within(schema._zod.def)
  known.set(schema, speak)
  return speak
}

function within({ type, shape, element, innerType, out, options, valueType }: Definition): Speak | null {
  if (type === 'object' && shape) {
    const fields = Object.entries(shape).flatMap(([name, below]) => {
      const speak = speakerOf(below)
      return speak ? [[name, speak] as const] : []
    })
    if (fields.length === 0) return null
    return (value) => {
      if (typeof value !== 'object' || value === null) return value
      const spoken: Record<string, unknown> = { ...value }
      for (const [name, speak] of fields) if (name in spoken) spoken[name] = speak(spoken[name])
      return spoken
    }
  }
  if (type === 'array' && element) {
    const speak = speakerOf(element)
    return speak && ((value) => (Array.isArray(value) ? value.map(speak) : value))
  }
  if (type === 'record' && valueType) {
    const speak = speakerOf(valueType)
    return (
      speak &&
      ((value) =>
        typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, speak(one)]))
          : value)
    )
  }
  if (type === 'union' && options) {
    const speakers = options.flatMap((option) => speakerOf(option) ?? [])
    return speakers.length === 0 ? null : (value) => speakers.reduce((spoken, speak) => speak(spoken), value)
  }
  const below = innerType ?? out
  return below ? speakerOf(below) : null
}
