// Batteries and stock as users see them. stays.intake.ts writes both from status reports.
import {
  compartmentsNamed,
  type exportBatteries,
  type exportStock,
  type FileReply,
  formatDateTime,
  type listBatteries,
  type listBatteryAlarms,
  type listStock,
  lowStock,
  mostStaysDrawn,
  type ParsedInputFor,
  type readBattery,
  type readStock,
  staysWithAlarms,
  type trackBattery,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { pageOf, totalByPage } from '../../platform/database/paging.ts'
import { streamSnapshot } from '../../platform/database/snapshot.ts'
import type { StatusConsumer } from '../../platform/devices/ingest/reports.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import { rangeEdges } from '../../platform/process/clock.ts'
import type { Alarms } from '../alarms/index.ts'
import type { Devices } from '../devices/index.ts'
import { batterySheet } from './batteries.export.ts'
import * as queries from './batteries.queries.ts'
import { stockSheet } from './stock.export.ts'
import * as stock from './stock.queries.ts'

export type Batteries = ReturnType<typeof createBatteries>

/** Rows read at a time for an export. */
const exportBatch = 500
/** More alarms of one stay than these are not looked at. */
const alarmsOfStay = 500
const claimsShown = 20

/** A battery out of the caller's scope is answered like one that does not exist, and so is a stay of it. */
export function createBatteries({
  db,
  devices,
  alarms,
  statusConsumer,
}: {
  db: Db
  devices: Pick<Devices, 'listingMatching'>
  alarms: Pick<Alarms, 'listAlarmHistory'>
  statusConsumer: StatusConsumer
}) {
  /** Refuses `batteryNotFound`. */
  async function find(actor: Actor, code: string) {
    const scope = await scopeOf(db, actor)
    const matching = await queries.batteriesMatching(db, scope, { codes: [code] })
    const [battery] = await queries.listBatteries(db, scope, matching, { limit: 1, offset: 0 })
    if (!battery) refuse('batteryNotFound')
    return { battery, scope }
  }

  async function stockAsked(actor: Actor, { groupBy, ...filter }: ParsedInputFor<typeof exportStock>) {
    // Of a group it is said how many are low; the others belong to its sums.
    const asked = groupBy === 'device' ? filter : { ...filter, fullFewerThan: undefined }
    const matching = await devices.listingMatching(db, await scopeOf(db, actor), asked)
    return { matching, groupBy, low: filter.fullFewerThan ?? lowStock }
  }

  return {
    /** What status reports say of batteries; for their writer. */
    statusConsumer,

    async listBatteries(actor: Actor, input: ParsedInputFor<typeof listBatteries>) {
      const { pageNum, pageSize, ...filter } = input
      const scope = await scopeOf(db, actor)
      const matching = await queries.batteriesMatching(db, scope, filter)
      const page = pageOf({ pageNum, pageSize })
      const rows = await queries.listBatteries(db, scope, matching, page)
      return { rows, total: totalByPage(page, rows.length) ?? (await queries.countBatteries(db, matching)) }
    },

    /** All rows of the list by the same filter, as of one moment. Refuses 400 for too many rows. */
    async exportBatteries(actor: Actor, filter: ParsedInputFor<typeof exportBatteries>): Promise<FileReply> {
      const scope = await scopeOf(db, actor)
      const matching = await queries.batteriesMatching(db, scope, filter)
      refuseTooManyRows(await queries.countBatteries(db, matching))
      return {
        fileName: fileNameAt('电池', new Date()),
        body: spreadsheet(batterySheet, () =>
          streamSnapshot(db, (trx) => queries.walkBatteries(trx, scope, matching, exportBatch)),
        ),
      }
    },

    /** Refuses `batteryNotFound`. */
    async readBattery(actor: Actor, { code }: ParsedInputFor<typeof readBattery>) {
      const { battery, scope } = await find(actor, code)
      const claims = battery.isConflict
        ? await queries.listStays(
            db,
            scope,
            { code, from: null, to: null },
            { limit: claimsShown, offset: 0 },
            { isOpen: true },
          )
        : []
      return { ...battery, claims }
    },

    /** Refuses `batteryNotFound`. */
    async trackBattery(
      actor: Actor,
      { code, startTime, endTime, ...paging }: ParsedInputFor<typeof trackBattery>,
    ) {
      const { scope } = await find(actor, code)
      const { from, to } = rangeEdges({ startTime, endTime })
      const wanted = { code, from: from ?? null, to: to ?? null }
      const page = pageOf(paging)
      const rows = await queries.listStays(db, scope, wanted, page)
      return { rows, total: totalByPage(page, rows.length) ?? (await queries.countStays(db, scope, wanted)) }
    },

    /** For its curves: the stays that reach into a range, the newest first. Refuses `batteryNotFound`. */
    async staysWithin(actor: Actor, { code, from, to }: { code: string; from: Date; to: Date }) {
      const { scope } = await find(actor, code)
      return queries.listStays(db, scope, { code, from, to }, { limit: mostStaysDrawn, offset: 0 })
    },

    /** Those of the compartments of its last stays, while it was there. Refuses `batteryNotFound`. */
    async listBatteryAlarms(actor: Actor, { code }: ParsedInputFor<typeof listBatteryAlarms>) {
      const { scope } = await find(actor, code)
      const stays = await queries.listStays(
        db,
        scope,
        { code, from: null, to: null },
        { limit: staysWithAlarms, offset: 0 },
      )
      const found = []
      for (const { deviceId, deviceCode, compartment, startTime, endTime } of stays) {
        const { rows } = await alarms.listAlarmHistory(actor, {
          equipId: String(deviceId),
          startTime: formatDateTime(startTime),
          endTime: formatDateTime(endTime ?? new Date()),
          pageNum: 1,
          pageSize: alarmsOfStay,
        })
        for (const row of rows) {
          if (!compartmentsNamed(row).includes(compartment)) continue
          found.push({
            id: row.id,
            deviceId,
            deviceCode,
            compartment,
            name: row.semaphoreName,
            level: row.alarmLevel,
            startTime: row.occurrenceTime,
            endTime: row.recoveryTime,
          })
        }
      }
      return found.sort((a, b) => b.startTime.getTime() - a.startTime.getTime())
    },

    async listStock(actor: Actor, { pageNum, pageSize, ...asked }: ParsedInputFor<typeof listStock>) {
      const { matching, ...grouping } = await stockAsked(actor, asked)
      return await stock.listStock(db, matching, { ...grouping, page: pageOf({ pageNum, pageSize }) })
    },

    /** All rows of the list by the same filter, as of one moment. Refuses 400 for too many rows. */
    async exportStock(actor: Actor, asked: ParsedInputFor<typeof exportStock>): Promise<FileReply> {
      const { matching, ...grouping } = await stockAsked(actor, asked)
      refuseTooManyRows(await stock.countStock(db, matching, asked.groupBy))
      return {
        fileName: fileNameAt('电池库存', new Date()),
        body: spreadsheet(stockSheet(asked.groupBy), () =>
          streamSnapshot(db, (trx) => stock.walkStock(trx, matching, grouping, exportBatch)),
        ),
      }
    },

    async readStock(actor: Actor, filter: ParsedInputFor<typeof readStock>) {
      const matching = await devices.listingMatching(db, await scopeOf(db, actor), filter)
      return await stock.sumStock(db, matching, filter.fullFewerThan ?? lowStock)
    },

    /** At most `limit` batteries with this in their code. */
    async findBatteries(actor: Actor, keyword: string, limit: number) {
      return queries.findBatteries(db, await scopeOf(db, actor), keyword, limit)
    },
  }
}
