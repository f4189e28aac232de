import * as z from 'zod/mini'
import { type Access, type Endpoint, endpoint, stream } from './endpoint.ts'
import { idsAtOnce, nothingIn } from './fields.ts'

/**
 * A noun of the live stream, declared in the noun's own contract file. Events name its rows by id. A page calls
 * `list` for these ids with its own filters, so that only the server evaluates filters and scope.
 */
export interface LiveNoun<E extends Endpoint = Endpoint> {
  noun: string
  /** The access that a subscriber needs for this noun's events. */
  access: Access
  /** The call that returns rows by `ids`; a noun without one only announces that something changed. */
  list?: E
}

/** The noun whose rows the call `list` returns, for everybody who may call it. */
/*@__NO_SIDE_EFFECTS__*/
export function liveRows<const Noun extends string, E extends Endpoint>(noun: Noun, list: E) {
  return { noun, access: list.access as E['access'], list } as const satisfies LiveNoun<E>
}

const ids = z.array(z.string()).check(z.maxLength(idsAtOnce))

/**
 * The events of the live stream. Every id is in the caller's data scope.
 *
 * - `ready`: the server has registered this stream. Earlier changes are not sent, so a page that was read before
 *   reads again.
 * - `changed`: rows of a noun that were added, and rows that changed; an id may be in both.
 * - `missed`: more rows changed than can be named (of this noun; of any if there is none), so a page reads again, at a
 *   moment of its own within `spreadMs`.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('missed'),
    noun: z.optional(z.string()),
    spreadMs: z.optional(z.number()),
  }),
  z.object({ type: z.literal('changed'), noun: z.string(), added: ids, changed: ids }),
])
export type LiveEvent = z.output<typeof LiveEvent>

export const openLiveStream = endpoint({
  method: 'GET',
  path: '/stream',
  access: 'signedIn',
  summary: '实时更新',
  input: nothingIn,
  reply: stream(LiveEvent),
})
