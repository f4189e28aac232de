import { insertSavedFilter, insertUpgradeTask, listDevices } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { endpoints } from './endpoints.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertRole,
  insertUser,
} from './factories.ts'
import { insertBoard, insertPackage, remark } from './packages.ts'
import { insertFleet, insertPackageFor } from './upgrades.ts'

// Optimistic locking: two users open a form and both save. The second must get a conflict, and must not overwrite the
// first. Tested for every update of the contract; a new one has to be added here, or the first test fails.

/** An update of a new row. */
interface Update {
  table: string
  /** The key of the row: its id or its code. */
  key: Record<string, string>
  /** The name of the version field, where it is not `version`. */
  versionField?: 'lockVersion'
  /** The other fields of a valid call that changes the row; each call returns another change. */
  change: () => Record<string, unknown>
}

let app: TestApp
let token: string
beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterAll(() => app.close())

let count = 0
const fresh = (prefix: string) => `${prefix}${++count}`

async function userUpdate(): Promise<Update> {
  const { id } = await insertUser(app.db)
  const roleId = await insertRole(app.db)
  return {
    table: 'app_user',
    key: { id: String(id) },
    change: () => ({ userName: fresh('改名'), phone: '13800138000', roleIds: [String(roleId)], type: '1' }),
  }
}

