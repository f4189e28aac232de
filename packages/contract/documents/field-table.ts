import type { Topic } from '../src/topics/index.ts'
import { type JsonSchema, payloadSchemaOf } from './json-schema.ts'

/** One topic's payload as a Markdown table of its fields, and an example of it. */
export function fieldTable(topic: Topic): string {
  const lines = [
    '| field | type | required | meaning |',
    '|---|---|---|---|',
    ...rowsOf(payloadSchemaOf(topic), ''),
    '',
    '```json',
    JSON.stringify(topic.example, null, 2),
    '```',
  ]
  return lines.join('\n')
}

function rowsOf(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const presence = isRequired
      ? 'yes'
      : field.default === undefined
        ? 'no'
        : `no, else \`${JSON.stringify(field.default)}\``
    const path = `${prefix}${name}`
    return [
      `| \`${path}\` | ${typeOf(field)} | ${presence} | ${field.description ?? ''} |`,
      ...(field.items ? rowsOf(field.items, `${path}[].`) : []),
    ]
  })
}

function typeOf(field: JsonSchema): string {
  if (field.anyOf) return field.anyOf.map(({ type }) => type).join(' or ')
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(' or ')
  switch (field.type) {
    case 'string':
      return field.pattern
        ? `string, \`${field.pattern}\``
        : `string${bounds(field.minLength, field.maxLength, 'characters')}`
    case 'integer':
      return `integer${bounds(field.minimum, field.maximum, '')}`
    case 'number':
      return `number${bounds(field.minimum, field.maximum, '')}`
    case 'array':
      return `list${bounds(field.minItems, field.maxItems, 'items')}`
    default:
      return field.type ?? 'any'
  }
}

function bounds(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return ''
  const words = most === undefined ? `${least} or more` : `${least ?? 0} to ${most}`
  return `, ${words}${unit && ` ${unit}`}`
}
