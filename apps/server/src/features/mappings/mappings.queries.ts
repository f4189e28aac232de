// SQL of mappings: what users see and change, and what is on.
import type { DeviceProtocol, MappingDocument } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { isObserved } from '../../domain/device-work/observed.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

export interface MappingFilter {
  keyword?: string | undefined
  id?: number | undefined
}

export interface ListedMapping {
  id: number
  name: string
  models: { id: number; name: string; equipTypeName: string }[]
  isEnabled: boolean
  topic: string
  ruleCount: number
  commandCount: number
  activeNo: number | null
  isChanged: boolean
  deviceCount: number
  updateTime: Date
  updateBy: string | null
  version: number
}

function matching({ keyword, id }: MappingFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`true`]
  if (id !== undefined) parts.push(sql`p.id = ${id}`)
  if (keyword !== undefined) {
    const pattern = `%${likeLiteral(keyword)}%`
    parts.push(sql`(p.name ILIKE ${pattern} OR EXISTS (
      SELECT FROM mapping_model mm JOIN equip_model m ON m.id = mm.model_id
      WHERE mm.mapping_id = p.id AND m.name ILIKE ${pattern}))`)
  }
  return sql.join(parts, sql` AND `)
}

/** By name; the devices that are counted are those of the scope. */
export async function listMappings(
  db: Db,
  scope: DataScope,
  filter: MappingFilter,
  page: Page,
): Promise<ListedMapping[]> {
  const { rows } = await sql<ListedMapping>`
    SELECT p.id, p.name, p.is_enabled AS "isEnabled", p.draft ->> 'topic' AS topic,
      jsonb_array_length(p.draft -> 'rules') AS "ruleCount",
      jsonb_array_length(p.draft -> 'commands') AS "commandCount",
      v.no AS "activeNo", v.document IS DISTINCT FROM p.draft AS "isChanged",
      p.updated_at AS "updateTime", p.updated_by_name AS "updateBy", p.version,
      coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'equipTypeName', t.name) ORDER BY t.id, m.id)
        FROM mapping_model mm
        JOIN equip_model m ON m.id = mm.model_id
        JOIN equip_type t ON t.id = m.equip_type_id
        WHERE mm.mapping_id = p.id
      ), '[]') AS models,
      (
        SELECT count(*)::int FROM mapping_model mm JOIN device d ON d.model_id = mm.model_id
        WHERE mm.mapping_id = p.id AND ${deviceWithinScope(scope)}
      ) AS "deviceCount"
    FROM mapping p
    LEFT JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active
    WHERE ${matching(filter)}
    ORDER BY p.name, p.id LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export const countMappings = (db: Db, filter: MappingFilter): Promise<number> =>
  countRows(db, sql`FROM mapping p WHERE ${matching(filter)}`)

export interface MappingEntry {
  id: number
  name: string
  draft: MappingDocument
  isEnabled: boolean
  modelIds: number[]
  modelNames: string[]
  activeNo: number | null
  version: number
}

async function findEntry(db: Db, id: number, lock: RawBuilder<unknown>): Promise<MappingEntry | undefined> {
  const { rows } = await sql<MappingEntry>`
    SELECT p.id, p.name, p.draft, p.is_enabled AS "isEnabled", p.version,
      ARRAY(SELECT model_id FROM mapping_model WHERE mapping_id = p.id ORDER BY model_id) AS "modelIds",
      ARRAY(
        SELECT m.name FROM mapping_model mm JOIN equip_model m ON m.id = mm.model_id
        WHERE mm.mapping_id = p.id ORDER BY m.id
      ) AS "modelNames",
      (SELECT no FROM mapping_version WHERE mapping_id = p.id AND is_active) AS "activeNo"
    FROM mapping p WHERE p.id = ${id} ${lock}`.execute(db)
  return rows[0]
}

export const findMapping = (db: Db, id: number) => findEntry(db, id, sql``)
export const lockMapping = (trx: Trx, id: number) => findEntry(trx, id, sql`FOR UPDATE OF p`)

/** The names of models, by id; the foreign key keeps them from being deleted before the transaction ends. */
export async function findModelNames(trx: Trx, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT id, name FROM equip_model WHERE id = ANY(${ids}::int[]) ORDER BY id`.execute(trx)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const written = plainQueries('mapping')

export interface MappingValues {
  name: string
  draft: MappingDocument
  isEnabled: boolean
  updatedByName: string
}

const columnsOf = ({ name, draft, isEnabled, updatedByName }: MappingValues) => ({
  name,
  draft: JSON.stringify(draft),
  is_enabled: isEnabled,
  updated_by_name: updatedByName,
  updated_at: new Date(),
})

/** How many there are; whoever adds one next waits for this transaction. */
export async function lockCount(trx: Trx): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('mapping made', 0))`.execute(trx)
  return countRows(trx, sql`FROM mapping`)
}

/** A name that there is already violates `mapping_name_taken`. */
export const insertMapping = (trx: Trx, values: MappingValues) => written.insert(trx, columnsOf(values))
export const updateMapping = (trx: Trx, id: number, values: MappingValues) =>
  written.update(trx, id, columnsOf(values))
/** It has changed, though no column of its own has. */
export const touchMapping = (trx: Trx, id: number, updatedByName: string) =>
  written.update(trx, id, { updated_by_name: updatedByName, updated_at: new Date() })
export const deleteMapping = written.delete

/** A model that another mapping has violates `mapping_model_taken`. */
export async function setModels(trx: Trx, id: number, modelIds: readonly number[]): Promise<void> {
  await sql`
    DELETE FROM mapping_model WHERE mapping_id = ${id} AND model_id <> ALL(${modelIds}::int[])`.execute(trx)
  await sql`
    INSERT INTO mapping_model (model_id, mapping_id)
    SELECT m, ${id}::int FROM unnest(${modelIds}::int[]) AS m
    WHERE NOT EXISTS (SELECT FROM mapping_model WHERE model_id = m AND mapping_id = ${id}::int)`.execute(trx)
}

export interface VersionRow {
  no: number
  note: string | null
  createBy: string
  createTime: Date
}

export async function listVersions(db: Db, id: number): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    SELECT no, note, created_by_name AS "createBy", created_at AS "createTime"
    FROM mapping_version WHERE mapping_id = ${id} ORDER BY no DESC`.execute(db)
  return rows
}

