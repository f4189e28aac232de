import {
  type Access,
  foundAtMost,
  listBatteries,
  listDevices,
  listFirmware,
  listParameterBatches,
  listSoftwareVersions,
  listUpgradeTasks,
  listUsers,
  type ParsedInputFor,
  type searchConsole,
  searchOperators,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import { createLine } from '../../platform/calls/line.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Batteries } from '../batteries/index.ts'
import type { Devices } from '../devices/index.ts'
import type { Users } from '../users/index.ts'
import * as found from './found.queries.ts'

/** Each has a connection to the database: of one search no more than a page's calls have. */
const readsAtOnce = 2

export type Search = ReturnType<typeof createSearch>

/** The caller finds what the lists would show: with the same scope and functions. */
export function createSearch({
  db,
  devices,
  batteries,
  users,
}: {
  db: Db
  devices: Pick<Devices, 'findDevices' | 'listDevices'>
  batteries: Pick<Batteries, 'findBatteries'>
  users: Pick<Users, 'findUsers'>
}) {
  /** The devices that the text finds; where there is room, those of the region that it names. */
  async function findDevices(actor: Actor, keyword: string, regions: Promise<readonly found.FoundRegion[]>) {
    const own = await devices.findDevices(actor, keyword, foundAtMost)
    const [region] = await regions
    if (own.length >= foundAtMost || !region) return own
    const { rows } = await devices.listDevices(actor, {
      regionCode: region.code,
      pageNum: 1,
      pageSize: foundAtMost,
    })
    const others = rows
      .filter(({ id }) => own.every((each) => each.id !== id))
      .map((row) => ({ ...row, isOnline: row.onlineChangedTime === null ? null : row.isOnline }))
    return [...own, ...others].slice(0, foundAtMost)
  }

  return {
    async searchConsole(actor: Actor, { keyword }: ParsedInputFor<typeof searchConsole>) {
      const where = <Found>(access: Access, find: () => Promise<Found[]>): Promise<Found[]> =>
        mayCall(actor, access) ? inLine(find) : Promise.resolve([])
      const inLine = createLine(readsAtOnce)
      const scope = await scopeOf(db, actor)
      // First: that of the devices waits for it.
      const regionsFound = where(listDevices.access, () => found.findRegions(db, scope, keyword, foundAtMost))
      const [ofDevices, ofUsers, ofBatteries, operators, regions, upgrades, batches, packages] =
        await Promise.all([
          where(listDevices.access, () => findDevices(actor, keyword, regionsFound)),
          where(listUsers.access, () => users.findUsers(actor, keyword, foundAtMost)),
          where(listBatteries.access, () => batteries.findBatteries(actor, keyword, foundAtMost)),
          where([searchOperators.access, listDevices.access], () =>
            found.findOperators(db, scope, keyword, foundAtMost),
          ),
          regionsFound,
          where(listUpgradeTasks.access, () => found.findUpgrades(db, actor, keyword, foundAtMost)),
          where(listParameterBatches.access, () => found.findBatches(db, actor, keyword, foundAtMost)),
          where([listFirmware.access, listSoftwareVersions.access], () =>
            found.findPackages(db, keyword, foundAtMost),
          ),
        ])
      return {
        devices: ofDevices,
        users: ofUsers,
        batteries: ofBatteries,
        operators,
        regions,
        tasks: [...upgrades, ...batches]
          .sort((a, b) => b.createTime.getTime() - a.createTime.getTime())
          .slice(0, foundAtMost),
        packages,
      }
    },
  }
}
