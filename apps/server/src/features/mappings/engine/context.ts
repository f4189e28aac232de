import { mappingLimits } from '@voltkeep/contract'

/** What conditions and sources see of a message. One object a message. */
export interface Context {
  /** The message as JSON; undefined for bytes. */
  message: unknown
  /** Undefined for JSON. */
  bytes: Buffer | undefined
  /** The named parts of the topic. */
  parts: Readonly<Record<string, string>>
  /** Of a rule with `each`: an item in JSON. */
  item: unknown
  /** The place of the item, or its name. */
  index: number | string | undefined
  /** Where the item begins in the bytes. */
  itemAt: number
  /** Of a command. */
  sequence: number
  /** What the template of a command may still become, in values and signs: below 0 it is given up. */
  room: number
}

export const contextOf = (given: Partial<Context>): Context => ({
  message: undefined,
  bytes: undefined,
  parts: {},
  item: undefined,
  index: undefined,
  itemAt: 0,
  sequence: 0,
  room: mappingLimits.rendered,
  ...given,
})
