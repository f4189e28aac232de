// SQL of dictionary entries and of the definitions of alarms.
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import { countRows } from '../../platform/database/paging.ts'

export interface DefinitionRow {
  bitPosition: number
  equipClassify: string
  name: string
}

export interface EntryRow {
  id: number
  code: string
  name: string
  type: string
  note: string | null
  /** Only of an EVENT entry. */
  unit: string | null
  alarmLevel: number | null
  analysisType: 'BIT' | 'VALUE' | null
  /** Of fire, heat or smoke: only of an ALARM entry. */
  isFire: boolean
  /** Only of an ALARM entry. */
  definitions: DefinitionRow[] | null
  version: number
}

/** The columns of an entry that are written; its definitions are written separately. */
export type EntryValues = Pick<
  EntryRow,
  'code' | 'name' | 'type' | 'note' | 'unit' | 'alarmLevel' | 'analysisType' | 'isFire'
>

export interface EntryFilter {
  type?: string | undefined
  /** Part of the code, of the name: letters of either case. */
  code?: string | undefined
  name?: string | undefined
  id?: number | undefined
}

const columns = sql`
  e.id, e.code, e.name, e.type, e.note, e.unit, e.alarm_level AS "alarmLevel", e.analysis_type AS "analysisType",
  e.is_fire AS "isFire", e.version,
  CASE WHEN e.type = 'ALARM' THEN (
    SELECT coalesce(
      json_agg(
        json_build_object('bitPosition', d.bit_position, 'equipClassify', d.equip_classify, 'name', d.name)
        ORDER BY d.equip_classify, d.bit_position),
      '[]'::json)
    FROM semaphore_definition d WHERE d.entry_id = e.id
  ) END AS definitions`

/** The entries of the types given, or of all; in the order in which they are offered. */
export async function listEntriesOfTypes(db: Db, types: readonly string[] | null): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT ${columns} FROM dictionary_entry e
    WHERE ${types}::text[] IS NULL OR e.type = ANY(${types}::text[])
    ORDER BY e.type, e.order_num, e.id`.execute(db)
  return rows
}

export async function listEntries(
  db: Db,
  filter: EntryFilter,
  page: { limit: number; offset: number },
): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT ${columns} FROM dictionary_entry e WHERE ${matches(filter)}
    ORDER BY e.type, e.order_num, e.id
    LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export async function countEntries(db: Db, filter: EntryFilter): Promise<number> {
  return countRows(db, sql`FROM dictionary_entry e WHERE ${matches(filter)}`)
}

/** The note of the type's entry that was written last; undefined where none has one. */
export async function findNewestNote(db: Db, type: string): Promise<string | undefined> {
  const { rows } = await sql<{ note: string }>`
    SELECT note FROM dictionary_entry WHERE type = ${type} AND note <> ''
    ORDER BY updated_at DESC, id DESC LIMIT 1`.execute(db)
  return rows[0]?.note
}

const matches = ({ type, code, name, id }: EntryFilter) => sql`
  (${id ?? null}::int4 IS NULL OR e.id = ${id ?? null}) AND
  (${type ?? null}::text IS NULL OR e.type = ${type ?? null})
  AND (${code ?? null}::text IS NULL OR strpos(lower(e.code), lower(${code ?? null})) > 0)
  AND (${name ?? null}::text IS NULL OR strpos(lower(e.name), lower(${name ?? null})) > 0)`

/** How many entries each type has. */
export async function countByType(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ type: string; count: number }>`
    SELECT type, count(*)::int4 AS count FROM dictionary_entry GROUP BY type`.execute(db)
  return new Map(rows.map(({ type, count }) => [type, count]))
}

/** Reads an entry and locks it against changes until the transaction ends. */
export async function lockEntry(trx: Trx, id: number): Promise<EntryRow | undefined> {
  // A statement of its own for the lock: the next one then reads the definitions as an earlier writer left them.
  await sql`SELECT FROM dictionary_entry WHERE id = ${id} FOR UPDATE`.execute(trx)
  const { rows } = await sql<EntryRow>`
    SELECT ${columns} FROM dictionary_entry e WHERE e.id = ${id}`.execute(trx)
  return rows[0]
}

/** Last of its type. Returns the new id; undefined where the type has the code already. */
export async function insertEntry(trx: Trx, values: EntryValues): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO dictionary_entry (type, code, name, note, unit, alarm_level, analysis_type, is_fire, order_num)
    VALUES (${values.type}, ${values.code}, ${values.name}, ${values.note}, ${values.unit}, ${values.alarmLevel},
      ${values.analysisType}, ${values.isFire},
      (SELECT coalesce(max(order_num), 0) + 1 FROM dictionary_entry WHERE type = ${values.type}))
    ON CONFLICT (type, code) DO NOTHING
    RETURNING id`.execute(trx)
  return rows[0]?.id
}

export async function updateEntry(trx: Trx, id: number, values: EntryValues): Promise<void> {
  await trx
    .updateTable('dictionary_entry')
    .set((eb) => ({
      type: values.type,
      code: values.code,
      name: values.name,
      note: values.note,
      unit: values.unit,
      alarm_level: values.alarmLevel,
      analysis_type: values.analysisType,
      is_fire: values.isFire,
      updated_at: new Date(),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** Its definitions are deleted by cascade. */
export async function deleteEntry(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('dictionary_entry').where('id', '=', id).execute()
}

/** Replaces the definitions of an entry. */
export async function replaceDefinitions(
  trx: Trx,
  entryId: number,
  definitions: readonly DefinitionRow[],
): Promise<void> {
  await trx.deleteFrom('semaphore_definition').where('entry_id', '=', entryId).execute()
  if (definitions.length === 0) return
  await trx
    .insertInto('semaphore_definition')
    .values(
      definitions.map(({ bitPosition, equipClassify, name }) => ({
        entry_id: entryId,
        equip_classify: equipClassify,
        bit_position: bitPosition,
        name,
      })),
    )
    .execute()
}

/** Which of these codes the type has. None of them is renamed or deleted before the transaction ends. */
export async function lockCodesShared(
  trx: Trx,
  type: string,
  codes: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ code: string }>`
    SELECT code FROM dictionary_entry WHERE type = ${type} AND code = ANY(${codes}::text[])
    ORDER BY id FOR KEY SHARE`.execute(trx)
  return new Set(rows.map(({ code }) => code))
}

// The reasons that forbid the deletion of an entry.

export async function isClassifyUsed(trx: Trx, code: string): Promise<boolean> {
  return exists(
    trx,
    sql`SELECT FROM equip_type WHERE classify = ${code}
      UNION ALL SELECT FROM semaphore_definition WHERE equip_classify = ${code}`,
  )
}

export async function isUserTypeUsed(trx: Trx, code: string): Promise<boolean> {
  return exists(trx, sql`SELECT FROM app_user WHERE user_type = ${code}`)
}

export async function isTypeUsed(trx: Trx, type: string): Promise<boolean> {
  return exists(trx, sql`SELECT FROM dictionary_entry WHERE type = ${type}`)
}

export async function isAlarmActive(trx: Trx, code: string): Promise<boolean> {
  return exists(trx, sql`SELECT FROM alarm_state WHERE is_active AND semaphore_code = ${code}`)
}

async function exists(trx: Trx, rows: ReturnType<typeof sql>): Promise<boolean> {
  const { rows: found } = await sql<{ isThere: boolean }>`SELECT EXISTS (${rows}) AS "isThere"`.execute(trx)
  return found[0]?.isThere ?? false
}
