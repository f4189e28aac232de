// Fields that several topics share, and how fields are described.
//
// The server puts a field's path before these messages and reports a missing field itself.
import * as z from 'zod/mini'

/** Adds a description for the protocol's documents, without a cost when messages are parsed. */
export function described<S extends z.ZodMiniType>(description: string, schema: S): S {
  z.globalRegistry.add(schema, { description })
  return schema
}

/** Text of 1 to `most` characters. */
export const shortText = (most: number) =>
  z.string({ error: '应为文本' }).check(z.minLength(1, '不能为空'), z.maxLength(most, `长度不能超过 ${most}`))

/** Milliseconds since 1970 UTC. The range excludes values in seconds and in microseconds. */
export const timestamp = () =>
  z
    .int({ error: '应为毫秒时间戳' })
    .check(z.minimum(1_000_000_000_000, '应为毫秒时间戳'), z.maximum(9_999_999_999_999, '应为毫秒时间戳'))

const largest = Number.MAX_SAFE_INTEGER

/** A whole number, at least `least`. */
export const count = (least: 0 | 1 = 0) => {
  const message = least === 0 ? '应为非负整数' : '应为正整数'
  return z
    .int({
      error: ({ input }) => (typeof input === 'number' && input > largest ? `不能超过${largest}` : message),
    })
    .check(z.minimum(least, message))
}

export const boolean = () => z.boolean({ error: '应为布尔值' })

/** A list of objects with the given fields. */
export const listOf = <Shape extends z.core.$ZodShape>(
  shape: Shape,
  bounds: { least: 0 | 1; most: number },
) =>
  z
    .array(z.object(shape, { error: '应为对象' }), { error: '应为列表' })
    .check(z.minLength(bounds.least, '不能为空'), z.maxLength(bounds.most, `最多 ${bounds.most} 项`))

/** The header fields of every message from a device. */
export const upHead = {
  id: described('Unique per device for at least seven days; a repeated id changes nothing.', shortText(64)),
  time: described("When it happened by the device's clock, in milliseconds since 1970 UTC.", timestamp()),
}

/** The header fields of every command. */
export const downHead = {
  id: described(
    'The id of the command: unique, and the same each time that the command is sent again.',
    shortText(64),
  ),
  time: described(
    "When the command was made by the server's clock, in milliseconds since 1970 UTC.",
    timestamp(),
  ),
  deadline: described(
    "When the command ends unanswered by the server's clock, in milliseconds since 1970 UTC.",
    timestamp(),
  ),
}
