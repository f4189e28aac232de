// Alarms as users see them: lists, exports, one alarm, the meaning of values, and recovery by a user. alarms.intake.ts
// writes the reports of devices.
import {
  alarmLevels,
  type countAlarmLevels,
  type countHistoryLevels,
  type decodeAlarms,
  type FileReply,
  formatDateTime,
  historyMeanRows,
  type listAlarmHistory,
  type listAlarms,
  listEvents,
  type ParsedInputFor,
  type readAlarm,
  type readAlarmTimeline,
  type readHistorySums,
  type recoverAlarm,
  timelineEachWay,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import {
  countHistory,
  countStretches,
  type HistoryFilter,
  inOneSnapshot,
  keysOf,
  passesNothing,
  readCountedKeys,
  resolveSemaphores,
  walkKeys,
} from '../../domain/history/index.ts'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import { dayOf, rangeEdges } from '../../platform/process/clock.ts'
import { said } from '../../platform/process/language/speech.ts'
import { decode } from './alarm-decoding.ts'
import { readDefinitions } from './alarm-definitions.queries.ts'
import {
  type CurrentFilter,
  handlingFilterOf,
  historyFilterOf,
  type PastFilter,
  shelvedFilterOf,
  stateFilterOf,
} from './alarm-filters.ts'
import { findEpisode, meanOf, readEpisodes } from './alarm-history.queries.ts'
import type { AlarmRecord } from './alarm-records.queries.ts'
import { historyRowOf, rowOf } from './alarm-rows.ts'
import { readAround } from './alarm-timeline.queries.ts'
import { alarmSheet, historySheet } from './alarms.export.ts'
import { alarmsChanged } from './alarms.notices.ts'
import { recoverByUser } from './alarms.states.ts'
import * as current from './current-alarms.queries.ts'
import { readStandings } from './handling/standing.queries.ts'
import { lockState, writeRecoveries } from './recoveries/alarm-recovery.queries.ts'
import { type Quiet, readQuiet, readShelved } from './shelves/quiet.queries.ts'

export type Alarms = ReturnType<typeof createAlarms>

/** Rows read at a time for an export. */
const exportBatch = 1000

export function createAlarms({ db, notices }: { db: Db; notices: Pick<Notices, 'publish'> }) {
  return {
    async listAlarms(actor: Actor, input: ParsedInputFor<typeof listAlarms>) {
      const filter = await stateFilterOf(db, actor, input)
      const { quiet } = filter.shelved
      const page = pageOf(input)
      const { ids, sortBy, sortOrder } = input
      const isAscending = sortOrder === 'asc'
      return await inOneSnapshot(db, async (trx) => {
        if (ids) {
          const rows = await rowsOf(trx, quiet, await current.readStatesById(trx, filter, ids))
          return { rows: rows.slice(page.offset, page.offset + page.limit), total: rows.length }
        }
        const { keys, total } =
          sortBy === 'level'
            ? await listKeysByLevel(trx, filter, { ...page, isGravestLast: isAscending })
            : await listKeysByTime(trx, filter, { ...page, isOldestFirst: isAscending })
        return { rows: await rowsOf(trx, quiet, await current.readStates(trx, keys)), total }
      })
    },

    async countAlarmLevels(actor: Actor, input: ParsedInputFor<typeof countAlarmLevels>) {
      const counts = await current.countStatesByCode(db, await stateFilterOf(db, actor, input))
      return { levels: byLevel(counts).map(({ level, count }) => ({ level, count })) }
    },

    async listAlarmHistory(actor: Actor, input: ParsedInputFor<typeof listAlarmHistory>) {
      const filter = await historyFilterOf(db, actor, input)
      const people = await peopleOf(db, actor, input)
      const isOldestFirst = input.sortOrder === 'asc'
      const page = { ...pageOf(input), isOldestFirst }
      return await inOneSnapshot(db, async (trx) => {
        const { keys, total } = await readHistoryKeys(trx, { filter, people, status: statusOf(input) }, page)
        const rows = await historyRowsOf(trx, people.shelved.quiet, await readEpisodes(trx, keys))
        return { rows: isOldestFirst ? rows.reverse() : rows, total }
      })
    },

    /** Each level as its own list counts it; what the list of all of them has beyond that is of no level. */
    async countHistoryLevels(actor: Actor, input: ParsedInputFor<typeof countHistoryLevels>) {
      const filter = await historyFilterOf(db, actor, input)
      const people = await peopleOf(db, actor, input)
      const status = statusOf(input)
      return await inOneSnapshot(db, async (trx) => {
        const levels: { level: number; count: number }[] = []
        let rest = await countPast(trx, { filter, people, status })
        for (const level of alarmLevels) {
          const semaphores = await resolveSemaphores(trx, 'ALARM', { ...input, alarmLevel: [level] })
          const count =
            rest === 0 ? 0 : await countPast(trx, { filter: { ...filter, ...semaphores }, people, status })
          levels.push({ level, count })
          rest -= count
        }
        return { levels: rest > 0 ? [...levels, { level: 0, count: rest }] : levels }
      })
    },

    /** By day as the list counts it; each level as its own list does. */
    async readHistorySums(actor: Actor, input: ParsedInputFor<typeof readHistorySums>) {
      const filter = await historyFilterOf(db, actor, input)
      const past = { filter, people: await peopleOf(db, actor, input), status: statusOf(input) }
      const { from, to } = filter.range
      return await inOneSnapshot(db, async (trx) => {
        const counts = await countPastByDay(trx, past)
        const ofLevels: Map<string, number>[] = []
        for (const level of alarmLevels) {
          const isAsked = counts.size > 0 && (input.alarmLevel ?? alarmLevels).includes(level)
          const semaphores = await resolveSemaphores(trx, 'ALARM', { ...input, alarmLevel: [level] })
          ofLevels.push(
            isAsked
              ? await countPastByDay(trx, { ...past, filter: { ...filter, ...semaphores } })
              : new Map(),
          )
        }
        const days = [...counts]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([day, count]) => ({ day, count, levels: ofLevels.map((own) => own.get(day) ?? 0) }))
        const total = days.reduce((sum, { count }) => sum + count, 0)
        const isMeanLeftOut = total > historyMeanRows || !(await isQuicklyRead(trx, past, total))
        return {
          startDay: dayOf(from),
          endDay: dayOf(new Date(to.getTime() - 1)),
          total,
          days,
          meanSeconds: isMeanLeftOut || total === 0 ? null : await meanOfPast(trx, past),
          isMeanLeftOut,
        }
      })
    },

    /** Refuses 400 for too many rows. */
    async exportAlarms(actor: Actor, input: CurrentFilter): Promise<FileReply> {
      const filter = await stateFilterOf(db, actor, input)
      refuseTooManyRows(await current.countStates(db, filter))
      return {
        fileName: fileNameAt('当前告警', new Date()),
        body: spreadsheet(alarmSheet, async function* () {
          let after: current.StateKey | undefined
          do {
            const keys = await current.listStateKeys(db, filter, { limit: exportBatch, after })
            yield await rowsOf(db, filter.shelved.quiet, await current.readStates(db, keys))
            after = keys.length === exportBatch ? keys.at(-1) : undefined
          } while (after)
        }),
      }
    },

    /** Refuses as `exportAlarms` does. */
    async exportAlarmHistory(actor: Actor, input: PastFilter): Promise<FileReply> {
      const filter = await historyFilterOf(db, actor, input)
      const status = statusOf(input)
      const people = await peopleOf(db, actor, input)
      const { quiet } = people.shelved
      refuseTooManyRows(await inOneSnapshot(db, (trx) => countPast(trx, { filter, people, status })))
      return {
        fileName: fileNameAt('历史告警', new Date()),
        body: spreadsheet(historySheet, async function* () {
          if (status === 1) {
            const states = activeWithin(filter, people)
            let after: current.StateKey | undefined
            do {
              const keys = await current.listStateKeys(db, states, { limit: exportBatch, after })
              yield await historyRowsOf(db, quiet, await readEpisodes(db, keys))
              after = keys.length === exportBatch ? keys.at(-1) : undefined
            } while (after)
            return
          }
          const batches = walkKeys(db, current.historyRows(filter, people, status === 0), exportBatch)
          for await (const keys of batches) yield await historyRowsOf(db, quiet, await readEpisodes(db, keys))
        }),
      }
    },

    /** Refuses `alarmNotFound`, also for an alarm out of the caller's scope. */
    async readAlarm(actor: Actor, { id, occurrenceTime }: ParsedInputFor<typeof readAlarm>) {
      const { from, to } = rangeEdges({ startTime: occurrenceTime, endTime: occurrenceTime })
      const scope = await scopeOf(db, actor)
      const found = await findEpisode(db, scope, id, from && to && { from, to })
      if (!found) refuse('alarmNotFound')
      const { lateReports, ...record } = found
      return {
        ...historyRowOf(record, await readShelved(db, await readQuiet(db), [id])),
        lateReports: (lateReports ?? []).map(([ms, value]) => ({ time: new Date(ms), value })),
      }
    },

    /** Refuses as `readAlarm` does. */
    async readAlarmTimeline(actor: Actor, { id, occurrenceTime }: ParsedInputFor<typeof readAlarmTimeline>) {
      const { from, to } = rangeEdges({ startTime: occurrenceTime, endTime: occurrenceTime })
      const found = await findEpisode(db, await scopeOf(db, actor), id, from && to && { from, to })
      if (!found) refuse('alarmNotFound')
      const rows = await readAround(db, {
        deviceId: found.equipId,
        at: found.occurrenceTime,
        eachWay: timelineEachWay,
        hasEvents: mayCall(actor, listEvents.access),
      })
      return { rows: rows.map((row) => ({ ...row, value: Number(row.value) })) }
    },

    /** For what tells people of alarms. */
    readStandings,

    async decodeAlarms({ alarmCodes, classify }: ParsedInputFor<typeof decodeAlarms>) {
      const codes = [...new Set(alarmCodes.map(({ code }) => code))]
      const { definitions, typeName } = await readDefinitions(db, codes, classify)
      const byCode = Map.groupBy(definitions, ({ code }) => code)
      return alarmCodes.flatMap(({ code, alarmCode }) =>
        decode(byCode.get(code) ?? [], alarmCode).map((definition) => ({
          ...definition,
          type: 'ALARM',
          typeName: said(typeName),
        })),
      )
    },

    /**
     * Refuses `alarmNotFound`, and 409 `alarmAlreadyRecovered`. Only the newest episode of a semaphore can be active:
     * any other has recovered.
     */
    async recoverAlarm(actor: Actor, { id, note }: ParsedInputFor<typeof recoverAlarm>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const scope = await scopeOf(trx, actor)
        const locked = await lockState(trx, scope, id)
        if (!locked) {
          const past = await findEpisode(trx, scope, id, null)
          refuse(past ? 'alarmAlreadyRecovered' : 'alarmNotFound')
        }
        const { state, deviceCode, semaphoreName, semaphoreCode } = locked
        const recovered = recoverByUser(state, Number(id), locked.nowMs) ?? refuse('alarmAlreadyRecovered')
        await writeRecoveries(trx, [{ locked, recovered }], { userId: actor.userId, note })
        await recordOperation(trx, actor, {
          target: `设备 ${deviceCode} 告警 ${semaphoreName}（${semaphoreCode}）发生于 ${formatDateTime(new Date(locked.occurredAt))}`,
          changes: { before: { value: state.value }, after: { value: recovered.value, note } },
        })
      })
      notices.publish(alarmsChanged, [id])
    },
  }
}

