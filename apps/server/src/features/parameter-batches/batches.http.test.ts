import {
  exportFailedBatchDevices,
  formatDateTime,
  insertParameterBatch,
  listBatchDevices,
  listBatchLog,
  listOperations,
  listParameterBatches,
  previewParameterBatch,
  previewRestoration,
  readParameterBatch,
  restoreParameterBatch,
  retryParameterBatch,
  stopParameterBatch,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  batchBecomes,
  batchOf,
  devicesOf,
  entitysOf,
  type Fleet,
  insertFleet,
  lampCode,
  ofFleet,
  overTemperature,
  reportValues,
  soc,
} from '../../../test/batches.ts'
import { insertModel, insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'
import { skipTexts } from './targets/index.ts'

const allCodes = [
  'batchSet:list',
  'batchSet:insert',
  'batchSet:retry',
  'batchSet:stop',
  'batchSet:restore',
  'batchSet:export',
]
let app: TestApp
let token: string
let fleet: Fleet
beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterAll(async () => {
  await app.close()
})
beforeEach(async () => {
  fleet = await insertFleet(app.db, 3)
})

const form = (more: object = {}) => ({
  paramSetRule: { upgradeCount: 3, interval: 5 },
  entitys: [{ id: soc, value: 88 }],
  queryParam: ofFleet(fleet),
  ...more,
})
const insert = (more: object = {}, as = token) => app.call(insertParameterBatch, form(more), as)
const codesOf = (devices: readonly TestDevice[]) => devices.map(({ code }) => code)

describe('the form of a batch', () => {
  // proves: rule upgradeCount; rule interval; constant upgradeCount; constant interval
  test.each([
    [{ upgradeCount: 0 }, 'paramSetRule.upgradeCount', '下发次数不能小于 1'],
    [{ upgradeCount: 51 }, 'paramSetRule.upgradeCount', '下发次数不能大于 50'],
    [{ upgradeCount: 1.5 }, 'paramSetRule.upgradeCount', '下发次数应为整数'],
    [{ upgradeCount: '' }, 'paramSetRule.upgradeCount', '下发次数应为整数'],
    [{ interval: 2 }, 'paramSetRule.interval', '间隔时间不能小于 3'],
    [{ interval: 61 }, 'paramSetRule.interval', '间隔时间不能大于 60'],
    [{ interval: '3.5' }, 'paramSetRule.interval', '间隔时间应为整数'],
    [{ endTime: '2020-01-01 00:00:00' }, 'paramSetRule.endTime', '结束时间应晚于当前时间'],
    [{ endTime: '2099-01-01 00:00:00' }, 'paramSetRule.endTime', '结束时间不能超过 30 天'],
  ])('refuses the rule %j', async (rule, field, message) => {
    const answer = await insert({ paramSetRule: { upgradeCount: 1, interval: 3, ...rule } })
    expect(answer).toMatchObject({ status: 400, message, data: [{ field, message }] })
  })

  test.each([
    [{ upgradeCount: 1, interval: 3 }],
    [{ upgradeCount: 50, interval: 60 }],
    [{ upgradeCount: '50', interval: '60' }],
  ])('accepts the rule %j', async (paramSetRule) => {
    expect(await insert({ paramSetRule })).toMatchObject({ code: 200, message: '创建成功' })
  })

  test('shows the end of a batch as it was given, a bare date as the last second of the day', async () => {
    const day = formatDateTime(new Date(Date.now() + 86_400_000)).slice(0, 10)
    for (const [endTime, shown] of [
      [`${day} 10:00:00`, `${day} 10:00:00`],
      [day, `${day} 23:59:59`],
    ]) {
      const { data } = await insert({ paramSetRule: { upgradeCount: 1, interval: 3, endTime } })
      const answer = await app.call(readParameterBatch, { id: data.id }, token)
      expect(answer.data.paramSetRule.endTime).toBe(shown)
    }
  })

  test.each([
    [[], 'entitys', '请至少添加一个参数'],
    [[{ id: soc, value: 101 }], 'entitys.0.value', '仓位满电SOC应为 0 到 100 的整数，单位 %'],
    [[{ id: '02121012', value: 1 }], 'entitys.0.id', '参数编号不存在'],
    [[{ id: lampCode, value: '222222' }], 'entitys.0.value', '指示灯颜色编码应为 7 位数字，每位 0 到 8'],
    [
      [
        { id: soc, value: 80 },
        { id: soc, value: 90 },
      ],
      'entitys',
      '参数不能重复',
    ],
  ])('refuses the parameters %j', async (entitys, field, message) => {
    const answer = await insert({ entitys })
    expect(answer).toMatchObject({ status: 400, message, data: [{ field, message }] })
  })

  test('refuses an empty or invalid choice of devices, and stores nothing', async () => {
    const before = (await app.call(listParameterBatches, {}, token)).total
    expect(await insert({ queryParam: { codes: ['NOSUCH'] } })).toMatchObject({
      status: 400,
      message: '没有符合条件的设备',
      data: [{ field: 'queryParam', message: '没有符合条件的设备' }],
    })
    expect(await insert({ queryParam: undefined })).toMatchObject({ status: 400, message: '请选择设备' })
    expect(await insert({ queryParam: { isOnline: 3 } })).toMatchObject({
      status: 400,
      message: '在线状态只能是 0、1、2',
    })
    expect((await app.call(listParameterBatches, {}, token)).total).toBe(before)
  })

  // proves: rule device codes
  test('accepts devices by filters, by pasted codes, and by both', async () => {
    const [one, two] = fleet.devices as [TestDevice, TestDevice]
    const countOf = async (queryParam: object) =>
      (await app.call(previewParameterBatch, { entitys: form().entitys, queryParam }, token)).data.chosen
    const operatorId = String(fleet.operatorId)
    expect(await countOf({ filters: { operatorId } })).toBe(3)
    expect(await countOf({ operatorId })).toBe(3)
    expect(await countOf({ operatorId, isOnline: 1 })).toBe(0)
    expect(await countOf({ codes: [one.code, two.code] })).toBe(2)
    expect(await countOf({ code: ` ${one.code}-，\n${two.code};\n\n${one.code}` })).toBe(2)
    await sql`UPDATE device_state SET is_online = true, online_changed_at = now()
      WHERE device_id = ${one.id}`.execute(app.db)
    expect(await countOf({ code: `${one.code},${two.code}`, isOnline: 1 })).toBe(1)
    expect(await countOf({ filters: { isOnline: 1 }, codes: [two.code] })).toBe(0)
  })
})

describe('a preview', () => {
  test('says how many devices change which value, and why others are left out', async () => {
    const [same, busy] = fleet.devices as [TestDevice, TestDevice]
    await reportValues(app.db, same, { [soc]: '88.0', [lampCode]: '0222220' })
    await reportValues(app.db, busy, { [lampCode]: '2222222' })
    await insert({ queryParam: { codes: [busy.code] }, entitys: [{ id: soc, value: 70 }] })
    const entitys = entitysOf({ [soc]: 88, [lampCode]: '0222220' })
    const queryParam = { codes: [...codesOf(fleet.devices), 'NOSUCH1'] }
    const { data } = await app.call(previewParameterBatch, { entitys, queryParam }, token)
    expect(data).toEqual({
      chosen: 3,
      devices: 1,
      offline: 1,
      skipped: [
        { reason: 'busy', devices: 1 },
        { reason: 'sameValue', devices: 1 },
      ],
      unknownCodes: ['NOSUCH1'],
      trial: null,
      trialUnknownCodes: [],
      parameters: [
        {
          id: soc,
          name: '仓位满电SOC',
          value: '88',
          changes: 1,
          same: 0,
          unknown: 0,
          from: [{ value: '95', devices: 1 }],
        },
        {
          id: lampCode,
          name: '指示灯颜色编码',
          value: '0222220',
          changes: 0,
          same: 0,
          unknown: 1,
          from: [],
        },
      ],
    })
  })
})

describe('a device whose type has no such parameter', () => {
  test('is left out of the preview and of the batch, with the reason, until one of its model reports it', async () => {
    const ofModel = await insertModel(app.db, { classify: 'BAT' })
    const batteries = await insertFleet(app.db, 2, { values: {}, operatorId: fleet.operatorId, ofModel })
    const [one] = batteries.devices as [TestDevice, TestDevice]
    const codes = [...fleet.devices, ...batteries.devices].map(({ code }) => code)
    const chosen = { entitys: entitysOf({ [soc]: '61' }), queryParam: { codes } }
    const preview = async () => (await app.call(previewParameterBatch, chosen, token)).data
    expect(await preview()).toMatchObject({
      chosen: codes.length,
      devices: fleet.devices.length,
      skipped: [{ reason: 'noParameter', devices: 2 }],
    })
    const file = await fetch(`${app.url}/api/equip/param/batchSet/preview/export`, {
      method: 'POST',
      body: JSON.stringify(chosen),
      headers: { authorization: token, 'content-type': 'application/json' },
    })
    expect((await rowsOfSheet(file)).map((cells) => [cells[0], cells.at(-1)])).toEqual([
      ['设备编号', '原因'],
      ...batteries.devices.map(({ code }) => [code, '设备类型没有该参数']).toSorted(),
    ])
    const made = await insert({ ...chosen, name: '电池试设', remark: '看看哪些设备不支持' })
    expect(await batchOf(app, token, made.data.id)).toMatchObject({
      name: '电池试设',
      remark: '看看哪些设备不支持',
    })
    const found = await app.call(listParameterBatches, { name: '电池' }, token)
    expect(found.data.map(({ id }) => id)).toEqual([made.data.id])
    expect(made.data).toMatchObject({ deviceCount: fleet.devices.length })
    const devices = await app.call(listBatchDevices, { id: made.data.id, states: ['skipped'] }, token)
    expect(devices.data.map(({ reason }) => reason)).toEqual(['设备类型没有该参数', '设备类型没有该参数'])

    await reportValues(app.db, one, { [soc]: 90 })
    expect((await preview()).skipped).not.toContainEqual({ reason: 'noParameter', devices: 2 })
  })
})

describe('a batch', () => {
  // proves: call GET /equip/param/batchSet/list
  test('is listed with its number, parameters, creator and counts, and found by its day', async () => {
    const { data: made } = await insert({ entitys: entitysOf({ [lampCode]: '0123456', [soc]: '88' }) })
    const find = async (more: object) =>
      (await app.call(listParameterBatches, { ids: [made.id], ...more }, token)).data
    const [row] = await find({})
    expect(row).toMatchObject({
      id: made.id,
      code: made.code,
      kind: 'set',
      originId: null,
      createTime: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      createBy: 'admin',
      param: [
        { id: soc, name: '仓位满电SOC', value: '88' },
        { id: lampCode, name: '指示灯颜色编码', value: '0123456' },
      ],
      paramSetRule: { upgradeCount: 3, interval: 5 },
      state: 'running',
      counts: { total: 3, waiting: 3, sent: 0, succeeded: 0 },
    })
    const today = row?.createTime.slice(0, 10) as string
    expect(made.code).toMatch(new RegExp(`^CS${today.replaceAll('-', '')}\\d{5}$`))
    expect(await find({ startTime: today, endTime: today })).toHaveLength(1)
    expect(await find({ startTime: '2020-01-01', endTime: '2020-12-31' })).toHaveLength(0)
    expect(await find({ startTime: row?.createTime, endTime: row?.createTime })).toHaveLength(1)
    expect(await find({ code: made.code.slice(-5) })).toHaveLength(1)
    expect(await find({ state: 'finished' })).toHaveLength(0)
    expect(
      await app.call(listParameterBatches, { startTime: '2026-02-01', endTime: '2026-01-01' }, token),
    ).toMatchObject({ status: 400, message: '结束时间不能早于开始时间' })
  })

  test('leaves out devices that have the values, reported as text or as numbers', async () => {
    const [same] = fleet.devices as [TestDevice]
    await reportValues(app.db, same, { [soc]: '088' })
    const { data } = await insert()
    expect(data.deviceCount).toBe(2)
    const rows = await devicesOf(app, token, data.id)
    expect(rows.find(({ code }) => code === same.code)).toMatchObject({
      state: 'skipped',
      reason: '参数值已一致，无需设置',
    })
  })

  test('is over at once if all devices have the values', async () => {
    const { data } = await insert({ entitys: [{ id: soc, value: '95' }] })
    expect(data.deviceCount).toBe(0)
    await batchBecomes(app, token, data.id, { state: 'finished', counts: { total: 3, skipped: 3 } })
  })

  test('leaves out exactly what another batch sets on a device', async () => {
    const { data: first } = await insert()
    expect(first.deviceCount).toBe(3)
    const { data: second } = await insert({ entitys: entitysOf({ [soc]: 70, [overTemperature]: 70 }) })
    await batchBecomes(app, token, second.id, {
      state: 'finished',
      counts: { total: 3, skipped: 3 },
      reasons: [{ state: 'skipped', reason: '其他批次正在设置相同参数', count: 3 }],
    })
    const { data: third } = await insert({ entitys: entitysOf({ [overTemperature]: 70 }) })
    expect(third.deviceCount).toBe(3)
  })

  test('is created once per device and parameter, also if two are created at the same time', async () => {
    const made = await Promise.all([insert(), insert({ entitys: [{ id: soc, value: 70 }] }), insert()])
    expect(made.map(({ data }) => data.deviceCount).sort()).toEqual([0, 0, 3])
  })

  test('can be stopped before it was sent, and its devices are available to another one', async () => {
    const { data: made } = await insert()
    await batchBecomes(app, token, made.id, { counts: { waiting: 3 } })
    expect(await app.call(stopParameterBatch, { id: made.id }, token)).toMatchObject({ data: { count: 3 } })
    await batchBecomes(app, token, made.id, { state: 'stopped', counts: { stopped: 3, waiting: 0 } })
    expect(await app.call(stopParameterBatch, { id: made.id }, token)).toMatchObject({
      status: 409,
      message: '批次已结束或正在停止',
    })
    expect(await app.call(retryParameterBatch, { id: made.id }, token)).toMatchObject({
      status: 409,
      message: '批次中没有可以重试的设备',
    })
    expect(await app.call(restoreParameterBatch, { id: made.id }, token)).toMatchObject({
      status: 409,
      message: '批次中没有可以恢复原值的设备',
    })
    expect((await insert()).data.deviceCount).toBe(3)
    const open =
      await sql`SELECT FROM device_command WHERE next_at IS NOT NULL AND device_id = ANY(${fleet.devices.map(
        ({ id }) => id,
      )}::int[]) AND body ->> 'batchId' = ${made.id}`.execute(app.db)
    expect(open.rows).toHaveLength(0)
  })

  test('ends, and has a reason for each device without a result', async () => {
    const { data: made } = await insert()
    await sql`UPDATE parameter_batch SET ends_at = now(), next_at = now() WHERE id = ${made.id}::int`.execute(
      app.db,
    )
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["parameter_batch 0"]}')`.execute(app.db)
    await batchBecomes(app, token, made.id, {
      state: 'finished',
      counts: { expired: 3 },
      finishTime: expect.any(String),
    })
    // Devices that were offline until the end may be retried, for another three days.
    const answer = await app.call(retryParameterBatch, { id: made.id }, token)
    expect(answer).toMatchObject({ code: 200, data: { count: 3 } })
    await batchBecomes(app, token, made.id, { state: 'running', counts: { waiting: 3 }, finishTime: null })
  })

  test('is recorded in the operation log: the values and the number of devices, without codes', async () => {
    const { data: made } = await insert({ queryParam: { codes: codesOf(fleet.devices) } })
    await app.call(stopParameterBatch, { id: made.id }, token)
    const { data } = await app.call(listOperations, { target: made.code }, token)
    expect(data.map(({ summary }) => summary)).toEqual(['停止批量设置', '新增批量设置'])
    expect(data[1]?.changes?.after).toMatchObject({
      仓位满电SOC: '88',
      deviceCount: 3,
      devices: { count: 3 },
    })
    expect(JSON.stringify(data)).not.toContain(fleet.devices[0]?.code)
  })
})