export async function findDocument(db: Db, id: number, no: number): Promise<MappingDocument | undefined> {
  const { rows } = await sql<{ document: MappingDocument }>`
    SELECT document FROM mapping_version WHERE mapping_id = ${id} AND no = ${no}`.execute(db)
  return rows[0]?.document
}

/** The document becomes a version, and is on. Returns its number. */
export async function insertVersion(
  trx: Trx,
  id: number,
  values: { document: MappingDocument; note: string | null; createdByName: string },
): Promise<number> {
  await switchOff(trx, id)
  const { rows } = await sql<{ no: number }>`
    INSERT INTO mapping_version (mapping_id, no, document, note, is_active, created_by_name)
    SELECT ${id}::int, coalesce(max(no), 0) + 1, ${JSON.stringify(values.document)}::jsonb, ${values.note}::text, true,
      ${values.createdByName}::text
    FROM mapping_version WHERE mapping_id = ${id} RETURNING no`.execute(trx)
  return rows[0]?.no ?? 0
}

export async function switchOn(trx: Trx, id: number, no: number): Promise<void> {
  await switchOff(trx, id)
  await sql`UPDATE mapping_version SET is_active = true WHERE mapping_id = ${id} AND no = ${no}`.execute(trx)
}

const switchOff = (trx: Trx, id: number) =>
  sql`UPDATE mapping_version SET is_active = false WHERE mapping_id = ${id} AND is_active`.execute(trx)

/** Keeps the newest versions and the one that is on. */
export async function trimVersions(trx: Trx, id: number, keep: number): Promise<void> {
  await sql`
    DELETE FROM mapping_version WHERE mapping_id = ${id} AND NOT is_active
      AND no <= (SELECT max(no) FROM mapping_version WHERE mapping_id = ${id}) - ${keep}::int`.execute(trx)
}

export interface KnownRow {
  modelId: number
  mappingId: number
  name: string
  no: number | null
  /** Null: it is off, or no version is on. */
  document: MappingDocument | null
}

/** Every model that has a mapping, with what is on. */
export async function listKnown(db: Db): Promise<KnownRow[]> {
  const { rows } = await sql<KnownRow>`
    SELECT mm.model_id AS "modelId", p.id AS "mappingId", p.name, v.no, v.document
    FROM mapping_model mm
    JOIN mapping p ON p.id = mm.mapping_id
    LEFT JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active AND p.is_enabled
    ORDER BY mm.mapping_id, mm.model_id`.execute(db)
  return rows
}

/** The topics of each mapping that is on; whoever switches one on next waits for this transaction. */
export async function lockTopics(trx: Trx): Promise<{ id: number; name: string; topics: string[] }[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('mapping switched on', 0))`.execute(trx)
  const { rows } = await sql<{ id: number; name: string; topics: string[] }>`
    SELECT p.id, p.name, ARRAY(
      SELECT DISTINCT coalesce(r.rule ->> 'topic', v.document ->> 'topic')
      FROM jsonb_array_elements(
        CASE v.document -> 'rules' WHEN '[]' THEN '[{}]' ELSE v.document -> 'rules' END) AS r(rule)
      ORDER BY 1) AS topics
    FROM mapping p JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active
    WHERE p.is_enabled ORDER BY p.id`.execute(trx)
  return rows
}

interface Spoken {
  protocol: DeviceProtocol
  isObserved: boolean
  /** Of its model; `no`: the version that is in use, null where none is. */
  mapping: { id: number; name: string; no: number | null } | null
}

/** How a device comes, and the mapping of its model. */
export async function findOfDevice(db: Db, deviceId: number): Promise<Spoken | undefined> {
  const { rows } = await sql<Spoken>`
    SELECT d.protocol, ${isObserved(sql`d.id`)} AS "isObserved",
      CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('id', p.id, 'name', p.name, 'no', v.no) END AS mapping
    FROM device d
    LEFT JOIN mapping_model mm ON mm.model_id = d.model_id
    LEFT JOIN mapping p ON p.id = mm.mapping_id
    LEFT JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active AND p.is_enabled
    WHERE d.id = ${deviceId}`.execute(db)
  return rows[0]
}