/** Rows of the current list, with what shelves keep quiet as of now. */
async function rowsOf(reader: Db, quiet: Quiet, records: readonly AlarmRecord[]) {
  const shelved = await shelvedOf(reader, quiet, records)
  return records.map((record) => rowOf(record, shelved))
}

async function historyRowsOf(reader: Db, quiet: Quiet, records: readonly AlarmRecord[]) {
  const shelved = await shelvedOf(reader, quiet, records)
  return records.map((record) => historyRowOf(record, shelved))
}

const shelvedOf = (reader: Db, quiet: Quiet, records: readonly AlarmRecord[]) =>
  readShelved(
    reader,
    quiet,
    records.filter(({ isActive }) => isActive).map(({ id }) => id),
  )

const peopleOf = async (db: Db, actor: Actor, input: PastFilter): Promise<current.People> => ({
  handled: handlingFilterOf(actor, input),
  shelved: await shelvedFilterOf(db, input.isShelved ?? 'all'),
})

/** Of the history only what lasts is kept quiet. */
const statusOf = ({ status, isShelved }: PastFilter) => (isShelved === '1' && status !== 0 ? 1 : status)

interface Past {
  filter: HistoryFilter
  people: current.People
  status: 0 | 1 | undefined
}

/** The total of a list of the history. */
async function countPast(trx: Trx, { filter, people, status }: Past): Promise<number> {
  if (status === 1) return await current.countStates(trx, activeWithin(filter, people))
  return await countHistory({ trx, ...current.historyRows(filter, people, status === 0) })
}

