import { createHash } from 'node:crypto'
import {
  deleteDevice,
  insertDevice,
  listDevices,
  readDevice,
  renewDeviceSecret,
  updateDevice,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertOperator, insertOrganization, insertDevice as plantDevice } from '../../../test/factories.ts'
import { devicesChanged } from './devices.notices.ts'

const functionCodes = ['equip:list', 'equip:insert', 'equip:update', 'equip:delete', 'equip:secret']

const app = await appOfTests()
const token = await app.asAdmin()
const idOf = async (code: string) =>
  String((await app.database.pool.query('SELECT id FROM equip_model WHERE code = $1', [code])).rows[0].id)
/** Ids of the planted models VK-EC08 and BAT. */
const cabinetModelId = await idOf('VK-EC08')
const batteryModelId = await idOf('VK-B6030')
const operatorId = await insertOperator(app.db)

let count = 0
const form = (fields: Record<string, unknown> = {}) => ({
  code: `HTTP${++count}`,
  operatorId: String(operatorId),
  equipModelId: cabinetModelId,
  regionCode: '440305',
  address: '科技园',
  ...fields,
})
const insert = async (fields: Record<string, unknown> = {}) => {
  const answer = await app.call(insertDevice, form(fields), token)
  expect(answer.message).toBe('创建成功')
  return answer.data
}
const lastOperation = async () =>
  (await app.database.pool.query('SELECT * FROM operation_log ORDER BY id DESC LIMIT 1')).rows[0]

describe('a new device', () => {
  // proves: call POST /equip/insert; call POST /equip/list; call POST /equip{path}; call GET /equip/detail/{id}
  test('is returned with its secret, once, and is found with the names of its place', async () => {
    const made = await insert({ code: 'EC900001', name: '一号柜' })
    expect(made.secret).toMatch(/^[\w-]{32}$/)
    expect(made.mqttPort).toBe(app.ports.mqttPort)
    const { rows } = await app.database.pool.query('SELECT secret_hash FROM device WHERE id = $1', [made.id])
    expect(rows[0].secret_hash).toEqual(createHash('sha256').update(made.secret).digest())

    const list = await app.call(listDevices, { code: 'EC900001' }, token)
    expect(list.total).toBe(1)
    expect(list.data[0]).toMatchObject({
      id: made.id,
      code: 'EC900001',
      name: '一号柜',
      isOnline: 0,
      operatorId: String(operatorId),
      equipTypeName: '换电柜',
      equipClassify: 'EC',
      equipModelName: '8仓换电柜',
      regionCode: '440305',
      regionName: '中国 / 广东省 / 深圳市 / 南山区',
      businessStatus: 2,
      alarmCount: 0,
      worstAlarmLevel: null,
    })
    const detail = await app.call(readDevice, { id: made.id }, token)
    expect(detail.data).toMatchObject({
      code: 'EC900001',
      equipSoftwareVersions: [],
      parameters: [],
      status: [],
    })

    const operation = await lastOperation()
    expect(operation).toMatchObject({ target: '设备 EC900001', result_code: 200, login_name: 'admin' })
    expect(operation.changes.after).toMatchObject({ code: 'EC900001', model: '8仓换电柜' })
    for (const text of [list.text, detail.text, JSON.stringify(operation), app.logged.join('\n')]) {
      expect(text).not.toContain(made.secret)
      expect(text).not.toMatch(/secret/i)
    }
  })

  test('needs a unique code, also when two are created at the same time', async () => {
    await insert({ code: 'TWIN' })
    const again = await app.call(insertDevice, form({ code: 'TWIN' }), token)
    expect(again).toMatchObject({ status: 409, code: 409, message: '设备编号已存在', data: null })

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => app.call(insertDevice, form({ code: 'RACE' }), token)),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(4)
  })

  test('is refused with all problems of its form, in Chinese', async () => {
    const empty = await app.call(insertDevice, { code: '坏 号', businessStatus: 9 }, token)
    expect(empty.status).toBe(400)
    expect(empty.data).toEqual([
      { field: 'code', message: '设备编号只能是 1 到 32 位字母或数字' },
      { field: 'operatorId', message: '请选择运营商' },
      { field: 'equipModelId', message: '请选择设备型号' },
      { field: 'regionCode', message: '请选择地区' },
      { field: 'businessStatus', message: '业务状态只能是 1、2、3' },
    ])
    const unknown = { operatorId: '999999999999999', equipModelId: '987654', regionCode: '999999' }
    const answer = await app.call(insertDevice, form(unknown), token)
    expect(answer.status).toBe(400)
    expect(answer.message).toBe('运营商不存在')
    expect(answer.data).toEqual([
      { field: 'operatorId', message: '运营商不存在' },
      { field: 'equipModelId', message: '设备型号不存在' },
      { field: 'regionCode', message: '地区不存在' },
    ])
  })

  test('cannot be placed in the region 全部', async () => {
    const answer = await app.call(insertDevice, form({ regionCode: 'all' }), token)
    expect(answer.data).toEqual([{ field: 'regionCode', message: '请选择具体的地区' }])
  })
})

