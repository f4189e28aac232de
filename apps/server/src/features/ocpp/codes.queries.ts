// SQL of the table of error codes.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

export interface CodeFilter {
  keyword?: string | undefined
  id?: number | undefined
}

function matching({ keyword, id }: CodeFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`true`]
  if (id !== undefined) parts.push(sql`c.id = ${id}`)
  if (keyword !== undefined) {
    const pattern = `%${likeLiteral(keyword)}%`
    parts.push(sql`(c.vendor ILIKE ${pattern} OR c.code ILIKE ${pattern} OR c.note ILIKE ${pattern})`)
  }
  return sql.join(parts, sql` AND `)
}

export interface CodeEntry {
  id: number
  vendor: string
  code: string
  semaphoreCode: string
  alarmValue: number | null
  note: string | null
  version: number
}

export interface CodeRow extends CodeEntry {
  semaphoreName: string | null
  alarmLevel: number | null
  updateBy: string | null
  updateTime: Date
}

/** A page: those of vendors first. */
export async function listCodes(db: Db, filter: CodeFilter, page: Page): Promise<CodeRow[]> {
  const { rows } = await sql<CodeRow>`
    SELECT c.id, c.vendor, c.code, c.semaphore_code AS "semaphoreCode", e.name AS "semaphoreName",
      e.alarm_level AS "alarmLevel", c.alarm_value::float8 AS "alarmValue", c.note, c.updated_by_name AS "updateBy",
      c.updated_at AS "updateTime", c.version
    FROM ocpp_error_code c
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = c.semaphore_code
    WHERE ${matching(filter)}
    ORDER BY c.vendor = '', c.vendor, c.code LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export const countCodes = (db: Db, filter: CodeFilter): Promise<number> =>
  countRows(db, sql`FROM ocpp_error_code c WHERE ${matching(filter)}`)

export interface UnknownRow {
  vendor: string
  code: string
  info: string | null
  semaphoreCode: string
  count: number
  firstTime: Date
  lastTime: Date
}

/** What devices of the scope have said of codes without a row of their own, and nothing of any other device. */
const unexplained = (scope: DataScope) => sql`
  FROM ocpp_unknown_code u JOIN device d ON d.id = u.device_id
  WHERE ${deviceWithinScope(scope)} AND NOT EXISTS (
    SELECT FROM ocpp_error_code c WHERE c.code = u.code AND c.vendor IN (u.vendor, ''))`

export async function listUnknown(db: Db, scope: DataScope, page: Page): Promise<UnknownRow[]> {
  const { rows } = await sql<UnknownRow>`
    SELECT u.vendor, u.code,
      (array_agg(u.info ORDER BY u.last_at DESC) FILTER (WHERE u.info IS NOT NULL))[1] AS info,
      (array_agg(u.semaphore_code ORDER BY u.last_at DESC))[1] AS "semaphoreCode",
      sum(u.count)::float8 AS count, min(u.first_at) AS "firstTime", max(u.last_at) AS "lastTime"
    ${unexplained(scope)}
    GROUP BY u.vendor, u.code
    ORDER BY max(u.last_at) DESC, u.vendor, u.code LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export const countUnknown = (db: Db, scope: DataScope): Promise<number> =>
  countRows(db, sql`FROM (SELECT DISTINCT u.vendor, u.code ${unexplained(scope)}) AS said`)

export async function isAlarm(trx: Trx, code: string): Promise<boolean> {
  const row = await trx
    .selectFrom('dictionary_entry')
    .select('id')
    .where('type', '=', 'ALARM')
    .where('code', '=', code)
    .executeTakeFirst()
  return row !== undefined
}

const codes = plainQueries('ocpp_error_code')

type Values = Omit<CodeEntry, 'id' | 'version'> & { updatedByName: string }
const rowOf = ({ vendor, code, semaphoreCode, alarmValue, note, updatedByName }: Values) => ({
  vendor,
  code,
  semaphore_code: semaphoreCode,
  alarm_value: alarmValue,
  note,
  updated_by_name: updatedByName,
})

export const insertCode = (trx: Trx, values: Values) => codes.insert(trx, rowOf(values))
export const updateCode = (trx: Trx, id: number, values: Values) =>
  codes.update(trx, id, { ...rowOf(values), updated_at: new Date() })
export const deleteCode = codes.delete

export async function lockCode(trx: Trx, id: number): Promise<CodeEntry | undefined> {
  const { rows } = await sql<CodeEntry>`
    SELECT id, vendor, code, semaphore_code AS "semaphoreCode", alarm_value::float8 AS "alarmValue", note, version
    FROM ocpp_error_code WHERE id = ${id} FOR UPDATE`.execute(trx)
  return rows[0]
}