/** The total of a list of the history by the days on which its alarms began: `YYYY-MM-DD` → count. */
async function countPastByDay(trx: Trx, { filter, people, status }: Past): Promise<Map<string, number>> {
  if (passesNothing(filter)) return new Map()
  if (status === 1) return await current.countStatesByDay(trx, activeWithin(filter, people))
  const stretches = await countStretches({ trx, ...current.historyRows(filter, people, status === 0) })
  return new Map(stretches.map(({ from, n }) => [dayOf(from), n]))
}

/** Rows that may be passed over for a mean. */
const passedOverAtMost = 200_000

/**
 * Whether few rows are passed over to find those of the list: they are found by their devices, or by the one column of
 * the filter that narrows most, each of which has an index.
 */
async function isQuicklyRead(trx: Trx, { filter, people, status }: Past, total: number): Promise<boolean> {
  const { deviceIds, operatorIds, regionIds, topRegionIds, codes, levels, range } = filter
  if (total === 0 || status === 1 || deviceIds) return true
  const everything: HistoryFilter = {
    operatorIds: null,
    modelIds: null,
    regionIds: null,
    topRegionIds: null,
    deviceIds: null,
    codes: null,
    levels: null,
    range,
  }
  const alone = [
    ...(operatorIds ? [{ ...everything, operatorIds }] : []),
    ...(regionIds ? [{ ...everything, regionIds, topRegionIds }] : []),
    ...(codes ? [{ ...everything, codes, levels }] : []),
    everything,
  ]
  const { sources, only } = current.historyRows(filter, people, status === 0)
  for (const one of alone)
    if ((await countHistory({ trx, sources, only, filter: one })) <= passedOverAtMost) return true
  return false
}

