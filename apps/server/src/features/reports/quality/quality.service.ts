// How good the alarms of some days were, within the caller's data scope.
import {
  type AlarmReport,
  alarmLevels,
  type FileReply,
  type InputOf,
  type ParsedInputFor,
  type readAlarmReport,
  reportRows,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../../domain/access/data-scope.ts'
import {
  countGroups,
  countHistory,
  type GroupedBy,
  historySources,
  inOneSnapshot,
  passesNothing,
  resolvePlaces,
  sumByLevel,
} from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { fileNameAt, spreadsheet } from '../../../platform/files/sheets/spreadsheet.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { reportRange } from '../report-range.ts'
import { qualityLines, qualitySheet } from './quality.export.ts'
import * as queries from './quality.queries.ts'
import { adviceFor, floodsOf, loadOf, shareOf, windowMs } from './quality.rules.ts'

export type Quality = ReturnType<typeof createQuality>

type Answer = InputOf<typeof AlarmReport>

const topCount = 10
const chatteringShown = 10
const floodsShown = 20
const dayMs = 86_400_000

export function createQuality({ db, zone, now = sharedNow }: { db: Db; zone: string; now?: () => Date }) {
  async function read(scope: DataScope, input: ParsedInputFor<typeof readAlarmReport>): Promise<Answer> {
    const at = now()
    const { days, soFar } = reportRange(input, at)
    const places = await resolvePlaces(db, scope, input)
    const standingBefore = new Date(Math.floor(at.getTime() / 1000) * 1000 - dayMs)
    return await inOneSnapshot(db, async (trx) => {
      const asked = {
        places,
        range: days,
        ...(await queries.readDays(trx, days, zone)),
      }
      const elapsedDays = (soFar.to.getTime() - soFar.from.getTime()) / dayMs
      const windows = Math.max(1, Math.ceil((soFar.to.getTime() - soFar.from.getTime()) / windowMs))
      const query = {
        trx,
        source: historySources.alarm,
        filter: { ...places, codes: null, levels: null, range: days },
      }
      const isNothing = passesNothing(places)
      const standing = (by: GroupedBy, keys: readonly string[]) =>
        isNothing
          ? new Map<string, number>()
          : queries.countStanding(trx, places, new Date(standingBefore.getTime() + 1000), by, keys)
      const windowsOf = (by: GroupedBy, keys: readonly string[]) =>
        isNothing ? new Map<string, Int32Array>() : queries.readWindows(trx, asked, by, keys)

      const regionIds = input.groupBy === 'region' ? await queries.listRegionsApart(trx, places) : []
      const counts = input.groupBy === 'device' ? null : await countGroups(query, input.groupBy, regionIds)
      const { rows: listed, rowCount } = counts
        ? { rows: mostFirst(counts).slice(0, reportRows), rowCount: counts.size }
        : isNothing
          ? { rows: [], rowCount: 0 }
          : await queries.countDevices(trx, asked, reportRows)
      const keys = listed.map(([key]) => key)
      const names = await queries.nameGroups(trx, input.groupBy, keys)
      const ofGroups = await windowsOf(input.groupBy, keys)
      const standingOfGroups = await standing(
        input.groupBy,
        regionIds.length > 0 ? regionIds.map(String) : keys,
      )
      const rateOf = (count: number, watchers: number) => ({
        count,
        perDay: shareOf(count, elapsedDays * watchers),
        perTenMinutes: shareOf(count, windows * watchers),
      })
      const rows = listed.flatMap(([key, count]) => {
        const named = names.get(key)
        if (!named) return []
        const { peak, floodCount, floodWindows } = loadOf(ofGroups.get(key) ?? [])
        return [
          {
            id: named.id,
            name: named.name,
            ...rateOf(count, 1),
            peak,
            floodCount,
            floodShare: floodWindows / windows,
            standingCount: standingOfGroups.get(key) ?? 0,
          },
        ]
      })

      const byOperator =
        counts && input.groupBy === 'operator' ? counts : await countGroups(query, 'operator')
      const operatorKeys = [...byOperator.keys()]
      const ofOperators =
        input.groupBy === 'operator' && operatorKeys.length <= keys.length
          ? ofGroups
          : await windowsOf('operator', operatorKeys)
      const operatorNames = await queries.nameGroups(trx, 'operator', operatorKeys)
      const loads = operatorKeys.map((key) => loadOf(ofOperators.get(key) ?? []))
      const count = await countHistory({ ...query, sources: [query.source] })
      const codes = counts && input.groupBy === 'code' ? counts : await countGroups(query, 'code')
      const chattering = isNothing ? [] : await queries.readChattering(trx, asked)
      const top = await topAlarms(trx, codes, count, chattering, await standing('code', []))
      const standingCount = [...(await standing('operator', [])).values()].reduce((sum, n) => sum + n, 0)
      return {
        startDay: dayOf(days.from),
        endDay: dayOf(startOfDay(days.to, -1)),
        days: elapsedDays,
        total: {
          ...rateOf(count, byOperator.size),
          peak: Math.max(0, ...loads.map(({ peak }) => peak)),
          floodCount: loads.reduce((sum, { floodCount }) => sum + floodCount, 0),
          floodShare: shareOf(
            loads.reduce((sum, { floodWindows }) => sum + floodWindows, 0),
            windows * loads.length,
          ),
          standingCount,
          operatorCount: byOperator.size,
          chatteringCount: chattering.length,
          topShare: shareOf(
            top.reduce((sum, one) => sum + one.count, 0),
            count,
          ),
        },
        levels: sharesOf(await sumByLevel(trx, codes), count),
        rows,
        rowCount,
        top,
        chattering: await nameChattering(trx, asked, chattering.slice(0, chatteringShown)),
        floods: worstFloods(ofOperators, operatorNames, days.from),
        standingBefore,
      }
    })
  }

  return {
    readAlarmReport: async (actor: Actor, input: ParsedInputFor<typeof readAlarmReport>) =>
      read(await scopeOf(db, actor), input),
    readWithin: read,

    async exportAlarmReport(actor: Actor, input: ParsedInputFor<typeof readAlarmReport>): Promise<FileReply> {
      const report = await read(await scopeOf(db, actor), input)
      return {
        fileName: fileNameAt('告警质量', now()),
        body: spreadsheet(qualitySheet, async function* () {
          yield qualityLines(report, input.groupBy)
        }),
      }
    },
  }
}

/** Groups with the same number in the order of their keys. */
const mostFirst = (counts: ReadonlyMap<string, number>) =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))

