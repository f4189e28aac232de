import * as z from 'zod/mini'
import type { Topic } from '../src/topics/index.ts'

/** As much of JSON Schema as the topics' payloads make use of. */
export interface JsonSchema {
  type?: string
  description?: string
  default?: unknown
  enum?: string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  additionalProperties?: JsonSchema
  propertyNames?: JsonSchema
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

/** A payload as its sender writes it: defaults may be left out, unknown fields are ignored. */
export function payloadSchemaOf(topic: Topic): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(topic.payload as z.ZodMiniType, { io: 'input' })
  return schema as JsonSchema
}
