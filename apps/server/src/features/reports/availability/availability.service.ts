// How much of some days the devices worked, within the caller's data scope.
import type {
  AvailabilityReport,
  exportAvailability,
  FileReply,
  InputOf,
  ParsedInputFor,
  readAvailability,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../../domain/access/data-scope.ts'
import { inOneSnapshot, passesNothing, resolvePlaces } from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../../platform/files/sheets/spreadsheet.ts'
import { atDay, dayOf, startOfDay, type TimeRange } from '../../../platform/process/clock.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { listRegionsApart, nameGroups } from '../quality/quality.queries.ts'
import { reportRange } from '../report-range.ts'
import { availabilityLines, availabilitySheet } from './availability.export.ts'
import * as queries from './availability.queries.ts'
import { listTouched } from './device-days.queries.ts'
import { divideUnkept, mostDivided } from './device-days.ts'
import { listSummedDays } from './sums.queries.ts'

export type Availability = ReturnType<typeof createAvailability>

const dayS = 86_400
/** As many groups as a sheet takes. */
const exportedRows = 200_000

export function createAvailability({
  db,
  zone,
  now = sharedNow,
  atMost = mostDivided,
}: {
  db: Db
  zone: string
  now?: () => Date
  /** Days of devices that one report divides. */
  atMost?: number
}) {
  /** The days that are kept, and what of them is read anew: what was touched since, unless that is too much for one call. */
  async function readKept(trx: Trx, range: TimeRange, within: readonly number[] | null) {
    const days = await queries.listKeptDays(trx, range, zone)
    const whole = days.filter(({ isTouched }) => isTouched)
    const devices = whole.length === 0 ? 0 : (within?.length ?? (await queries.countDevices(trx)))
    const asKept = whole.length * devices > atMost
    const kept = new Set((asKept ? days : days.filter(({ isTouched }) => !isTouched)).map(({ day }) => day))
    const touched = await listTouched(trx, within)
    const deviceDays = touched.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0)
    return { kept, touched: deviceDays > atMost ? [] : touched }
  }

  async function read(
    scope: DataScope,
    input: ParsedInputFor<typeof exportAvailability>,
    page: { limit: number; offset: number },
  ): Promise<InputOf<typeof AvailabilityReport>> {
    const { days, soFar } = reportRange(input, now())
    const places = await resolvePlaces(db, scope, input)
    const startDay = dayOf(days.from)
    const endDay = dayOf(startOfDay(days.to, -1))
    if (passesNothing(places)) {
      return { startDay, endDay, total: timesOf(nothing, new Map(), new Map()), rows: [], rowCount: 0 }
    }
    return await inOneSnapshot(db, async (trx) => {
      const within = await queries.listDevicesWithin(trx, places)
      const { kept, touched } = await readKept(trx, soFar, within)
      const divided = await divideUnkept(trx, { range: soFar, kept, touched, within })
      const standing = new Set([...kept].filter((day) => startOfDay(atDay(day), 1) <= soFar.to))
      const summed = new Set(await listSummedDays(trx, soFar, zone))
      const regionIds = input.groupBy === 'region' ? await listRegionsApart(trx, places) : []
      const asked: queries.Asked = {
        places,
        range: soFar,
        groupBy: input.groupBy,
        regionIds,
        divided: divided.days,
        touched: touched.filter(({ day }) => standing.has(day)),
        summed: [...standing].filter((day) => summed.has(day)),
        unsummed: [...standing].filter((day) => !summed.has(day)),
      }
      const { total, rows, rowCount } = await queries.sumTimes(trx, asked, page)
      const keys = rows.flatMap(({ key }) => key ?? [])
      const recoveries = byKey(await queries.readRecoveries(trx, asked, keys))
      const acknowledgements = byKey(await queries.readAcknowledgements(trx, asked, keys))
      const names = await nameGroups(trx, input.groupBy, keys)
      return {
        startDay,
        endDay,
        total: timesOf(total, recoveries, acknowledgements),
        rows: rows.flatMap((row) => {
          const named = names.get(row.key ?? '')
          return named
            ? [{ id: named.id, name: named.name, ...timesOf(row, recoveries, acknowledgements) }]
            : []
        }),
        rowCount,
      }
    })
  }

  return {
    readAvailability: async (actor: Actor, input: ParsedInputFor<typeof readAvailability>) =>
      read(await scopeOf(db, actor), input, pageOf(input)),

    /** All groups, as the sheet has them. */
    readWithin: (scope: DataScope, input: ParsedInputFor<typeof exportAvailability>) =>
      read(scope, input, { limit: exportedRows, offset: 0 }),

    /** Refuses 400 for too many rows. */
    async exportAvailability(
      actor: Actor,
      input: ParsedInputFor<typeof exportAvailability>,
    ): Promise<FileReply> {
      const { rows, rowCount, total } = await read(await scopeOf(db, actor), input, {
        limit: exportedRows,
        offset: 0,
      })
      refuseTooManyRows(rowCount)
      return {
        fileName: fileNameAt('可用率', now()),
        body: spreadsheet(availabilitySheet(input.groupBy), async function* () {
          yield availabilityLines({ rows, total })
        }),
      }
    },
  }
}

const byKey = (quantiles: readonly queries.Quantiles[]) => new Map(quantiles.map((one) => [one.key, one]))

const nothing: queries.TimeSums = {
  key: null,
  deviceCount: 0,
  aliveSeconds: 0,
  downSeconds: 0,
  plannedSeconds: 0,
  unknownSeconds: 0,
  failureCount: 0,
}

type QuantilesByKey = ReadonlyMap<string | null, queries.Quantiles>

function timesOf(sums: queries.TimeSums, recoveries: QuantilesByKey, acknowledgements: QuantilesByKey) {
  const { deviceCount, aliveSeconds, downSeconds, plannedSeconds, unknownSeconds, failureCount } = sums
  const known = aliveSeconds - plannedSeconds - unknownSeconds
  const upSeconds = known - downSeconds
  const recovered = recoveries.get(sums.key)
  const acknowledged = acknowledgements.get(sums.key)
  return {
    deviceCount,
    upSeconds,
    downSeconds,
    plannedSeconds,
    unknownSeconds,
    availability: known > 0 ? upSeconds / known : null,
    failureCount,
    daysBetween: failureCount > 0 ? upSeconds / dayS / failureCount : null,
    recoveredCount: recovered?.count ?? 0,
    recoverMedian: recovered?.median ?? null,
    recoverP90: recovered?.p90 ?? null,
    acknowledgedCount: acknowledged?.count ?? 0,
    ackMedian: acknowledged?.median ?? null,
    ackP90: acknowledged?.p90 ?? null,
  }
}