async function topAlarms(
  trx: Trx,
  codes: ReadonlyMap<string, number>,
  total: number,
  chattering: readonly queries.Chattering[],
  standing: ReadonlyMap<string, number>,
): Promise<Answer['top']> {
  const most = mostFirst(codes).slice(0, topCount)
  const keys = most.map(([code]) => code)
  const names = await queries.nameGroups(trx, 'code', keys)
  const levels = await queries.readLevels(trx, keys)
  return most.map(([semaphoreCode, count]) => {
    const facts = {
      level: levels.get(semaphoreCode) ?? null,
      count,
      share: shareOf(count, total),
      chatteringCount: chattering
        .filter((one) => one.semaphoreCode === semaphoreCode)
        .reduce((sum, { n }) => sum + n, 0),
      standingCount: standing.get(semaphoreCode) ?? 0,
    }
    const { level, ...shown } = facts
    return {
      semaphoreCode,
      semaphoreName: names.get(semaphoreCode)?.name ?? semaphoreCode,
      alarmLevel: level,
      ...shown,
      advice: adviceFor(facts),
    }
  })
}

function sharesOf(levels: ReadonlyMap<number, number>, total: number): Answer['levels'] {
  const known = alarmLevels.map((level) => ({
    level: level as number,
    count: levels.get(level) ?? 0,
  }))
  const unknown = total - known.reduce((sum, { count }) => sum + count, 0)
  return [...known, ...(unknown > 0 ? [{ level: 0, count: unknown }] : [])].map((one) => ({
    ...one,
    share: shareOf(one.count, total),
  }))
}

async function nameChattering(
  trx: Trx,
  asked: queries.Asked,
  pairs: readonly queries.Chattering[],
): Promise<Answer['chattering']> {
  const counts = await queries.countPairs(trx, asked, pairs)
  const devices = await queries.nameGroups(
    trx,
    'device',
    pairs.map(({ deviceId }) => String(deviceId)),
  )
  const codes = await queries.nameGroups(
    trx,
    'code',
    pairs.map(({ semaphoreCode }) => semaphoreCode),
  )
  return pairs.map(({ deviceId, semaphoreCode, n }, index) => ({
    deviceId: String(deviceId),
    deviceCode: devices.get(String(deviceId))?.name ?? '',
    semaphoreCode,
    semaphoreName: codes.get(semaphoreCode)?.name ?? semaphoreCode,
    chatteringCount: n,
    count: counts[index] ?? 0,
  }))
}

/** Those with the most alarms first. */
function worstFloods(
  windows: ReadonlyMap<string, Int32Array>,
  names: ReadonlyMap<string, queries.Named>,
  begin: Date,
): Answer['floods'] {
  const at = (window: number) => begin.getTime() + window * windowMs
  return [...windows]
    .flatMap(([key, counts]) => floodsOf(counts).map((flood) => ({ key, ...flood })))
    .sort((a, b) => b.count - a.count || b.from - a.from)
    .slice(0, floodsShown)
    .map(({ key, from, to, count, peak }) => ({
      operatorId: key,
      operatorName: names.get(key)?.name ?? '',
      startTime: new Date(at(from)),
      endTime: new Date(at(to) - 1000),
      count,
      peak,
    }))
}