describe('a device that is changed', () => {
  // proves: call POST /equip/update/{id}
  test('takes the values of the form, and is recorded before and after', async () => {
    const { id } = await insert({ code: 'CHANGE', name: '旧名', businessStatus: 3 })
    const fields = { ...form(), id, equipModelId: batteryModelId, regionCode: '110105', address: '' }
    const answer = await app.call(updateDevice, fields, token)
    expect(answer).toMatchObject({ code: 200, data: null })
    const { data } = await app.call(readDevice, { id }, token)
    expect(data).toMatchObject({
      code: 'CHANGE',
      name: null,
      address: null,
      equipClassify: 'BAT',
      regionName: '中国 / 北京市 / 朝阳区',
      businessStatus: 3,
    })
    expect((await lastOperation()).changes).toMatchObject({
      before: { name: '旧名', model: '8仓换电柜' },
      after: { name: null, model: '60V30Ah锂电池', businessStatus: 3 },
    })
  })

  test('keeps its history, and leaves none behind when deleted', async () => {
    const { id } = await insert()
    const place = await app.database.pool.query('SELECT * FROM device WHERE id = $1', [id])
    const { operator_id, model_id, region_id } = place.rows[0]
    await app.database.pool.query(
      `INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
         first_value, value) VALUES (1, now(), $1, $2, $3, $4, '01110001', 1, 1)`,
      [id, operator_id, model_id, region_id],
    )
    const fields = { ...form({ equipModelId: batteryModelId, regionCode: '110105' }), id }
    expect((await app.call(updateDevice, fields, token)).code).toBe(200)
    const history = async () =>
      (
        await app.database.pool.query(
          `SELECT h.model_id::text AS model, r.code AS region FROM alarm_history h
           JOIN region r ON r.id = h.region_id WHERE h.device_id = $1`,
          [id],
        )
      ).rows
    expect(await history()).toEqual([{ model: batteryModelId, region: '110105' }])
    expect((await app.call(deleteDevice, { id }, token)).code).toBe(200)
    expect(await history()).toEqual([])
  })

  test('gets a new secret, and the old one is invalid', async () => {
    const made = await insert()
    const renewed = await app.call(renewDeviceSecret, { id: made.id }, token)
    expect(renewed.data).toMatchObject({ id: made.id, code: made.code })
    expect(renewed.data.secret).not.toBe(made.secret)
    const { rows } = await app.database.pool.query('SELECT secret_hash FROM device WHERE id = $1', [made.id])
    expect(rows[0].secret_hash).toEqual(createHash('sha256').update(renewed.data.secret).digest())
    const operation = await lastOperation()
    expect(operation).toMatchObject({ target: `设备 ${made.code}`, changes: null })
  })

  // proves: call POST /equip/delete/{id}
  test('is deleted, and its code can be used again', async () => {
    const { id, code } = await insert()
    expect((await app.call(deleteDevice, { id }, token)).code).toBe(200)
    expect(await app.call(readDevice, { id }, token)).toMatchObject({ status: 404, message: '设备不存在' })
    expect(await app.call(deleteDevice, { id }, token)).toMatchObject({ status: 404, message: '设备不存在' })
    await insert({ code })
  })

  test('notifies other parts with its id', async () => {
    const { id } = await insert({ code: 'TOLD' })
    const told: unknown[] = []
    const { openNotices } = await import('../../platform/database/notices/notices.ts')
    const { createLog } = await import('../../platform/process/log.ts')
    const log = createLog({ level: 'error', directory: app.config.dataDir, console: { write: () => {} } })
    const notices = await openNotices({ pool: app.database.pool, log })
    notices.subscribe(devicesChanged, (codes) => told.push(...(codes ?? [])))
    await app.call(renewDeviceSecret, { id }, token)
    await expect.poll(() => told).toContain('TOLD')
    await notices.close()
  })
})

