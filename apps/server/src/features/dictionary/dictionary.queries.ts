import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

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
  alarmLevel: number | null
  analysisType: 'BIT' | 'VALUE' | null
  /** Only of an ALARM entry. */
  definitions: DefinitionRow[] | null
}

export interface EntryFilter {
  type?: string | undefined
  /** Part of the code, of the name: letters of either case. */
  code?: string | undefined
  name?: string | undefined
}

const columns = sql`
  e.id, e.code, e.name, e.type, e.note, e.alarm_level AS "alarmLevel", e.analysis_type AS "analysisType",
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
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int4 AS count FROM dictionary_entry e WHERE ${matches(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The note of the type's entry that was written last; undefined where none has one. */
export async function findNewestNote(db: Db, type: string): Promise<string | undefined> {
  const { rows } = await sql<{ note: string }>`
    SELECT note FROM dictionary_entry WHERE type = ${type} AND note <> ''
    ORDER BY updated_at DESC, id DESC LIMIT 1`.execute(db)
  return rows[0]?.note
}

const matches = ({ type, code, name }: EntryFilter) => sql`
  (${type ?? null}::text IS NULL OR e.type = ${type ?? null})
  AND (${code ?? null}::text IS NULL OR strpos(lower(e.code), lower(${code ?? null})) > 0)
  AND (${name ?? null}::text IS NULL OR strpos(lower(e.name), lower(${name ?? null})) > 0)`
