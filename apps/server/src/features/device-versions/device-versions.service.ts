import {
  foldParts,
  type listDevicesByPartType,
  type listDeviceVersions,
  type ParsedInputFor,
  type readDeviceVersions,
  type readPartVersions,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Page, pageOf, totalByPage } from '../../platform/paging.ts'
import { refuse } from '../../platform/refusal.ts'
import type { Devices } from '../devices/index.ts'
import * as queries from './device-versions.queries.ts'

export type DeviceVersions = ReturnType<typeof createDeviceVersions>

type Matching = Parameters<typeof queries.listDevices>[1]

/** Which versions run on the devices of the caller's scope. */
export function createDeviceVersions({ db, devices }: { db: Db; devices: Pick<Devices, 'devicesMatching'> }) {
  /** A page of devices with their parts, of one kind where it is given. */
  async function pageOfDevices(matching: Matching, page: Page, partType?: string) {
    const rows = await queries.listDevices(db, matching, page)
    const ids = rows.map(({ id }) => id)
    const [parts, total] = await Promise.all([
      queries.listParts(db, ids, partType),
      totalByPage(page, rows.length) ?? queries.countDevices(db, matching),
    ])
    const byDevice = Map.groupBy(parts, ({ deviceId }) => deviceId)
    return {
      rows: rows.map((row) => ({ ...row, equipSoftwareVersions: byDevice.get(row.id) ?? [] })),
      total,
    }
  }

  async function readDevice(scope: DataScope, equipId: string) {
    const matching = await devices.devicesMatching(db, scope, { ids: [equipId] })
    const [device] = await queries.listDevices(db, matching, { limit: 1, offset: 0 })
    if (!device) return refuse('deviceNotFound')
    return { device, parts: await queries.listParts(db, [device.id]) }
  }

  return {
    async listDeviceVersions(actor: Actor, input: ParsedInputFor<typeof listDeviceVersions>) {
      const { pageNum, pageSize, partType, version, ...filter } = input
      const matching = await devices.devicesMatching(db, await scopeOf(db, actor), filter)
      return pageOfDevices(queries.reporting(matching, { partType, version }), pageOf({ pageNum, pageSize }))
    },

    async listDevicesByPartType(actor: Actor, input: ParsedInputFor<typeof listDevicesByPartType>) {
      const { pageNum, pageSize, partType, version, ...filter } = input
      const matching = await devices.devicesMatching(db, await scopeOf(db, actor), filter)
      return pageOfDevices(
        queries.reporting(matching, { partType, version }),
        pageOf({ pageNum, pageSize }),
        partType,
      )
    },

    /** Refuses `deviceNotFound`. */
    async readDeviceVersions(actor: Actor, { equipId }: ParsedInputFor<typeof readDeviceVersions>) {
      const { device, parts } = await readDevice(await scopeOf(db, actor), equipId)
      return { ...device, equipSoftwareVersions: parts }
    },

    /** Refuses `deviceNotFound`. */
    async readPartVersions(actor: Actor, { equipId }: ParsedInputFor<typeof readPartVersions>) {
      const { parts } = await readDevice(await scopeOf(db, actor), equipId)
      return foldParts(parts)
    },
  }
}