describe('a user of another organization', () => {
  test('neither sees nor changes a batch', async () => {
    const { data: made } = await insert()
    const { token: theirs } = await app.asUser({
      organizationId: await insertOrganization(app.db),
      functionCodes: allCodes,
    })
    const { id } = made
    for (const call of [
      readParameterBatch,
      listBatchDevices,
      listBatchLog,
      retryParameterBatch,
      stopParameterBatch,
      previewRestoration,
      restoreParameterBatch,
      exportFailedBatchDevices,
    ])
      expect(await app.call(call, { id }, theirs)).toMatchObject({
        status: 404,
        refusal: 'parameterBatchNotFound',
        message: '批次不存在',
      })
    expect(await app.call(listParameterBatches, {}, theirs)).toMatchObject({ data: [], total: 0 })
    expect(await insert({}, theirs)).toMatchObject({ status: 400, message: '没有符合条件的设备' })
    expect(await insert({ queryParam: { codes: codesOf(fleet.devices) } }, theirs)).toMatchObject({
      status: 400,
      message: '没有符合条件的设备',
    })
    const answer = await app.call(
      previewParameterBatch,
      { entitys: form().entitys, queryParam: { codes: codesOf(fleet.devices) } },
      theirs,
    )
    expect(answer.data).toMatchObject({ chosen: 0, devices: 0, unknownCodes: codesOf(fleet.devices) })
    expect(await batchOf(app, token, id)).toMatchObject({ state: 'running' })
  })

  test('needs the function of each call', async () => {
    const { token: reader } = await app.asUser({ functionCodes: ['batchSet:list'] })
    const id = '1'
    expect(await app.call(listParameterBatches, {}, reader)).toMatchObject({ code: 200 })
    expect(await insert({}, reader)).toMatchObject({ status: 403 })
    for (const call of [
      retryParameterBatch,
      stopParameterBatch,
      previewRestoration,
      restoreParameterBatch,
      exportFailedBatchDevices,
    ])
      expect(await app.call(call, { id }, reader)).toMatchObject({ status: 403 })
  })
})

