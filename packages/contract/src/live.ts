import * as z from 'zod/mini'
import { type Access, type Endpoint, endpoint, stream } from './endpoint.ts'
import { idsAtOnce, nothingIn } from './fields.ts'

/**
 * A noun of the live stream, declared in the noun's own contract file. Events name its rows by id. A page
 * asks `list` for these ids together with its own filters, so that the server alone judges filters and scope.
 */
export interface LiveNoun<E extends Endpoint = Endpoint> {
  noun: string
  /** Access that a subscriber needs to be told of this noun. */
  access: Access
  /** The call that answers rows by `ids`; a noun without one only says that something changed. */
  list?: E
}

const ids = z.array(z.string()).check(z.maxLength(idsAtOnce))

/**
 * What the server pushes. Every id is in the caller's data scope.
 *
 * - `ready`: the server has registered this stream. What changed before is not told: a page that was read
 *   earlier reads again.
 * - `changed`: rows of a noun that were added, and rows that changed; an id may be in both.
 * - `missed`: more changed than is named (of this noun; of any where there is none), so a page reads again.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('missed'), noun: z.optional(z.string()) }),
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
