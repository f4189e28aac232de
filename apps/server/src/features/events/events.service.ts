import {
  type EventRow,
  type exportEvents,
  type FileReply,
  formatDateTime,
  type InputOf,
  type listEvents,
  type ParsedInputFor,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { historyRange } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import {
  countHistory,
  type HistoryFilter,
  historySources,
  inOneSnapshot,
  readCountedKeys,
  resolveFilter,
  walkKeys,
} from '../../platform/history/index.ts'
import { fileNameAt, refuseTooManyRows, type Sheet, spreadsheet } from '../../platform/spreadsheet.ts'
import { type EventRecord, readEvents } from './events.queries.ts'

export type Events = ReturnType<typeof createEvents>

/** Rows read at a time for an export. */
const exportBatch = 1000

/** What devices told of themselves. Reports come in by events.mqtt.ts. */
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
      const page = { limit: input.pageSize, offset: (input.pageNum - 1) * input.pageSize }
      return await inOneSnapshot(db, async (trx) => {
        const { keys, total } = await readCountedKeys({ trx, source: historySources.event, filter }, page)
        return { rows: (await readEvents(trx, keys)).map(rowOf), total }
      })
    },

    async exportEvents(actor: Actor, input: ParsedInputFor<typeof exportEvents>): Promise<FileReply> {
      const filter = await filterOf(actor, input)
      refuseTooManyRows(
        await inOneSnapshot(db, (trx) => countHistory({ trx, source: historySources.event, filter })),
      )
      return {
        fileName: fileNameAt('事件', new Date()),
        body: spreadsheet(sheet, async function* () {
          const batches = walkKeys(db, historySources.event, filter, { batchSize: exportBatch })
          for await (const keys of batches) yield (await readEvents(db, keys)).map(rowOf)
        }),
      }
    },
  }
}

const rowOf = ({ isFault, ...record }: EventRecord) =>
  ({
    ...record,
    value: Number(record.value),
    flag: isFault ? 'fault' : 'normal',
  }) satisfies InputOf<typeof EventRow>

const sheet: Sheet<ReturnType<typeof rowOf>> = {
  name: '事件',
  columns: [
    { title: '设备编号', width: 20, cell: (row) => row.code },
    { title: '事件内容', width: 28, cell: (row) => row.semaphoreName },
    { title: '信号编码', width: 12, cell: (row) => row.semaphoreCode },
    { title: '值', width: 12, cell: (row) => row.value },
    { title: '标志', width: 10, cell: (row) => (row.flag === 'fault' ? '故障' : '正常') },
    { title: '运营商', width: 20, cell: (row) => row.operatorName },
    { title: '设备类型', width: 16, cell: (row) => row.equipTypeName },
    { title: '设备型号', width: 16, cell: (row) => row.equipModelName },
    { title: '发生时间', width: 20, cell: (row) => formatDateTime(row.occurrenceTime) },
    { title: '附加数据', width: 40, cell: (row) => row.data && JSON.stringify(row.data) },
  ],
}