describe('a user with a narrower scope', () => {
  test('learns no code of another device from the keyword of a batch that the user restores', async () => {
    const organizationId = await insertOrganization(app.db)
    const own = await insertFleet(app.db, 1, { organizationId })
    const foreign = await insertFleet(app.db, 1, { organizationId })
    const wide = await app.asUser({ organizationId, functionCodes: allCodes })
    const limited = await app.asUser({
      organizationId,
      functionCodes: [...allCodes, 'operation:page'],
      authorities: [['O', String(own.operatorId)]],
    })
    const [seen, unseen] = [own.devices[0]?.code as string, foreign.devices[0]?.code as string]
    const { id } = (await insert({ queryParam: { filters: { keyword: `${seen} ${unseen}` } } }, wide.token))
      .data
    await batchBecomes(app, wide.token, id, { counts: { total: 2 } })
    await reportValues(app.db, own.devices[0] as TestDevice, { [soc]: 88 })
    await sql`
      UPDATE parameter_target SET state = 'succeeded', next_at = NULL WHERE batch_id = ${id}::int`.execute(
      app.db,
    )
    const restored = await app.call(restoreParameterBatch, { id }, limited.token)
    expect(restored).toMatchObject({ code: 200 })
    const told = JSON.stringify([
      (await app.call(readParameterBatch, { id: restored.data.id }, limited.token)).data.queryParam,
      (await app.call(listOperations, {}, limited.token)).data,
    ])
    expect(told).toContain(seen)
    expect(told).not.toContain(unseen)
  })

  // proves: call GET /equip/param/log/export/fail
  test('sees, retries, restores and exports the own part of a batch, and may not stop it', async () => {
    const organizationId = await insertOrganization(app.db)
    const own = await insertFleet(app.db, 1, { organizationId })
    const foreign = await insertFleet(app.db, 2, { organizationId })
    const wide = await app.asUser({ organizationId, functionCodes: allCodes })
    const limited = await app.asUser({
      organizationId,
      functionCodes: allCodes,
      authorities: [['O', String(own.operatorId)]],
    })
    const codes = [...codesOf(own.devices), ...codesOf(foreign.devices)]
    const { id } = (await insert({ queryParam: { codes } }, wide.token)).data
    await batchBecomes(app, wide.token, id, { counts: { total: 3, waiting: 3 }, isWhole: true })
    await expect.poll(async () => (await app.call(listBatchLog, { id }, wide.token)).total).toBe(3)
    await sql`UPDATE parameter_target SET state = 'failed', reason = '参数写入失败', next_at = NULL
      WHERE batch_id = ${id}::int`.execute(app.db)

    expect(await app.call(stopParameterBatch, { id }, limited.token)).toMatchObject({
      status: 403,
      refusal: 'parameterBatchReachesBeyond',
    })
    const seen = await Promise.all([
      app.call(readParameterBatch, { id }, limited.token),
      app.call(listParameterBatches, {}, limited.token),
      app.call(listBatchDevices, { id }, limited.token),
      app.call(listBatchLog, { id }, limited.token),
      app.call(previewRestoration, { id }, limited.token),
    ])
    expect(seen[0].data).toMatchObject({
      isWhole: false,
      counts: { total: 1, failed: 1 },
      queryParam: { codes: codesOf(own.devices) },
      reasons: [{ state: 'failed', reason: '参数写入失败', count: 1 }],
    })
    expect([seen[2].total, seen[3].total]).toEqual([1, 1])
    expect(
      await app.call(listBatchLog, { id, code: [foreign.devices[0]?.code] }, limited.token),
    ).toMatchObject({
      data: [],
      total: 0,
    })
    const told = JSON.stringify(seen)
    expect(told).toContain(own.devices[0]?.code)
    for (const code of codesOf(foreign.devices)) expect(told).not.toContain(code)

    const sheet = async (as: string) => {
      const response = await fetch(`${app.url}/api/equip/param/log/export/fail?id=${id}`, {
        headers: { authorization: as },
      })
      expect(decodeURIComponent(response.headers.get('content-disposition') ?? '')).toMatch(
        /设置失败的设备_CS\d+_\d{14}\.xlsx/,
      )
      return rowsOfSheet(response)
    }
    expect((await sheet(wide.token)).slice(1).map(([code]) => code)).toEqual(codes)
    const [titles, ...rows] = await sheet(limited.token)
    expect(titles).toEqual([
      ...['设备编号', '设备名称', '运营商', '地区', '地址'],
      ...['状态', '原因', '失败次数', '目标值', '原值', '当前值', '更新时间', '试行'],
    ])
    expect(rows.map((cells) => [cells[0], ...cells.slice(5, 11)])).toEqual([
      [
        own.devices[0]?.code,
        '失败',
        '参数写入失败',
        '0',
        '仓位满电SOC：88%',
        '仓位满电SOC：95%',
        '仓位满电SOC：95%',
      ],
    ])

    // A device that was offline until the end stands in it by the page's word.
    await sql`UPDATE parameter_target SET state = 'expired', attempts = 2 WHERE batch_id = ${id}::int`.execute(
      app.db,
    )
    expect((await sheet(limited.token)).slice(1).map((cells) => [cells[5], cells[7]])).toEqual([
      ['超期', '2'],
    ])
    await sql`UPDATE parameter_target SET state = 'failed', attempts = 0 WHERE batch_id = ${id}::int`.execute(
      app.db,
    )

    expect(await app.call(retryParameterBatch, { id }, limited.token)).toMatchObject({ data: { count: 1 } })
    await batchBecomes(app, wide.token, id, { counts: { failed: 2, waiting: 1 } })
    await sql`UPDATE parameter_target SET state = 'succeeded', next_at = NULL WHERE batch_id = ${id}::int`.execute(
      app.db,
    )
    for (const device of [...own.devices, ...foreign.devices])
      await reportValues(app.db, device, { [soc]: 88 })
    const restored = await app.call(restoreParameterBatch, { id }, limited.token)
    expect(restored).toMatchObject({ code: 200, data: { deviceCount: 1 } })
  })
})

