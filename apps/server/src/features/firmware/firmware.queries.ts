// SQL of packages.
import type { PackageRemark } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { decidedIn } from '../../domain/access/granted.ts'
import type { KeptReach } from '../../domain/access/reaches.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { packageVersionText } from './matching.queries.ts'
import { type PackageRecord, packageColumns, packagesFrom } from './package-columns.ts'

export interface PackageFilter {
  ids?: readonly number[] | undefined
  equipTypeId?: number | undefined
  /** Codes that the part may have. */
  partTypes?: readonly string[] | undefined
  /** The beginning of the version. */
  version?: string | undefined
  /** Part of the board's code. */
  pcbCode?: string | undefined
  isRelease?: boolean | undefined
  isAutoUpgrade?: boolean | undefined
}

/** The packages `k` of boards `b` that a filter asks for. */
function matching(filter: PackageFilter): RawBuilder<SqlBool> {
  const { ids, equipTypeId, partTypes, version, pcbCode, isRelease, isAutoUpgrade } = filter
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`k.deleted_at IS NULL`]
  if (ids) parts.push(sql`k.id = ANY(${ids}::int[])`)
  if (equipTypeId !== undefined) parts.push(sql`b.equip_type_id = ${equipTypeId}`)
  if (partTypes) parts.push(sql`k.part_type = ANY(${partTypes}::text[])`)
  if (version !== undefined) parts.push(sql`${packageVersionText} LIKE ${`${likeLiteral(version)}%`}`)
  if (pcbCode !== undefined) parts.push(sql`b.pcb_code ILIKE ${`%${likeLiteral(pcbCode)}%`}`)
  if (isRelease !== undefined) parts.push(sql`k.is_release = ${isRelease}`)
  if (isAutoUpgrade !== undefined) parts.push(sql`k.is_auto_upgrade = ${isAutoUpgrade}`)
  return sql.join(parts, sql` AND `)
}

/** A page, newest first. */
export async function listPackages(db: Db, filter: PackageFilter, page: Page): Promise<PackageRecord[]> {
  const { rows } = await sql<PackageRecord>`
    SELECT ${packageColumns} ${packagesFrom} WHERE ${matching(filter)}
    ORDER BY k.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export async function countPackages(db: Db, filter: PackageFilter): Promise<number> {
  return countRows(
    db,
    sql`FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE ${matching(filter)}`,
  )
}

export async function findPackage(db: Db, id: number): Promise<PackageRecord | undefined> {
  const { rows } = await sql<PackageRecord>`
    SELECT ${packageColumns} ${packagesFrom} WHERE k.id = ${id} AND k.deleted_at IS NULL`.execute(db)
  return rows[0]
}

/** Against every other writer, and against tasks that begin to use it. */
export async function lockPackage(trx: Trx, id: number): Promise<PackageRecord | undefined> {
  const { rows } = await sql<PackageRecord>`
    SELECT ${packageColumns} ${packagesFrom} WHERE k.id = ${id} AND k.deleted_at IS NULL FOR UPDATE OF k`.execute(
    trx,
  )
  return rows[0]
}

/**
 * For whoever begins to use packages: until the transaction ends they can be neither changed nor deleted. Returns those
 * that there are, in the order of their ids.
 */
export async function lockPackagesShared(trx: Trx, ids: readonly number[]): Promise<PackageRecord[]> {
  const { rows } = await sql<PackageRecord>`
    SELECT ${packageColumns} ${packagesFrom} WHERE k.id = ANY(${ids}::int[]) AND k.deleted_at IS NULL
    ORDER BY k.id FOR SHARE OF k`.execute(trx)
  return rows
}

/** The fields that identify a package. */
export interface PackageIdentity {
  pcbBoardId: number
  partType: string
  major: number
  minor: number
  hwVersion: string | null
  mcuNum: number | null
  isRelease: boolean
}

/** The id of the package that has this identity. */
export async function findByIdentity(db: Db, identity: PackageIdentity): Promise<number | undefined> {
  const { pcbBoardId, partType, major, minor, hwVersion, mcuNum, isRelease } = identity
  const { rows } = await sql<{ id: number }>`
    SELECT k.id FROM software_package k
    WHERE k.pcb_board_id = ${pcbBoardId} AND k.part_type = ${partType} AND k.major = ${major}
      AND k.minor = ${minor} AND coalesce(k.hw_version, '') = ${hwVersion ?? ''}
      AND coalesce(k.mcu_num, 0) = ${mcuNum ?? 0} AND k.is_release = ${isRelease}
      AND k.deleted_at IS NULL`.execute(db)
  return rows[0]?.id
}

/** Whether it is the file of a package that is not deleted. */
export async function isFileOffered(db: Db, fileId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM software_package WHERE file_id = ${fileId} AND deleted_at IS NULL LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Whether it is the file of a package that is not deleted, or one that a task under way brings to devices. */
export async function isFileNeeded(db: Db, fileId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT WHERE EXISTS (SELECT FROM software_package WHERE file_id = ${fileId} AND deleted_at IS NULL)
      OR EXISTS (
        SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
        WHERE n.file_id = ${fileId} AND a.state IN ('planned', 'running', 'paused'))`.execute(db)
  return rows.length > 0
}

/**
 * Whether a task brought the file to the device that has that code now. A device that was registered again has none of
 * the tasks of the one before it, whose addresses name the same code.
 */
