// Which sums of alarms by ten minutes are kept, and which of them answer a report.
import { type RawBuilder, sql } from 'kysely'
import type { GroupedBy, PlaceFilter } from '../../../domain/history/index.ts'

/**
 * What a sum fixes: o = operator, m = model, r = the region that devices are in, c = code. Of places and codes there would
 * be about as many sums as alarms, so that a code is kept by one of the three alone.
 */
const kinds = ['o', 'm', 'r', 'c', 'omr', 'oc', 'mc', 'rc'] as const
export type WindowKind = (typeof kinds)[number]

const columns = { o: 'operator_id', m: 'model_id', r: 'region_id', c: 'semaphore_code' } as const
const letters = { operator: 'o', model: 'm', region: 'r', code: 'c' } as const

/** The kind that tells these groups apart within these places; null: the alarms themselves have to be read. */
export function windowKindFor(by: GroupedBy, places: PlaceFilter): WindowKind | null {
  if (by === 'device' || places.deviceIds) return null
  const fixed = new Set<string>([letters[by]])
  if (places.operatorIds) fixed.add('o')
  if (places.modelIds) fixed.add('m')
  if (places.regionIds) fixed.add('r')
  const wanted = [...'omrc'].filter((letter) => fixed.has(letter)).join('')
  return kinds.find((kind) => kind === wanted) ?? (by === 'code' ? null : 'omr')
}

/**
 * A relation of alarms by day, place, code and ten minutes (`day`, the columns, `at`, `n`) as cells of every kind.
 */
export const windowCells = (relation: RawBuilder<unknown>) =>
  sql.join(
    kinds.map((kind) => {
      const own = Object.entries(columns).map(([letter, column]) => ({
        column: sql.ref(column),
        isFixed: kind.includes(letter),
        none: letter === 'c' ? sql.lit('') : sql.lit(0),
      }))
      const fixed = own.filter(({ isFixed }) => isFixed).map(({ column }) => column)
      return sql`
        SELECT ${sql.lit(kind)} AS kind, day, ${sql.join(
          own.map(({ column, isFixed, none }) => (isFixed ? column : sql`${none} AS ${column}`)),
        )}, at, sum(n)::int AS n
        FROM ${relation} AS c GROUP BY day, at, ${sql.join(fixed)}`
    }),
    sql` UNION ALL `,
  )

export const cellKey = sql`kind, day, operator_id, model_id, region_id, semaphore_code`

const byte = (value: RawBuilder<unknown>) => sql`lpad(to_hex(${value}), 2, '0')`

/** The bytes of all ten minutes (`at`, `n`) of a key. */
export const packedWindows = sql`
  coalesce(string_agg(decode(
    repeat(${byte(sql`at`)} || 'ff', n / 255)
      || CASE WHEN n % 255 > 0 THEN ${byte(sql`at`)} || ${byte(sql`n % 255`)} ELSE '' END,
    'hex'), ''::bytea ORDER BY at) FILTER (WHERE n > 0), ''::bytea)`

/** Adds packed windows to those of a range; `first` is the number of their day's first ten minutes there. */
export function addWindows(counts: Int32Array, first: number, windows: Uint8Array): void {
  for (let index = 0; index < windows.length; index += 2) {
    const at = first + (windows[index] as number)
    counts[at] = (counts[at] ?? 0) + (windows[index + 1] as number)
  }
}
