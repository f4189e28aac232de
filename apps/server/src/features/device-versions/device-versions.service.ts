// Versions by device, by part and by board, and the share of the fleet that is up to date.
import {
  type exportUnmatchedVersions,
  type FileReply,
  foldParts,
  type listDevicesByBoard,
  type listDevicesByPartType,
  type listDeviceVersions,
  type ParsedInputFor,
  type readDeviceVersions,
  type readPartVersions,
  type readUpgradeRate,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Page, pageOf, totalByPage } from '../../platform/database/paging.ts'
import { streamSnapshot } from '../../platform/database/snapshot.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import type { Devices } from '../devices/index.ts'
import * as queries from './device-versions.queries.ts'
import { readRates } from './rates.queries.ts'
import { unmatchedSheet } from './unmatched.export.ts'
import { countUnmatched, walkUnmatched } from './unmatched.queries.ts'

/** Business status. */
const activated = 1
/** Devices read at a time for an export. */
const exportBatch = 500

export type DeviceVersions = ReturnType<typeof createDeviceVersions>

type Matching = Parameters<typeof queries.listDevices>[1]

/** Which versions run on the devices of the caller's scope. */
export function createDeviceVersions({ db, devices }: { db: Db; devices: Pick<Devices, 'devicesMatching'> }) {
  /** A page of devices with those of their parts that are to be shown. */
  async function pageOfDevices(matching: Matching, page: Page, shown: queries.PartFilter = {}) {
    const rows = await queries.listDevices(db, matching, page)
    const ids = rows.map(({ id }) => id)
    const [parts, total] = await Promise.all([
      queries.listParts(db, ids, shown),
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

    /** Of the list by the same filter, what is not up to date, as of one moment. Refuses 400 for too many rows. */
    async exportUnmatchedVersions(
      actor: Actor,
      input: ParsedInputFor<typeof exportUnmatchedVersions>,
    ): Promise<FileReply> {
      const { partType, version, ...filter } = input
      const matching = await devices.devicesMatching(db, await scopeOf(db, actor), filter)
      const parts = { partType, version }
      refuseTooManyRows(await countUnmatched(db, matching, parts))
      return {
        fileName: fileNameAt('版本不符的设备', new Date()),
        body: spreadsheet(unmatchedSheet, () =>
          streamSnapshot(db, (trx) => walkUnmatched(trx, matching, parts, exportBatch)),
        ),
      }
    },

    async listDevicesByPartType(actor: Actor, input: ParsedInputFor<typeof listDevicesByPartType>) {
      const { pageNum, pageSize, partType, version, ...filter } = input
      const matching = await devices.devicesMatching(db, await scopeOf(db, actor), filter)
      return pageOfDevices(
        queries.reporting(matching, { partType, version }),
        pageOf({ pageNum, pageSize }),
        { partType },
      )
    },

    /**
     * A part that does not say its board has the one that is registered for it. A code that nobody registered finds
     * the parts that say it.
     */
    async listDevicesByBoard(actor: Actor, input: ParsedInputFor<typeof listDevicesByBoard>) {
      const { pageNum, pageSize, pcbCode, version, ...filter } = input
      const board = await queries.findBoard(db, pcbCode)
      const found = await devices.devicesMatching(db, await scopeOf(db, actor), filter)
      const ofBoard = { pcbCode, ...(board && { partType: board.partType, isBoardGuessed: true }) }
      return pageOfDevices(
        queries.reporting(board ? queries.builtWith(found, board.id) : found, { ...ofBoard, version }),
        pageOf({ pageNum, pageSize }),
        ofBoard,
      )
    },

    /** Refuses `deviceNotFound`. */
    async readDeviceVersions(actor: Actor, { equipId }: ParsedInputFor<typeof readDeviceVersions>) {
      const { device, parts } = await readDevice(await scopeOf(db, actor), equipId)
      return { ...device, equipSoftwareVersions: parts }
    },

    /** Refuses `deviceNotFound`. */
    async readPartVersions(actor: Actor, { equipId }: ParsedInputFor<typeof readPartVersions>) {
      const { device, parts } = await readDevice(await scopeOf(db, actor), equipId)
      const newest = new Map((await queries.listNewest(db, device.id)).map((row) => [row.partType, row]))
      return foldParts(parts).map((kind) => {
        const release = newest.get(kind.partType)
        return { ...kind, newest: release ?? null, outdatedCount: release?.outdatedCount ?? 0 }
      })
    },

    /** Of activated devices: one that is not in use yet says nothing about the fleet. */
    async readUpgradeRate(actor: Actor, input: ParsedInputFor<typeof readUpgradeRate>) {
      const { partType, ...places } = input
      const scope = await scopeOf(db, actor)
      const matching = await devices.devicesMatching(db, scope, { ...places, statuses: [activated] })
      const rows = await readRates(db, matching, partType)
      return rows.map((row) => ({
        ...row,
        rate: Math.floor((row.newestCount / row.deviceCount) * 1_000) / 10,
      }))
    },
  }
}
