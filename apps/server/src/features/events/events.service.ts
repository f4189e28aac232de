// Events as users list, read and export them.
import type {
  EventRow,
  exportEvents,
  FileReply,
  InputOf,
  listEvents,
  ParsedInputFor,
  readEvent,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import {
  countHistory,
  type HistoryFilter,
  historySources,
  inOneSnapshot,
  readCountedKeys,
  resolveFilter,
  walkKeys,
} from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { pageOf } from '../../platform/database/paging.ts'
import {
  fileNameAt,
  refuseTooManyRows,
  type Sheet,
  spreadsheet,
} from '../../platform/files/sheets/spreadsheet.ts'
import { historyRange, rangeEdges } from '../../platform/process/clock.ts'
import { said } from '../../platform/process/language/speech.ts'
import { type EventRecord, findEvent, readEvents } from './events.queries.ts'

export type Events = ReturnType<typeof createEvents>

/** Rows read at a time for an export. */
const exportBatch = 1000

/** The history of events, which events.intake.ts writes. */
export function createEvents({ db }: { db: Db }) {
  const filterOf = async (
    actor: Actor,
    asked: ParsedInputFor<typeof exportEvents>,
  ): Promise<HistoryFilter> => ({
    ...(await resolveFilter(db, actor, 'EVENT', asked)),
    range: historyRange(asked),
  })

  return {
    async listEvents(actor: Actor, input: ParsedInputFor<typeof listEvents>) {
      const filter = await filterOf(actor, input)
      const isOldestFirst = input.sortOrder === 'asc'
      const page = { ...pageOf(input), isOldestFirst }
      return await inOneSnapshot(db, async (trx) => {
        const { keys, total } = await readCountedKeys({ trx, ...rowsOf(filter) }, page)
        const rows = (await readEvents(trx, keys)).map(rowOf)
        return { rows: isOldestFirst ? rows.reverse() : rows, total }
      })
    },

    /** Refuses `eventNotFound`, also for an event out of the caller's scope. */
    async readEvent(actor: Actor, { id, occurrenceTime }: ParsedInputFor<typeof readEvent>) {
      const { from, to } = rangeEdges({ startTime: occurrenceTime, endTime: occurrenceTime })
      const scope = await scopeOf(db, actor)
      const found = await findEvent(db, scope, id, from && to && { from, to })
      if (!found) refuse('eventNotFound')
      return rowOf(found)
    },

    /** Refuses 400 for too many rows. */
    async exportEvents(actor: Actor, input: ParsedInputFor<typeof exportEvents>): Promise<FileReply> {
      const filter = await filterOf(actor, input)
      refuseTooManyRows(await inOneSnapshot(db, (trx) => countHistory({ trx, ...rowsOf(filter) })))
      return {
        fileName: fileNameAt('事件', new Date()),
        body: spreadsheet(sheet, async function* () {
          const batches = walkKeys(db, rowsOf(filter), exportBatch)
          for await (const keys of batches) yield (await readEvents(db, keys)).map(rowOf)
        }),
      }
    },
  }
}

const rowsOf = (filter: HistoryFilter) => ({ sources: [historySources.event], filter })

const rowOf = ({ isFault, ...record }: EventRecord) =>
  ({
    ...record,
    value: Number(record.value),
    flag: isFault ? 'fault' : 'normal',
  }) satisfies InputOf<typeof EventRow>

/** The columns of the list by title and order, then those that the list shows only in an opened row. */
const sheet: Sheet<ReturnType<typeof rowOf>> = {
  name: '事件',
  columns: [
    { title: '发生时间', width: 20, cell: (row) => row.occurrenceTime },
    { title: '设备编号', width: 20, cell: (row) => row.code },
    { title: '设备名称', width: 24, cell: (row) => row.equipName },
    { title: '地区', width: 30, cell: (row) => row.regionName },
    { title: '地址', width: 36, cell: (row) => row.address },
    { title: '事件名称', width: 28, cell: (row) => row.semaphoreName },
    { title: '值', width: 12, cell: (row) => row.value },
    { title: '单位', width: 8, cell: (row) => row.unit },
    { title: '运营商', width: 20, cell: (row) => row.operatorName },
    { title: '设备型号', width: 16, cell: (row) => row.equipModelName },
    { title: '标志', width: 10, cell: (row) => said(row.flag === 'fault' ? '故障' : '正常') },
    { title: '附加数据', width: 40, cell: (row) => row.data && JSON.stringify(row.data) },
    { title: '信号编码', width: 12, cell: (row) => row.semaphoreCode },
    { title: '设备类型', width: 16, cell: (row) => row.equipTypeName },
  ],
}
