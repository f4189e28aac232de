// SQL of boards and of the models that they are for.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Person } from '../../domain/access/reaches.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'

export interface BoardFilter {
  ids?: readonly number[] | undefined
  /** Part of the code or of the name. */
  keyword?: string | undefined
  /** Part of the code. */
  pcbCode?: string | undefined
  equipTypeId?: number | undefined
  /** Codes that the part may have. */
  partTypes?: readonly string[] | undefined
}

/** A board as a package is identified by it. */
export interface Board {
  id: number
  pcbCode: string
  pcbName: string
  applyTo: string
  partType: string
  partTypeName: string
  equipTypeId: number
  equipTypeName: string
  /** Of the row. */
  version: number
}

export interface BoardRow extends Board {
  equipModelIds: number[]
  createTime: Date
}

/**
 * The devices that the board `b` is for, in words: its type, and its models where it is not for all of them. A model
 * that was moved to another type keeps its row and does not count; where no other is left, the board is for no device.
 */
export const boardAppliesTo: RawBuilder<string> = sql`(
  SELECT t.name || coalesce('：' || (
    SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
    FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
    WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
  FROM equip_type t WHERE t.id = b.equip_type_id)`

const boardColumns = sql`b.id, b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", ${boardAppliesTo} AS "applyTo",
  b.part_type AS "partType", p.name AS "partTypeName", b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName",
  b.version`
const fromBoards = sql`FROM pcb_board b
  JOIN part_type p ON p.code = b.part_type
  JOIN equip_type t ON t.id = b.equip_type_id`

function matching({ ids, keyword, pcbCode, equipTypeId, partTypes }: BoardFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`b.deleted_at IS NULL`]
  if (ids) parts.push(sql`b.id = ANY(${ids}::int[])`)
  if (keyword !== undefined) {
    const pattern = `%${likeLiteral(keyword)}%`
    parts.push(sql`(b.pcb_code ILIKE ${pattern} OR b.pcb_name ILIKE ${pattern})`)
  }
  if (pcbCode !== undefined) parts.push(sql`b.pcb_code ILIKE ${`%${likeLiteral(pcbCode)}%`}`)
  if (equipTypeId !== undefined) parts.push(sql`b.equip_type_id = ${equipTypeId}`)
  if (partTypes) parts.push(sql`b.part_type = ANY(${partTypes}::text[])`)
  return sql.join(parts, sql` AND `)
}

