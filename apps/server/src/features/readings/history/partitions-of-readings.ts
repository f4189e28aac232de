// The partitions of the history of readings: which there have to be, and which are over.
import type pg from 'pg'
import { dropPieces, makePieces, type PartitionedTable, type Piece } from '../../../domain/history/index.ts'
import { dayOf, startOfDay, startOfMonth } from '../../../platform/process/clock.ts'

/** How long each kind is kept. */
export interface ReadingRetention {
  rawDays: number
  hourDays: number
  dayYears: number
}

const hourMs = 3_600_000
const dayMs = 86_400_000
/** A process with the role jobs may be away for so long before one that takes reports has to ask. */
const hoursAhead = 26
const daysAhead = 2

const insertOnly = 'autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0.1'
const open: PartitionedTable = {
  name: 'reading_open',
  by: 'hour',
  key: 'moment',
  storage: 'fillfactor = 100',
}
const hours: PartitionedTable = { name: 'reading_hour', by: 'day', key: 'hours', storage: insertOnly }
const days: PartitionedTable = { name: 'reading_day', by: 'month', key: 'date', storage: insertOnly }
const months: PartitionedTable = { name: 'reading_month', by: 'year', key: 'date', storage: insertOnly }

const utc = (at: number, digits: number) => new Date(at).toISOString().slice(0, digits).replaceAll(/\D/g, '_')

function ofLength(table: PartitionedTable, lengthMs: number, fromMs: number, toMs: number): Piece[] {
  const pieces: Piece[] = []
  for (let at = Math.floor(fromMs / lengthMs) * lengthMs; at <= toMs; at += lengthMs) {
    const tag = utc(at, table.by === 'hour' ? 13 : 10)
    pieces.push({ name: `${table.name}_${tag}`, from: new Date(at), to: new Date(at + lengthMs) })
  }
  return pieces
}

function piecesAt(now: Date, { rawDays }: ReadingRetention): { table: PartitionedTable; pieces: Piece[] }[] {
  const nowMs = now.getTime()
  const oldestMs = nowMs - (rawDays + 1) * dayMs
  const monthPieces: Piece[] = []
  const last = startOfMonth(now, 1)
  for (let from = startOfMonth(new Date(oldestMs)); from <= last; from = startOfMonth(from, 1)) {
    const tag = dayOf(from).slice(0, 7).replace('-', '_')
    monthPieces.push({ name: `${days.name}_${tag}`, from, to: startOfMonth(from, 1) })
  }
  const yearPieces: Piece[] = []
  for (let year = startOfMonth(new Date(oldestMs)).getFullYear(); year <= last.getFullYear(); year += 1) {
    yearPieces.push({
      name: `${months.name}_${year}`,
      from: new Date(year, 0, 1),
      to: new Date(year + 1, 0, 1),
    })
  }
  return [
    { table: open, pieces: ofLength(open, hourMs, nowMs - hourMs, nowMs + hoursAhead * hourMs) },
    { table: hours, pieces: ofLength(hours, dayMs, oldestMs, nowMs + daysAhead * dayMs) },
    { table: days, pieces: monthPieces },
    { table: months, pieces: yearPieces },
  ]
}

/** The earliest time whose reports are kept. */
export const oldestKept = (now: Date, { rawDays }: ReadingRetention): Date =>
  new Date(now.getTime() - rawDays * dayMs)

/** Makes the partitions that are missing around the given moments. Returns their names. */
export const makeReadingPartitions = (
  owner: pg.Pool,
  { at, retention }: { at: readonly Date[]; retention: ReadingRetention },
): Promise<string[]> =>
  makePieces(
    owner,
    at.flatMap((now) => piecesAt(now, retention)),
  )

const earlier = (a: Date, b: Date | null) => (b === null || b < a ? b : a)

/** Up to where values are dropped. Whole days: a late report that is still kept makes its day anew, of all its hours. */
export const oldestHours = (now: Date, retention: ReadingRetention, addedUpTo: Date | null): Date | null =>
  earlier(startOfDay(oldestKept(now, retention)), addedUpTo)

/**
 * Drops what is over. `sealedTo`, `addedUpTo` and `monthsTo`: up to there the next kind has everything, so nothing is
 * dropped of which something is still to be made. Returns the names.
 */
export async function dropReadingPartitions(
  owner: pg.Pool,
  {
    now,
    retention,
    sealedTo,
    addedUpTo,
    monthsTo,
  }: {
    now: Date
    retention: ReadingRetention
    sealedTo: Date | null
    addedUpTo: Date | null
    monthsTo: Date | null
  },
): Promise<string[]> {
  const { hourDays, dayYears } = retention
  const oldest: [PartitionedTable, Date | null][] = [
    [open, sealedTo],
    [hours, oldestHours(now, retention, addedUpTo)],
    [days, earlier(startOfDay(now, -hourDays), monthsTo)],
    [months, new Date(now.getFullYear() - dayYears, now.getMonth(), now.getDate())],
  ]
  return await dropPieces(
    owner,
    oldest.flatMap(([table, by]) => (by ? [{ table, oldest: by }] : [])),
  )
}