/** How long the alarms of a list that are over lasted on average, in seconds. */
async function meanOfPast(trx: Trx, { filter, people, status }: Past): Promise<number | null> {
  if (status === 1) return null
  return await meanOf(trx, keysOf(current.historyRows(filter, people, status === 0)))
}

/** The keys of a page, newest first within it. */
async function readHistoryKeys(
  trx: Trx,
  { filter, people, status }: Past,
  page: { limit: number; offset: number; isOldestFirst: boolean },
) {
  if (status !== 1)
    return await readCountedKeys({ trx, ...current.historyRows(filter, people, status === 0) }, page)
  // Active alarms are few, and have a table of their own.
  const { keys, total } = await listKeysByTime(trx, activeWithin(filter, people), page)
  return { keys: page.isOldestFirst ? keys.reverse() : keys, total }
}

async function listKeysByTime(
  trx: Trx,
  filter: current.StateFilter,
  page: { limit: number; offset: number; isOldestFirst?: boolean },
) {
  const total = await current.countStates(trx, filter)
  return { keys: page.offset < total ? await current.listStateKeys(trx, filter, page) : [], total }
}

/** Level by level, the latest of each first: the index is in the order of time, and the counts say where a page begins. */
async function listKeysByLevel(
  trx: Trx,
  filter: current.StateFilter,
  page: { limit: number; offset: number; isGravestLast: boolean },
) {
  const levels = byLevel(await current.countStatesByCode(trx, filter))
  if (page.isGravestLast) levels.reverse()
  const keys: current.StateKey[] = []
  let offset = page.offset
  for (const { codes, count } of levels) {
    const limit = page.limit - keys.length
    if (offset < count && limit > 0)
      keys.push(...(await current.listStateKeys(trx, { ...filter, codes }, { limit, offset })))
    offset = Math.max(0, offset - count)
  }
  return { keys, total: levels.reduce((sum, { count }) => sum + count, 0) }
}

/** Every level that the dictionary has, gravest first; 0, for codes that it does not know, where there is any. */
function byLevel(counts: readonly current.CodeCount[]) {
  const of = Map.groupBy(counts, ({ level }) => level)
  return [...alarmLevels, 0].flatMap((level) => {
    const own = of.get(level) ?? []
    if (level === 0 && own.length === 0) return []
    return [
      {
        level: level as number,
        codes: own.map(({ code }) => code),
        count: own.reduce((sum, { count }) => sum + count, 0),
      },
    ]
  })
}

const activeWithin = ({ range, ...filter }: HistoryFilter, people: current.People): current.StateFilter => ({
  ...filter,
  kind: '1',
  ...range,
  ...people,
})