/** A page, newest first. */
export async function listBoards(db: Db, filter: BoardFilter, page: Page): Promise<BoardRow[]> {
  const { rows } = await sql<BoardRow>`
    SELECT ${boardColumns},
      ARRAY(SELECT equip_model_id FROM pcb_board_model WHERE pcb_board_id = b.id ORDER BY 1) AS "equipModelIds",
      b.created_at AS "createTime"
    ${fromBoards}
    WHERE ${matching(filter)}
    ORDER BY b.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export async function countBoards(db: Db, filter: BoardFilter): Promise<number> {
  return countRows(db, sql`FROM pcb_board b WHERE ${matching(filter)}`)
}

export interface Place {
  equipTypeName: string
  /** Null where there is no such part type. */
  partTypeName: string | null
  /** Names of the models that are of the type, in the order of their codes. */
  modelNames: string[]
}

/**
 * The type, models and part of a board; undefined where there is no such type. The rows found are locked against
 * deletion, and the models against a change of their type, until the transaction ends.
 */
export async function lockPlace(
  trx: Trx,
  { equipTypeId, partType, modelIds }: { equipTypeId: number; partType: string; modelIds: readonly number[] },
): Promise<Place | undefined> {
  const type = await trx
    .selectFrom('equip_type')
    .select('name')
    .where('id', '=', equipTypeId)
    .forKeyShare()
    .executeTakeFirst()
  if (!type) return undefined
  const part = await trx
    .selectFrom('part_type')
    .select('name')
    .where('code', '=', partType)
    .forKeyShare()
    .executeTakeFirst()
  const { rows: models } = await sql<{ name: string }>`
    SELECT name FROM equip_model WHERE id = ANY(${modelIds}::int[]) AND equip_type_id = ${equipTypeId}
    ORDER BY code FOR SHARE`.execute(trx)
  return {
    equipTypeName: type.name,
    partTypeName: part?.name ?? null,
    modelNames: models.map(({ name }) => name),
  }
}

export interface BoardValues {
  pcbCode: string
  pcbName: string
  partType: string
  equipTypeId: number
  modelIds: readonly number[]
}

/** Returns the new id. */
export async function insertBoard(trx: Trx, values: BoardValues): Promise<number> {
  const { pcbCode: pcb_code, pcbName: pcb_name, partType: part_type, equipTypeId: equip_type_id } = values
  const { id } = await trx
    .insertInto('pcb_board')
    .values({ pcb_code, pcb_name, part_type, equip_type_id })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setModels(trx, id, values.modelIds)
  return id
}

export async function updateBoard(trx: Trx, id: number, values: BoardValues): Promise<void> {
  const { pcbCode: pcb_code, pcbName: pcb_name, partType: part_type, equipTypeId: equip_type_id } = values
  await trx
    .updateTable('pcb_board')
    .set((eb) => ({ pcb_code, pcb_name, part_type, equip_type_id, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
  await setModels(trx, id, values.modelIds)
}

async function setModels(trx: Trx, boardId: number, modelIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('pcb_board_model').where('pcb_board_id', '=', boardId).execute()
  await sql`
    INSERT INTO pcb_board_model (pcb_board_id, equip_model_id)
    SELECT ${boardId}, unnest(${modelIds}::int[])`.execute(trx)
}

/** A board as the operation log shows it. */
export interface LockedBoard {
  id: number
  version: number
  pcbCode: string
  pcbName: string
  partType: string
  equipTypeId: number
  equipTypeName: string
  modelIds: number[]
  equipModels: string[]
}

export async function lockBoard(trx: Trx, id: number): Promise<LockedBoard | undefined> {
  const { rows } = await sql<LockedBoard>`
    SELECT b.id, b.version, b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.part_type AS "partType",
      b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName",
      ARRAY(SELECT equip_model_id FROM pcb_board_model WHERE pcb_board_id = b.id) AS "modelIds",
      ARRAY(
        SELECT m.name FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
        WHERE bm.pcb_board_id = b.id ORDER BY m.code
      ) AS "equipModels"
    FROM pcb_board b JOIN equip_type t ON t.id = b.equip_type_id
    WHERE b.id = ${id} AND b.deleted_at IS NULL
    FOR UPDATE OF b`.execute(trx)
  return rows[0]
}

export async function hasPackages(trx: Trx, boardId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM software_package WHERE pcb_board_id = ${boardId} AND deleted_at IS NULL LIMIT 1`.execute(trx)
  return rows.length > 0
}

/** Who made the board's packages and supplied their files. */
export async function listPeople(trx: Trx, boardId: number): Promise<Person[]> {
  const { rows } = await sql<Person>`
    SELECT created_by AS "userId", created_by_name AS name, created_reach AS reach FROM software_package
    WHERE pcb_board_id = ${boardId} AND deleted_at IS NULL
    UNION
    SELECT file_by, file_by_name, file_reach FROM software_package
    WHERE pcb_board_id = ${boardId} AND deleted_at IS NULL`.execute(trx)
  return rows
}

/** The row stays, marked, where a deleted package refers to it. */
export async function deleteBoard(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('pcb_board_model').where('pcb_board_id', '=', id).execute()
  const { numDeletedRows } = await trx
    .deleteFrom('pcb_board as b')
    .where('b.id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('software_package as k').select('k.id').whereRef('k.pcb_board_id', '=', 'b.id'))),
    )
    .executeTakeFirst()
  if (numDeletedRows > 0) return
  await sql`UPDATE pcb_board SET deleted_at = now() WHERE id = ${id}`.execute(trx)
}

/** The boards that have one of these codes. Until the transaction ends they can be neither changed nor deleted. */
export async function lockBoardsByCode(trx: Trx, codes: readonly string[]): Promise<Board[]> {
  const { rows } = await sql<Board>`
    SELECT ${boardColumns} ${fromBoards}
    WHERE b.pcb_code = ANY(${codes}::text[]) AND b.deleted_at IS NULL
    ORDER BY b.id FOR SHARE OF b`.execute(trx)
  return rows
}
