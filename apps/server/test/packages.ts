// Factories for boards and packages: everything has a default, and codes are unique.
import { createHash, randomUUID } from 'node:crypto'
import type { DataFor, uploadFirmware } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../src/platform/database/database.ts'
import type { TestClient } from './client.ts'
import { insertModel } from './factories.ts'

let count = 0

export interface TestBoard {
  id: number
  code: string
  equipTypeId: number
  partType: string
}

/** A board of a new type, unless one is given; for all of its models, unless some are given. */
export async function insertBoard(
  db: Db,
  {
    code = `PCB${++count}`,
    equipTypeId = null as number | null,
    partType = 'PART_TYPE_EC_MASTER',
    modelIds = [] as readonly number[],
  } = {},
): Promise<TestBoard> {
  const typeId = equipTypeId ?? (await equipTypeOf(db, await insertModel(db)))
  const { id } = await db
    .insertInto('pcb_board')
    .values({ pcb_code: code, pcb_name: `${code}板`, part_type: partType, equip_type_id: typeId })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const equip_model_id of modelIds) {
    await db.insertInto('pcb_board_model').values({ pcb_board_id: id, equip_model_id }).execute()
  }
  return { id, code, equipTypeId: typeId, partType }
}

export async function equipTypeOf(db: Db, modelId: number): Promise<number> {
  const { equip_type_id } = await db
    .selectFrom('equip_model')
    .select('equip_type_id')
    .where('id', '=', modelId)
    .executeTakeFirstOrThrow()
  return equip_type_id
}

export interface TestPackage {
  id: number
  fileId: string
  board: TestBoard
  /** `<major>.<minor>` */
  version: string
}

/** Of a user who may be gone by the time of the test, or never was there. */
export const systemReach = { isSystem: true, organizationId: 1, authorities: { O: [], ET: [], R: [] } }

/** The columns of a task's package for the package's present bytes: `SELECT … FROM software_package k`. */
export const bytesOfTask = sql`k.id, k.file_id, k.file_name, k.file_by, k.file_by_name, k.file_reach`

/** A package whose file has a row but no bytes, for tests that never download it. */
export async function insertPackage(
  db: Db,
  {
    board = null as TestBoard | null,
    version = '1.4',
    hwVersion = null as string | null,
    mcuNum = null as number | null,
    isRelease = true,
    isAutoUpgrade = false,
    by = { id: 1, loginName: 'admin' },
  } = {},
): Promise<TestPackage> {
  const of = board ?? (await insertBoard(db))
  const fileId = randomUUID()
  const name = `${of.code}_${of.partType}_V${version}_${isRelease ? 'R' : 'T'}.bin`
  const hashed = (algorithm: string) => createHash(algorithm).update(fileId).digest('hex')
  const now = new Date()
  await db
    .insertInto('stored_file')
    .values({
      id: fileId,
      name,
      size_bytes: 1024,
      md5: hashed('md5'),
      sha1: hashed('sha1'),
      sha256: hashed('sha256'),
      content_type: 'application/octet-stream',
    })
    .execute()
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const { id } = await db
    .insertInto('software_package')
    .values({
      file_id: fileId,
      file_name: name,
      pcb_board_id: of.id,
      part_type: of.partType,
      major,
      minor,
      hw_version: hwVersion,
      mcu_num: mcuNum,
      is_release: isRelease,
      is_auto_upgrade: isAutoUpgrade,
      remark: JSON.stringify(remark),
      created_by: by.id,
      created_by_name: by.loginName,
      created_at: now,
      created_reach: JSON.stringify(systemReach),
      file_by: by.id,
      file_by_name: by.loginName,
      file_at: now,
      file_reach: JSON.stringify(systemReach),
      ...(isAutoUpgrade && { auto_by: by.id, auto_by_name: by.loginName, auto_at: now }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, fileId, board: of, version }
}

export const remark = {
  zh: '修复仓门误报',
  en: 'Fixes false door alarms',
  de: 'Behebt falsche Türalarme',
  fr: 'Corrige de fausses alarmes de porte',
}

/** Uploads a file as a package; returns the envelope unparsed. */
export async function postPackage(
  client: Pick<TestClient, 'request'>,
  token: string,
  name: string,
  {
    bytes = new TextEncoder().encode(`image ${name}`) as Uint8Array,
    fields = {} as Readonly<Record<string, string>>,
    path = '/firmware/upload',
  } = {},
) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  return client.request(`/api${path}`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  })
}

export type Uploaded = DataFor<typeof uploadFirmware>

export async function uploadPackage(...given: Parameters<typeof postPackage>): Promise<Uploaded> {
  const answer = await postPackage(...given)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data as Uploaded
}
