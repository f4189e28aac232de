import * as z from 'zod/mini'
import { AlarmRow } from './alarms.ts'
import { endpoint, stream } from './endpoint.ts'
import { idOut, nothingIn, timeOut } from './fields.ts'

/**
 * What the server pushes. `alarms` carries each alarm that opened, changed or recovered, as the
 * current list would show it now; `missed` says that more changed than is worth sending (or, by a change of
 * the dictionary, what rows are called and mean), so that a page should read again what it shows; `devices` carries online states. Every row is in the caller's scope.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('alarms'), rows: z.array(AlarmRow) }),
  z.object({ type: z.literal('missed') }),
  z.object({
    type: z.literal('devices'),
    rows: z.array(z.object({ id: idOut, isOnline: z.literal([0, 1]), onlineChangedTime: timeOut })),
  }),
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