describe('a user of one organization', () => {
  test('neither sees nor changes a device of another one, as if it did not exist', async () => {
    const own = await insertOrganization(app.db)
    const foreign = await plantDevice(app.db)
    const user = await app.asUser({ organizationId: own, functionCodes })
    const id = String(foreign.id)
    const missing = { status: 404, code: 404, message: '设备不存在', data: null }
    expect(await app.call(readDevice, { id }, user.token)).toMatchObject(missing)
    expect(await app.call(renewDeviceSecret, { id }, user.token)).toMatchObject(missing)
    expect(await app.call(deleteDevice, { id }, user.token)).toMatchObject(missing)
    expect(await app.call(updateDevice, { ...form(), id }, user.token)).toMatchObject(missing)
    expect(await app.call(listDevices, { code: foreign.code }, user.token)).toMatchObject({ total: 0 })
  })

  test('creates no device that would be out of scope', async () => {
    const own = await insertOrganization(app.db)
    const ownOperator = await insertOperator(app.db, { organizationId: own })
    const { rows } = await app.database.pool.query(`SELECT id FROM equip_type WHERE code = 'EC'`)
    const user = await app.asUser({
      organizationId: own,
      functionCodes,
      authorities: [
        ['ET', String(rows[0].id)],
        ['R', '440000'],
      ],
    })
    const refused = await app.call(
      insertDevice,
      form({ equipModelId: batteryModelId, regionCode: '110105' }),
      user.token,
    )
    expect(refused.data).toEqual([
      { field: 'operatorId', message: '运营商不存在' },
      { field: 'equipModelId', message: '设备型号不存在' },
      { field: 'regionCode', message: '地区不存在' },
    ])
    const made = await app.call(insertDevice, form({ operatorId: String(ownOperator) }), user.token)
    expect(made.code).toBe(200)
    const moved = await app.call(
      updateDevice,
      { ...form({ operatorId: String(ownOperator), regionCode: '310115' }), id: made.data.id },
      user.token,
    )
    expect(moved.data).toEqual([{ field: 'regionCode', message: '地区不存在' }])
  })

  test('without the function code is refused before the input is validated', async () => {
    const user = await app.asUser({ functionCodes: ['equip:list'] })
    expect(await app.call(insertDevice, {}, user.token)).toMatchObject({ status: 403 })
  })
})

test('an id beyond the range of ids is a device that does not exist', async () => {
  const answer = await app.call(readDevice, { id: '99999999999' }, token)
  expect(answer).toMatchObject({ status: 404, message: '设备不存在' })
  expect(await app.call(listDevices, { operatorId: '99999999999' }, token)).toMatchObject({ total: 0 })
})