const updates: Record<string, () => Promise<Update>> = {
  updateUser: userUpdate,
  updateUserOfBody: userUpdate,
  async updatePermissions() {
    const { id } = await insertUser(app.db)
    return {
      table: 'app_user',
      key: { userId: String(id) },
      change: () => ({ authorityEntities: [{ authorityType: 'R', type: 'R', value: ['440305'] }] }),
    }
  },
  async updateRole() {
    const id = String(await insertRole(app.db))
    return { table: 'role', key: { id }, change: () => ({ name: fresh('改名'), code: fresh('role') }) }
  },
  async updateMenu() {
    const { id } = await app.db
      .insertInto('menu')
      .values({ name: '目录', type: 'M', path: '/versions', remark: 'versions' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const form = { type: 'M', path: '/versions', remark: 'versions', openType: 0 }
    return { table: 'menu', key: { id: String(id) }, change: () => ({ ...form, name: fresh('改名') }) }
  },
  async updateDictionaryEntry() {
    const { id } = await app.db
      .insertInto('dictionary_entry')
      .values({ type: 'EVENT', code: 'VER1', name: '事件', order_num: 1 })
      .returning('id')
      .executeTakeFirstOrThrow()
    const form = { type: 'EVENT', code: 'VER1', note: '说明' }
    return {
      table: 'dictionary_entry',
      key: { id: String(id) },
      change: () => ({ ...form, name: fresh('改名') }),
    }
  },
  async updateOrganization() {
    const id = String(await insertOrganization(app.db))
    return {
      table: 'organization',
      key: { id },
      change: () => ({ name: fresh('改名'), code: fresh('ORGV') }),
    }
  },
  async updateOperator() {
    const id = String(await insertOperator(app.db))
    const change = () => ({ name: fresh('改名'), code: fresh('OPV'), organizationId: '1' })
    return { table: 'operator', key: { id }, change }
  },
  async updateRegion() {
    await insertRegion(app.db, { code: '97001' })
    return { table: 'region', key: { code: '97001' }, change: () => ({ name: fresh('改名') }) }
  },
  async updateEquipType() {
    const { equip_type_id: id } = await modelOf(await insertModel(app.db))
    const change = () => ({ name: fresh('改名'), code: fresh('TYPEV'), classify: 'EC' })
    return { table: 'equip_type', key: { id: String(id) }, change }
  },
  async updatePartType() {
    await app.db.insertInto('part_type').values({ code: 'VERSIONS', name: '部件' }).execute()
    return { table: 'part_type', key: { code: 'VERSIONS' }, change: () => ({ name: fresh('改名') }) }
  },
  async updateModel() {
    const { id, equip_type_id } = await modelOf(await insertModel(app.db))
    const change = () => ({ name: fresh('改名'), code: fresh('MODELV'), equipTypeId: String(equip_type_id) })
    return { table: 'equip_model', key: { id: String(id) }, change }
  },
  async updateModelPart() {
    const { id } = await app.db
      .insertInto('equip_model_part')
      .values({ equip_model_id: await insertModel(app.db), part_type: 'WIFI' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const change = () => ({ partType: 'WIFI', name: fresh('改名') })
    return { table: 'equip_model_part', key: { id: String(id) }, change }
  },
  async updateLogLevel() {
    const form = { equipClassify: 'EC', code: 'VERSIONS', fileType: 'txt' as const, orderNum: 1 }
    const { id } = await app.db
      .insertInto('log_level')
      .values({ equip_classify: 'EC', code: 'VERSIONS', name: '日志', file_type: 'txt' })
      .returning('id')
      .executeTakeFirstOrThrow()
    return {
      table: 'log_level',
      key: { id: String(id) },
      change: () => ({ ...form, name: fresh('改名') }),
    }
  },
  async saveBoard() {
    const { id, code, equipTypeId, partType } = await insertBoard(app.db)
    const form = { pcbCode: code, equipTypeId: String(equipTypeId), partType }
    return {
      table: 'pcb_board',
      key: { id: String(id) },
      change: () => ({ ...form, pcbName: fresh('改名') }),
    }
  },
  async updateSavedFilter() {
    const form = { list: listDevices.path, name: fresh('筛选'), values: { isOnline: '0' } }
    const { data } = await app.call(insertSavedFilter, form, token)
    return { table: 'saved_filter', key: { id: data.id }, change: () => ({ name: fresh('改名') }) }
  },
  updateUpgradeTask: taskUpdate,
  updateFirmware: packageUpdate,
  updateSoftwareVersion: packageUpdate,
  async updateDevice() {
    const operatorId = String(await insertOperator(app.db))
    const modelId = await insertModel(app.db)
    const { id } = await insertDevice(app.db, { operatorId: Number(operatorId), modelId })
    const form = { operatorId, equipModelId: String(modelId), regionCode: '440305' }
    return { table: 'device', key: { id: String(id) }, change: () => ({ ...form, name: fresh('改名') }) }
  },
}

async function packageUpdate(): Promise<Update> {
  const { id, fileId, board, version } = await insertPackage(app.db)
  const form = { filePath: `firmware/${fileId}`, pcbCode: board.code, partType: board.partType, version }
  return {
    table: 'software_package',
    key: { id: String(id) },
    versionField: 'lockVersion',
    change: () => ({ ...form, remark: { ...remark, zh: fresh('说明') } }),
  }
}

async function taskUpdate(): Promise<Update> {
  const fleet = await insertFleet(app.db, 1)
  const { id } = await insertPackageFor(app.db, fleet)
  const form = { softwareVersionId: String(id), upgradeTime: '2099-01-01 00:00:00' }
  const { data } = await app.call(insertUpgradeTask, form, token)
  return {
    table: 'upgrade_task',
    key: { id: data.id },
    versionField: 'lockVersion',
    change: () => ({ ...form, remark: fresh('备注') }),
  }
}

/** Writes that neither add nor delete, and why they take no version. */
const withoutVersion: Record<string, string> = {
  login: 'adds a session',
  logout: 'ends the session of the call',
  changePassword: 'names the old password, which is compared',
  grantSystem: 'adds one role, whatever else the user has',
  revokeSystem: 'takes one role away, whatever else the user has',
  resetUserPassword: 'sets a random password; nothing that a form has read is overwritten',
  renewDeviceSecret: 'sets a random secret; nothing that a form has read is overwritten',
  renewImportSecrets: 'sets random secrets; nothing that a form has read is overwritten',
  endSession: 'ends a session; a second time it is refused as not found',
  recoverAlarm: 'refused by the state of the alarm: it recovers once',
  recoverAlarms: 'refused where more alarms match than the question named; each recovers once',
  uploadAdvertisementFile: 'adds a file',
  uploadFirmware: 'adds a file',
  uploadSoftwareVersion: 'adds a file',
  createAdvertisement: 'adds an advertisement',
  extractLog: 'adds an extraction',
  startLogExtraction: 'adds an extraction',
  cancelLogExtraction: 'refused by the state of the extraction',
  pauseUpgradeTask: 'refused by the state of the task',
  resumeUpgradeTask: 'refused by the state of the task',
  cancelUpgradeTask: 'refused by the state of the task',
  retryParameterBatch: 'refused by the state of the batch and of its devices',
  stopParameterBatch: 'refused by the state of the batch',
  restoreParameterBatch: 'adds a batch',
  retryUpgradeTask:
    'has the same effect however often it is asked; nothing that a form has read is overwritten',
  rollBackUpgradeTask: 'adds a task',
  upgradeDevices: 'adds a task',
  upgradeDevicesByBoard: 'adds a task',
  retryDeliveries:
    'has the same effect however often it is asked; nothing that a form has read is overwritten',
  shareAdvertisement: 'changes nothing: signs an address',
  importDevices: 'adds devices; a code that is taken is refused',
}

const modelOf = (id: number) =>
  app.db
    .selectFrom('equip_model')
    .select(['id', 'equip_type_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** The row with its present version. */
async function rowOf({ table, key }: Update): Promise<{ version: number }> {
  const [[name, value]] = Object.entries(key) as [[string, string]]
  const column = name === 'code' ? sql`t.code` : sql`t.id::text`
  const { rows } = await sql<{ row: { version: number } }>`
    SELECT to_jsonb(t) AS row FROM ${sql.table(table)} t WHERE ${column} = ${value}`.execute(app.db)
  return rows[0]?.row ?? { version: 0 }
}

async function countRecorded(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM operation_log WHERE result_code = 200`.execute(app.db)
  return rows[0]?.n ?? 0
}

const isUpdate = (name: string) => !/^(insert|delete)/.test(name)
const writes = endpoints.filter(({ name, endpoint }) => endpoint.isWrite && isUpdate(name))

test('every write that neither adds nor deletes takes a version, or is listed with a reason', () => {
  const known = [...Object.keys(updates), ...Object.keys(withoutVersion)]
  expect(writes.map(({ name }) => name).sort()).toEqual(known.sort())
})

describe('a form that was opened before another user saved', () => {
  for (const [name, make] of Object.entries(updates)) {
    test(`${name} is refused and changes nothing`, async () => {
      const endpoint = endpoints.find((one) => one.name === name)?.endpoint
      if (!endpoint) throw new Error(`no endpoint ${name}`)
      const update = await make()
      const { version } = await rowOf(update)
      const { versionField = 'version' } = update
      const save = (read: number | undefined) =>
        app.call(
          endpoint,
          { ...update.key, ...update.change(), ...(read && { [versionField]: read }) },
          token,
        )

      expect((await save(version)).code).toBe(200)
      const saved = await rowOf(update)
      expect(saved.version).toBe(version + 1)
      const recorded = await countRecorded()

      expect(await save(version)).toMatchObject({
        status: 409,
        code: 409,
        refusal: 'conflict',
        data: null,
      })
      expect(await rowOf(update)).toEqual(saved)
      expect(await countRecorded()).toBe(recorded)

      // With the newest version it is saved; a call without a version is saved without comparing.
      expect((await save(saved.version)).code).toBe(200)
      expect((await save(undefined)).code).toBe(200)
      expect((await rowOf(update)).version).toBe(version + 3)
    })
  }
})