describe('a restoration', () => {
  test('restores each device’s former values, except those that changed since or were unknown', async () => {
    const [one, changed, unknown] = fleet.devices as [TestDevice, TestDevice, TestDevice]
    await reportValues(app.db, one, { [soc]: 91 })
    const more = await insertFleet(app.db, 1, { values: {}, operatorId: fleet.operatorId })
    const [silent] = more.devices as [TestDevice]
    const { id } = (await insert({ entitys: entitysOf({ [soc]: 80, [overTemperature]: 70 }) })).data
    await sql`UPDATE parameter_target SET state = 'succeeded', next_at = NULL WHERE batch_id = ${id}::int`.execute(
      app.db,
    )
    for (const device of [one, unknown, silent])
      await reportValues(app.db, device, { [soc]: 80, [overTemperature]: '70' })
    await reportValues(app.db, changed, { [soc]: 50, [overTemperature]: 51 })

    const preview = await app.call(previewRestoration, { id }, token)
    expect(preview.data).toMatchObject({
      chosen: 4,
      devices: 2,
      skipped: expect.arrayContaining([
        { reason: 'changedSince', devices: 1 },
        { reason: 'unknownFormer', devices: 1 },
      ]),
      parameters: [
        { id: soc, value: null, changes: 2, from: [{ value: '80', devices: 2 }] },
        { id: overTemperature, value: null, changes: 2 },
      ],
    })
    const file = await fetch(`${app.url}/api/equip/param/batchSet/restore/preview/export/${id}`, {
      headers: { authorization: token },
    })
    expect((await rowsOfSheet(file)).slice(1).map((cells) => [cells[0], cells.at(-1)])).toEqual(
      [
        [changed.code, skipTexts.changedSince],
        [silent.code, skipTexts.unknownFormer],
      ].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
    const { data: made } = await app.call(restoreParameterBatch, { id }, token)
    expect(made.deviceCount).toBe(2)
    expect(await batchOf(app, token, made.id)).toMatchObject({
      kind: 'restore',
      originId: id,
      originCode: (await batchOf(app, token, id)).code,
      param: [
        { id: soc, name: '仓位满电SOC', value: null },
        { id: overTemperature, name: '过温点', value: null },
      ],
      paramSetRule: { upgradeCount: 3, interval: 5 },
    })
    const rows = await devicesOf(app, token, made.id)
    expect(
      Object.fromEntries(rows.map(({ code, values }) => [code, values.map(({ value }) => value)])),
    ).toEqual({
      [one.code]: ['91', '60'],
      [unknown.code]: ['95', '60'],
      [changed.code]: [],
      [silent.code]: [],
    })
  })
})
