import {
  foundAtMost,
  listDevices,
  listUsers,
  type ParsedInputFor,
  type searchConsole,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Devices } from '../devices/index.ts'
import type { Users } from '../users/index.ts'

export type Search = ReturnType<typeof createSearch>

/** The caller finds what the lists of devices and users would show: with the same scope and functions. */
export function createSearch({
  devices,
  users,
}: {
  devices: Pick<Devices, 'findDevices'>
  users: Pick<Users, 'findUsers'>
}) {
  const may = (actor: Actor, code: string) => actor.isSystem || actor.functionCodes.has(code)
  return {
    async searchConsole(actor: Actor, { keyword }: ParsedInputFor<typeof searchConsole>) {
      const [foundDevices, foundUsers] = await Promise.all([
        may(actor, listDevices.access) ? devices.findDevices(actor, keyword, foundAtMost) : [],
        may(actor, listUsers.access) ? users.findUsers(actor, keyword, foundAtMost) : [],
      ])
      return { devices: foundDevices, users: foundUsers }
    },
  }
}
