import {
  type decodeAlarms,
  type exportAlarmHistory,
  type exportAlarms,
  type FileReply,
  formatDateTime,
  type listAlarmHistory,
  type listAlarms,
  type ParsedInputFor,
  type readAlarm,
  type recoverAlarm,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { scopeOf } from '../../platform/access/data-scope.ts'
import { historyRange, rangeEdges } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { refuseTooManyStreams, streamLimited } from '../../platform/database/snapshot.ts'
import {
  countHistory,
  type HistoryFilter,
  historySources,
  inOneSnapshot,
  readCountedKeys,
  resolveFilter,
  walkKeys,
} from '../../platform/history/index.ts'
import type { Notices } from '../../platform/notices.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse } from '../../platform/refusal.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/spreadsheet.ts'
import { decode } from './alarms.decode.ts'
import { alarmSheet, historySheet } from './alarms.export.ts'
import * as queries from './alarms.queries.ts'
import { historyRowOf, rowOf } from './alarms.rows.ts'

export type Alarms = ReturnType<typeof createAlarms>

type CurrentFilter = ParsedInputFor<typeof exportAlarms>
type PastFilter = ParsedInputFor<typeof exportAlarmHistory>

/** Rows read at a time for an export. */
const exportBatch = 1000

/**
 * Alarms as people see them: the current ones, their history, what their values mean, and the recovery
 * that a user declares. Reports of devices come in by alarms.mqtt.ts.
 */
export function createAlarms({ db, notices }: { db: Db; notices: Pick<Notices, 'publish'> }) {
  const filterOf = (actor: Actor, asked: CurrentFilter | PastFilter) =>
    resolveFilter(db, actor, 'ALARM', asked)
  const stateFilterOf = async (actor: Actor, asked: CurrentFilter): Promise<queries.StateFilter> => ({
    ...(await filterOf(actor, asked)),
    ...rangeEdges(asked),
    kind: asked.status,
  })
  const historyFilterOf = async (actor: Actor, asked: PastFilter): Promise<HistoryFilter> => ({
    ...(await filterOf(actor, asked)),
    range: historyRange(asked),
  })

  return {
    async listAlarms(actor: Actor, input: ParsedInputFor<typeof listAlarms>) {
      const filter = await stateFilterOf(actor, input)
      const page = { limit: input.pageSize, offset: (input.pageNum - 1) * input.pageSize }
      return await inOneSnapshot(db, async (trx) => {
        const total = await queries.countStates(trx, filter)
        const keys = page.offset < total ? await queries.listStateKeys(trx, filter, page) : []
        return { rows: (await queries.readStates(trx, keys)).map(rowOf), total }
      })
    },

    async listAlarmHistory(actor: Actor, input: ParsedInputFor<typeof listAlarmHistory>) {
      const filter = await historyFilterOf(actor, input)
      const page = { limit: input.pageSize, offset: (input.pageNum - 1) * input.pageSize }
      return await inOneSnapshot(db, async (trx) => {
        const { keys, total } = await readHistoryKeys(trx, filter, input.status, page)
        return { rows: (await queries.readEpisodes(trx, keys)).map(historyRowOf), total }
      })
    },

    async exportAlarms(actor: Actor, input: CurrentFilter): Promise<FileReply> {
      const filter = await stateFilterOf(actor, input)
      refuseTooManyStreams()
      refuseTooManyRows(await queries.countStates(db, filter))
      return {
        fileName: fileNameAt('当前告警', new Date()),
        body: spreadsheet(alarmSheet, () =>
          streamLimited(async function* () {
            let after: queries.StateKey | undefined
            do {
              const keys = await queries.listStateKeys(db, filter, { limit: exportBatch, after })
              yield (await queries.readStates(db, keys)).map(rowOf)
              after = keys.length === exportBatch ? keys.at(-1) : undefined
            } while (after)
          }),
        ),
      }
    },

    async exportAlarmHistory(actor: Actor, input: PastFilter): Promise<FileReply> {
      const filter = await historyFilterOf(actor, input)
      const { status } = input
      const except = status === 0 ? queries.activeEpisodes(filter) : undefined
      refuseTooManyStreams()
      refuseTooManyRows(
        await inOneSnapshot(db, async (trx) =>
          status === 1
            ? queries.countStates(trx, activeWithin(filter))
            : countHistory({ trx, source: historySources.alarm, filter, except }),
        ),
      )
      return {
        fileName: fileNameAt('历史告警', new Date()),
        body: spreadsheet(historySheet, () =>
          streamLimited(async function* () {
            if (status === 1) {
              const states = activeWithin(filter)
              let after: queries.StateKey | undefined
              do {
                const keys = await queries.listStateKeys(db, states, { limit: exportBatch, after })
                yield (await queries.readEpisodes(db, keys)).map(historyRowOf)
                after = keys.length === exportBatch ? keys.at(-1) : undefined
              } while (after)
              return
            }
            const batches = walkKeys(db, historySources.alarm, filter, { batchSize: exportBatch, except })
            for await (const keys of batches) yield (await queries.readEpisodes(db, keys)).map(historyRowOf)
          }),
        ),
      }
    },

    async readAlarm(actor: Actor, { id, occurrenceTime }: ParsedInputFor<typeof readAlarm>) {
      const { from, to } = rangeEdges({ startTime: occurrenceTime, endTime: occurrenceTime })
      const scope = await scopeOf(db, actor)
      const found = await queries.findEpisode(db, scope, id, from && to && { from, to })
      if (!found) refuse('alarmNotFound')
      const { lateReports, regionName, address, ...record } = found
      return {
        ...historyRowOf(record),
        regionName,
        address,
        lateReports: (lateReports ?? []).map(([ms, value]) => ({ time: new Date(ms), value })),
      }
    },

    async decodeAlarms({ alarmCodes, classify }: ParsedInputFor<typeof decodeAlarms>) {
      const codes = [...new Set(alarmCodes.map(({ code }) => code))]
      const { definitions, typeName } = await queries.readDefinitions(db, codes, classify)
      const byCode = Map.groupBy(definitions, ({ code }) => code)
      return alarmCodes.flatMap(({ code, alarmCode }) =>
        decode(byCode.get(code) ?? [], alarmCode).map((definition) => ({
          ...definition,
          type: 'ALARM',
          typeName,
        })),
      )
    },

    /** Only the newest episode of a semaphore can still be active: any other has recovered. */
    async recoverAlarm(actor: Actor, { id, note }: ParsedInputFor<typeof recoverAlarm>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const scope = await scopeOf(trx, actor)
        const state = await queries.lockState(trx, scope, id)
        if (!state) {
          const past = await queries.findEpisode(trx, scope, id, null)
          refuse(past ? 'alarmAlreadyRecovered' : 'alarmNotFound')
        }
        if (!state.isActive) refuse('alarmAlreadyRecovered')
        await queries.recoverByUser(trx, state, id, { userId: actor.userId, note })
        await recordOperation(trx, actor, {
          target: `设备 ${state.deviceCode} 告警 ${state.semaphoreName}（${state.semaphoreCode}）发生于 ${formatDateTime(new Date(state.occurredAt))}`,
          changes: { before: { value: Number(state.value) }, after: { value: 0, note } },
        })
      })
      notices.publish('alarmsChanged', { episodeIds: [id] })
    },

    /** Episodes as they are now, for what is pushed, with what a data scope is checked against. */
    async readChangedAlarms(episodeIds: readonly string[]) {
      const records = await queries.readStatesOfEpisodes(db, episodeIds)
      const current = new Set(records.map(({ id }) => id))
      // Its semaphore has begun a newer episode meanwhile: this one is over, and lists still show it.
      const replaced = episodeIds.filter((id) => !current.has(id))
      if (replaced.length > 0) records.push(...(await queries.readEpisodesById(db, replaced)))
      return records.map(({ regionId, ...record }) => ({
        row: rowOf(record),
        place: { operatorId: record.operatorId, equipTypeId: record.equipTypeId, regionId },
      }))
    },
  }
}

async function readHistoryKeys(
  trx: Trx,
  filter: HistoryFilter,
  status: 0 | 1 | undefined,
  page: { limit: number; offset: number },
) {
  if (status !== 1) {
    const except = status === 0 ? queries.activeEpisodes(filter) : undefined
    return await readCountedKeys({ trx, source: historySources.alarm, filter, except }, page)
  }
  // What is still active is few, and has a table of its own.
  const states = activeWithin(filter)
  const total = await queries.countStates(trx, states)
  return { keys: page.offset < total ? await queries.listStateKeys(trx, states, page) : [], total }
}

const activeWithin = ({ range, ...filter }: HistoryFilter): queries.StateFilter => ({
  ...filter,
  kind: '1',
  ...range,
})