export async function isFileOfDevice(db: Db, fileId: string, deviceCode: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM device d
    JOIN upgrade_target t ON t.device_id = d.id
    JOIN upgrade_task_package n ON n.task_id = t.task_id AND n.package_id = t.package_id
    WHERE d.code = ${deviceCode} AND n.file_id = ${fileId} AND t.state <> 'skipped'
      AND (t.file_id IS NULL OR t.file_id = n.file_id) LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Which of these codes a part type has. */
export async function listPartTypes(db: Db, codes: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ code: string }>`
    SELECT code FROM part_type WHERE code = ANY(${codes}::text[])`.execute(db)
  return new Set(rows.map(({ code }) => code))
}

/** Whether it is or was the file of a package. */
export async function isFileUsed(db: Db, fileId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM software_package WHERE file_id = ${fileId} LIMIT 1`.execute(db)
  return rows.length > 0
}

export interface PackageValues extends PackageIdentity {
  fileId: string
  fileName: string
  isAutoUpgrade: boolean
  remark: PackageRemark
}

/** Who makes a change, and how far the user reaches now. */
export interface Author {
  userId: number
  name: string
  reach: KeptReach
}

/** Returns the new id. All in it is the author's decision, of one moment: that of the creation. */
export async function insertPackage(trx: Trx, values: PackageValues, author: Author): Promise<number> {
  const reach = JSON.stringify(author.reach)
  const now = new Date()
  const { id } = await trx
    .insertInto('software_package')
    .values({
      file_id: values.fileId,
      file_name: values.fileName,
      pcb_board_id: values.pcbBoardId,
      part_type: values.partType,
      major: values.major,
      minor: values.minor,
      hw_version: values.hwVersion,
      mcu_num: values.mcuNum,
      is_release: values.isRelease,
      is_auto_upgrade: values.isAutoUpgrade,
      remark: JSON.stringify(values.remark),
      created_by: author.userId,
      created_by_name: author.name,
      created_at: now,
      created_reach: reach,
      file_by: author.userId,
      file_by_name: author.name,
      file_at: now,
      file_reach: reach,
      ...(values.isAutoUpgrade && {
        auto_by: author.userId,
        auto_by_name: author.name,
        auto_at: now,
        auto_in: decidedIn(author.userId),
      }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Of automatic upgrades: nobody has agreed, and nothing is held. */
const noConsent = {
  auto_approved_by: null,
  auto_approved_by_name: null,
  auto_approved_in: null,
  auto_approved_count: null,
  auto_is_held: false,
  auto_is_narrowed: false,
}

/** Writes what a form changes. Of another file and of automatic upgrades, the author is who decided. */
export async function updatePackage(
  trx: Trx,
  { id, fileId, isAutoUpgrade, createdReach }: PackageRecord,
  values: Pick<PackageValues, 'fileId' | 'fileName' | 'isAutoUpgrade' | 'remark'>,
  author: Author,
): Promise<void> {
  const { userId, name, reach } = author
  const now = new Date()
  const isReplaced = values.fileId !== fileId
  await trx
    .updateTable('software_package')
    .set((eb) => ({
      file_id: values.fileId,
      file_name: values.fileName,
      is_auto_upgrade: values.isAutoUpgrade,
      remark: JSON.stringify(values.remark),
      ...(isReplaced && {
        file_by: userId,
        file_by_name: name,
        file_at: now,
        file_reach: JSON.stringify(reach),
        // Nothing was observed of these bytes yet, and nobody has agreed to them.
        gate_failed_at: null,
        ...noConsent,
      }),
      // Nothing is known of a creator who was deleted before reaches were kept: SYSTEM, who alone may replace the file,
      // answers for the package.
      ...(isReplaced && createdReach === null && { created_reach: JSON.stringify(reach) }),
      ...(!values.isAutoUpgrade && {
        auto_by: null,
        auto_by_name: null,
        auto_at: null,
        auto_in: null,
        ...noConsent,
      }),
      ...(values.isAutoUpgrade &&
        !isAutoUpgrade && {
          auto_by: userId,
          auto_by_name: name,
          auto_at: now,
          auto_in: decidedIn(userId),
        }),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** The packages of a task that the alarm gate has stopped; none whose file was replaced since the task was made. */
export async function listStopped(db: Db, taskId: number): Promise<PackageRecord[]> {
  const { rows } = await sql<PackageRecord>`
    SELECT ${packageColumns} ${packagesFrom}
    WHERE k.gate_failed_at IS NOT NULL AND (k.id, k.file_id) IN (
      SELECT n.package_id, n.file_id FROM upgrade_task_package n WHERE n.task_id = ${taskId})
    ORDER BY k.id`.execute(db)
  return rows
}

/** Writes that the alarm gate has stopped a task's packages; nothing of one whose file was replaced since. */
export async function markStopped(trx: Trx, taskId: number): Promise<void> {
  await sql`
    UPDATE software_package k SET gate_failed_at = now()
    FROM upgrade_task_package n
    WHERE n.task_id = ${taskId} AND k.id = n.package_id AND k.file_id = n.file_id`.execute(trx)
}

/** Writes that these files are stopped no more. */
export async function markPassed(
  trx: Trx,
  packages: readonly Pick<PackageRecord, 'id' | 'fileId'>[],
): Promise<void> {
  await sql`
    UPDATE software_package k SET gate_failed_at = NULL
    FROM unnest(${packages.map(({ id }) => id)}::int[], ${packages.map(({ fileId }) => fileId)}::uuid[]) AS p(id, file_id)
    WHERE k.id = p.id AND k.file_id = p.file_id`.execute(trx)
}

/** Whether an upgrade task that is not over needs it. */
export async function isInUse(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
    WHERE n.package_id = ${id} AND a.state IN ('planned', 'running', 'paused') LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The row stays, marked as deleted: upgrade tasks show which packages they installed. */
export async function markDeleted(trx: Trx, id: number): Promise<void> {
  await sql`UPDATE software_package SET deleted_at = now() WHERE id = ${id}`.execute(trx)
}
