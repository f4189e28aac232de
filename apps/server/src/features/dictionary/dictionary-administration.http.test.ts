import {
  decodeAlarms,
  deleteDictionaryEntry,
  insertDictionaryEntry,
  listAlarmHistory,
  listAlarms,
  listDictionary,
  listDictionaryTypes,
  readEnums,
  updateDictionaryEntry,
} from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/topic'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel, insertOrganization, insertUser } from '../../../test/factories.ts'
import { connectRaw } from '../../../test/mqtt-client.ts'
import { foldDeltas, recountLevels } from '../../domain/history/counters.ts'

const app = await appOfTests()
const token = await app.asAdmin()

let count = 0
const event = (fields: Record<string, unknown> = {}) => ({
  code: `E${++count}`,
  name: '门磁触发',
  type: 'EVENT',
  note: '值为门号',
  ...fields,
})
const alarm = (fields: Record<string, unknown> = {}) => ({
  code: `A${++count}`,
  name: '测试告警',
  type: 'ALARM',
  note: '测试',
  alarmLevel: 2,
  analysisType: 'BIT',
  ...fields,
})
const insert = (fields: Record<string, unknown>) => app.call(insertDictionaryEntry, fields, token)
const update = (fields: Record<string, unknown>) => app.call(updateDictionaryEntry, fields, token)
const remove = (id: string) => app.call(deleteDictionaryEntry, { id }, token)
const rowOf = async (type: string, code: string) => {
  const { data } = await app.call(listDictionary, { type, code, pageSize: 500 }, token)
  const row = data.find((each) => each.code === code)
  if (!row) throw new Error(`no entry ${type} ${code}`)
  return row
}
const made = async (fields: Record<string, unknown>) => {
  expect(await insert(fields)).toMatchObject({ code: 200 })
  return rowOf(String(fields.type), String(fields.code))
}

describe('the form of an entry', () => {
  // proves: rule dictionary.code; rule dictionary.name; rule dictionary.type; rule dictionary.note
  test('reports each missing field with its own message', async () => {
    expect(await insert({})).toMatchObject({
      status: 400,
      message: '请输入编码',
      data: [
        { field: 'code', message: '请输入编码' },
        { field: 'name', message: '请输入名称' },
        { field: 'type', message: '请选择类型' },
        { field: 'note', message: '请输入备注' },
      ],
    })
    const { data } = await insert({ type: 'ALARM' })
    expect(data).toEqual(
      expect.arrayContaining([
        { field: 'code', message: '请输入编码' },
        { field: 'alarmLevel', message: '请选择告警级别' },
        { field: 'analysisType', message: '请选择解析方式' },
      ]),
    )
  })

  // proves: rule dictionary.code; message 长度不能超过8个字符; constant dictionary code
  test('accepts a code of 8 characters and refuses one of 9', async () => {
    expect(await insert(event({ code: '123456789' }))).toMatchObject({
      status: 400,
      message: '长度不能超过8个字符',
      data: [{ field: 'code', message: '长度不能超过8个字符' }],
    })
    expect(await insert(event({ code: ' 12345678 ' }))).toMatchObject({ code: 200 })
    expect(await rowOf('EVENT', '12345678')).toMatchObject({ name: '门磁触发' })
  })

  test('accepts only types of capital letters, digits and underscores', async () => {
    expect(await insert(event({ type: 'alarm' }))).toMatchObject({
      status: 400,
      message: '类型只能是大写字母、数字和下划线，并以字母开头',
    })
  })

  // proves: rule dictionary.alarmLevel; rule dictionary.analysisType; constant alarm levels
  test('requires level and analysis type of an alarm, with valid values', async () => {
    const { data } = await insert(alarm({ alarmLevel: 5, analysisType: 'BYTE' }))
    expect(data).toEqual([
      { field: 'alarmLevel', message: '告警级别只能是 1、2、3、4' },
      { field: 'analysisType', message: '解析方式只能是 BIT 或 VALUE' },
    ])
    expect((await insert(alarm({ alarmLevel: 0 }))).status).toBe(400)
    for (const alarmLevel of [1, 2, 3, 4])
      expect((await made(alarm({ alarmLevel }))).alarmLevel).toBe(alarmLevel)
  })

  test('keeps a unit for events only', async () => {
    const row = await made(event({ unit: '号门' }))
    expect(row.unit).toBe('号门')
    await update(event({ id: row.id, code: row.code }))
    expect((await rowOf('EVENT', row.code)).unit).toBe(null)
    expect((await made(alarm({ unit: '%' }))).unit).toBe(null)
    expect(await insert(event({ unit: '一'.repeat(17) }))).toMatchObject({ status: 400 })
  })

  test('ignores fields of alarms for other entries', async () => {
    const definitions = [{ bitPosition: 0, equipClassify: 'EC', name: '柜门' }]
    const row = await made(event({ alarmLevel: 1, analysisType: 'BIT', definitions }))
    expect(row).toMatchObject({ alarmLevel: null, analysisType: null })
    expect(row).not.toHaveProperty('definitions')
  })

  test('refuses a code that its type has already, also in an update, and allows it for another type', async () => {
    const first = await made(event())
    const second = await made(event())
    const taken = { status: 409, message: '该类型下已存在相同的编码' }
    expect(await insert(event({ code: first.code }))).toMatchObject(taken)
    expect(await update({ ...event({ code: first.code }), id: second.id })).toMatchObject(taken)
    expect(await insert(event({ code: first.code, type: 'STATUS' }))).toMatchObject({ code: 200 })
  })
})

describe('the definitions of an alarm', () => {
  const bit = (bitPosition: unknown, fields: Record<string, unknown> = {}) => ({
    bitPosition,
    equipClassify: 'EC',
    name: `位${String(bitPosition)}`,
    ...fields,
  })

  test('are validated row by row', async () => {
    const { data } = await insert(
      alarm({
        definitions: [
          bit(52),
          bit(53),
          bit(-1),
          bit('x'),
          bit(3),
          bit('3'),
          bit(3, { equipClassify: 'ESS' }),
          {},
        ],
      }),
    )
    expect(data).toEqual([
      { field: 'definitions.2.bitPosition', message: '位号或值不能小于 0' },
      { field: 'definitions.3.bitPosition', message: '位号或值应为整数' },
      { field: 'definitions.7.bitPosition', message: '位号或值应为整数' },
      { field: 'definitions.7.equipClassify', message: '请选择设备类别' },
      { field: 'definitions.7.name', message: '请输入含义' },
      { field: 'definitions.1.bitPosition', message: '按位解析时位号应为 0 到 52' },
      { field: 'definitions.5.bitPosition', message: '同一设备类别下位号重复' },
    ])
  })

  test('by value may be any safe integer, once per family of devices', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    const entry = await made(alarm({ analysisType: 'VALUE', definitions: [bit(largest), bit(0)] }))
    expect(entry.definitions).toEqual([bit(0), bit(largest)])
    const twice = await insert(alarm({ analysisType: 'VALUE', definitions: [bit(7), bit(7)] }))
    expect(twice.data).toEqual([{ field: 'definitions.1.bitPosition', message: '同一设备类别下值重复' }])
    const unsafe = await insert(alarm({ analysisType: 'VALUE', definitions: [bit(2 ** 53)] }))
    expect(unsafe).toMatchObject({ status: 400 })
  })

  test('must be for existing families of devices', async () => {
    expect(await insert(alarm({ definitions: [bit(0), bit(1, { equipClassify: 'UFO' })] }))).toMatchObject({
      status: 400,
      data: [{ field: 'definitions.1.equipClassify', message: '设备类别不存在' }],
    })
  })

  test('are used by the next decoding, and are kept when an update leaves them out', async () => {
    const entry = await made(alarm({ definitions: [bit(0), bit(1)] }))
    const decode = async (value: number) => {
      const asked = { alarmCodes: [{ alarmCode: value, code: entry.code }], classify: 'EC' }
      return (await app.call(decodeAlarms, asked, token)).data.map(({ name }) => name)
    }
    const form = alarm({ code: entry.code, id: entry.id })
    expect(await decode(3)).toEqual(['位0', '位1'])
    await update({ ...form, definitions: [bit(1, { name: '改名' }), bit(2)] })
    expect(await decode(7)).toEqual(['改名', '位2'])
    await update({ ...form, name: '仅改名称' })
    expect(await decode(7)).toEqual(['改名', '位2'])
    await update({ ...form, analysisType: 'VALUE' })
    expect(await decode(2)).toEqual(['位2'])
    await update({ ...form, definitions: [] })
    expect(await decode(7)).toEqual([])
  })

  test('that are kept must match the analysis type', async () => {
    const entry = await made(alarm({ analysisType: 'VALUE', definitions: [bit(100)] }))
    expect(await update(alarm({ code: entry.code, id: entry.id }))).toMatchObject({
      status: 400,
      data: [{ field: 'definitions', message: '按位解析时位号应为 0 到 52' }],
    })
  })

  // proves: call POST /enum/delete
  test('are deleted with the type ALARM and with the entry', async () => {
    const definitions = [bit(0)]
    const entry = await made(alarm({ definitions }))
    expect(await update(event({ code: entry.code, id: entry.id }))).toMatchObject({ code: 200 })
    expect(await update(alarm({ code: entry.code, id: entry.id }))).toMatchObject({ code: 200 })
    expect((await rowOf('ALARM', entry.code)).definitions).toEqual([])
    const other = await made(alarm({ definitions }))
    expect(await remove(other.id)).toMatchObject({ code: 200 })
    const left = await app.db
      .selectFrom('semaphore_definition')
      .select('name')
      .where('entry_id', '=', Number(other.id))
      .execute()
    expect(left).toEqual([])
  })
})

describe('an entry that the server depends on', () => {
  test('may be renamed, but keeps its code', async () => {
    const online = await rowOf('ONLINE_STATUS', '1')
    expect(online.isFixed).toBe(true)
    const form = { id: online.id, type: 'ONLINE_STATUS', name: '已连接', note: '设备在线' }
    expect(await update({ ...form, code: '1' })).toMatchObject({ code: 200 })
    const fixed = { status: 409, message: '系统内置的编码，不能修改类型、编码或删除' }
    expect(await update({ ...form, code: '3' })).toMatchObject(fixed)
    expect(await update({ ...form, code: '1', type: 'OTHER' })).toMatchObject(fixed)
    expect(await remove(online.id)).toMatchObject(fixed)
    for (const [type, code] of [
      ['SEMAPHORE_TYPE', 'ALARM'],
      ['ALARM_ANALYSIS_TYPE', 'BIT'],
      ['PARAM', '02121010'],
    ] as const) {
      expect(await remove((await rowOf(type, code)).id)).toMatchObject(fixed)
    }
  })

  test('is refused with what uses it: families of devices, user types, types of semaphores', async () => {
    const free = { type: 'EQUIP_CLASSIFY', name: '飞艇', note: '测试' }
    const ofType = await made({ ...free, code: 'ZEP' })
    await insertModel(app.db, { classify: 'ZEP' })
    const ofDefinition = await made({ ...free, code: 'KITE' })
    await made(alarm({ definitions: [{ bitPosition: 0, equipClassify: 'KITE', name: '断线' }] }))
    for (const { id } of [ofType, ofDefinition]) {
      expect(await remove(id)).toMatchObject({
        status: 409,
        message: '设备类别已用于设备类型或告警的位定义，不能修改编码或删除',
      })
    }
    expect(await update({ ...free, id: ofType.id, code: 'ZEP', name: '气球' })).toMatchObject({ code: 200 })
    expect(await update({ ...free, id: ofType.id, code: 'BALLOON' })).toMatchObject({ status: 409 })

    const userType = await made({ type: 'USER_TYPE', code: '9', name: '访客', note: '测试' })
    const user = await insertUser(app.db)
    await app.db.updateTable('app_user').set({ user_type: '9' }).where('id', '=', user.id).execute()
    expect(await remove(userType.id)).toMatchObject({
      status: 409,
      message: '用户类型已用于用户，不能修改编码或删除',
    })

    const semaphoreType = await made({ type: 'SEMAPHORE_TYPE', code: 'CONTROL', name: '控制', note: '测试' })
    const control = await made(event({ type: 'CONTROL' }))
    expect(await remove(semaphoreType.id)).toMatchObject({
      status: 409,
      message: '信号类型下存在字典，不能修改编码或删除',
    })
    expect(await remove(control.id)).toMatchObject({ code: 200 })
    expect(await remove(semaphoreType.id)).toMatchObject({ code: 200 })
  })
})

describe('an alarm that devices report', () => {
  const report = async (code: string, value: number) => {
    const device = await insertDevice(app.db)
    const { client } = await connectRaw(app.ports.mqttPort as number, device)
    await client.publish(topicOf(device.code, 'up', 'alarm'), { id: 'one', time: Date.now(), code, value })
    return {
      device,
      recover: async () => {
        await client.publish(topicOf(device.code, 'up', 'alarm'), {
          id: 'two',
          time: Date.now() + 1,
          code,
          value: 0,
        })
        await client.disconnect()
      },
    }
  }

  test('keeps its code while it is active; afterwards its history shows the code', async () => {
    const entry = await made(alarm())
    const { device, recover } = await report(entry.code, 1)
    const active = { status: 409, message: '该告警仍有设备未恢复，不能修改编码或删除' }
    expect(await remove(entry.id)).toMatchObject(active)
    expect(await update(alarm({ id: entry.id, code: 'OTHER' }))).toMatchObject(active)
    await recover()
    expect(await remove(entry.id)).toMatchObject({ code: 200 })
    const { data } = await app.call(listAlarmHistory, { code: device.code }, token)
    expect(data).toMatchObject([{ semaphoreName: entry.code, semaphoreCode: entry.code, alarmLevel: null }])
  })

  test('is counted by its new level at once, before and after the counters are updated', async () => {
    const entry = await made(alarm({ alarmLevel: 1 }))
    const { recover } = await report(entry.code, 1)
    await foldDeltas(app.db)
    await recountLevels(app.db)
    const totals = async () => {
      const at = async (alarmLevel: number) => [
        (await app.call(listAlarms, { alarmLevel }, token)).total,
        (await app.call(listAlarmHistory, { alarmLevel }, token)).total,
      ]
      return { urgent: await at(1), warning: await at(4) }
    }
    const before = await totals()
    await update(alarm({ id: entry.id, code: entry.code, alarmLevel: 4 }))
    const moved = {
      urgent: before.urgent.map((n) => Number(n) - 1),
      warning: before.warning.map((n) => Number(n) + 1),
    }
    expect(await totals()).toEqual(moved)
    await foldDeltas(app.db)
    await recountLevels(app.db)
    expect(await totals()).toEqual(moved)
    await recover()
  })
})

describe('two administrators', () => {
  // proves: call POST /enum/update
  test('of one entry: the later one gets a conflict, and the earlier change is kept', async () => {
    const entry = await made(event())
    expect(entry.version).toBe(1)
    const form = event({ id: entry.id, code: entry.code, version: entry.version })
    expect(await update({ ...form, name: '先到' })).toMatchObject({ code: 200 })
    expect(await update({ ...form, name: '后到' })).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    expect(await rowOf('EVENT', entry.code)).toMatchObject({ name: '先到', version: 2 })
    expect(await update({ ...form, name: '重试', version: 2 })).toMatchObject({ code: 200 })
    expect(await update({ ...form, name: '不带版本', version: undefined })).toMatchObject({ code: 200 })
  })
})

test('an entry that does not exist is reported as such', async () => {
  const missing = { status: 404, message: '字典不存在' }
  expect(await remove('99999999999')).toMatchObject(missing)
  expect(await update(event({ id: '2000000000' }))).toMatchObject(missing)
})

// proves: call POST /enum/insert
test('a new entry is the last of its type, and all reads of enumerations contain it', async () => {
  const entry = await made({ type: 'USER_TYPE', code: '8', name: '维保用户', note: '外部维保' })
  const { data } = await app.call(readEnums, { types: ['USER_TYPE'] }, token)
  expect(data.USER_TYPE?.at(-1)).toMatchObject({ id: entry.id, code: '8' })
})

test('the list of types has Chinese names and counts, and includes types without entries', async () => {
  await made(event({ type: 'OWN_TYPE' }))
  const { data } = await app.call(listDictionaryTypes, {}, token)
  expect(data.slice(0, 4).map(({ type, name }) => [type, name])).toEqual([
    ['ALARM', '告警'],
    ['EVENT', '事件'],
    ['PARAM', '参数'],
    ['STATUS', '状态'],
  ])
  expect(data).toContainEqual({ type: 'PARAM', name: '参数', count: 11 })
  expect(data).toContainEqual({ type: 'APP_ADDR', name: '应用下载地址', count: 0 })
  expect(data).toContainEqual({ type: 'OWN_TYPE', name: 'OWN_TYPE', count: 1 })
})

describe('what a code of alarms means', () => {
  const functionCodes = ['enum:list', 'enum:insert', 'enum:update', 'enum:delete']
  const refused = { status: 403, refusal: 'alarmCodeReachesBeyond' }
  const strangerOf = async () =>
    (await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })).token

  test('is changed by nobody who does not see all devices', async () => {
    const stranger = await strangerOf()
    const definitions = [{ bitPosition: 2, equipClassify: 'EC', name: '3号仓位过温' }]
    const { id, code, name } = await made(alarm({ isFire: 1, definitions }))
    const form = alarm({ id, code, name, isFire: 1, definitions })
    for (const change of [
      { isFire: 0 },
      { alarmLevel: 4 },
      { definitions: [{ ...definitions[0], name: '4号仓位过温' }] },
      { definitions: [] },
      { analysisType: 'VALUE' },
      { name: '4号仓位过温' },
      { code: `B${code}` },
      { type: 'EVENT' },
    ])
      expect(await app.call(updateDictionaryEntry, { ...form, ...change }, stranger)).toMatchObject(refused)
    expect(await app.call(deleteDictionaryEntry, { id }, stranger)).toMatchObject(refused)
    expect(await app.call(insertDictionaryEntry, alarm({ isFire: 1 }), stranger)).toMatchObject(refused)
    const turned = await made(event())
    const asAlarm = { ...alarm(), id: turned.id, code: turned.code }
    expect(await app.call(updateDictionaryEntry, asAlarm, stranger)).toMatchObject(refused)
    expect(await rowOf('ALARM', code)).toMatchObject({ isFire: true, alarmLevel: 2, definitions })
  })

  test('may be noted by whoever has the function, and named where it is none of fire', async () => {
    const stranger = await strangerOf()
    for (const [isFire, change] of [
      [0, { name: '柜门打开', note: '说明' }],
      [1, { note: '说明' }],
    ] as const) {
      const { id, code, name } = await made(alarm({ isFire }))
      const form = { ...alarm({ isFire }), id, code, name, ...change }
      expect(await app.call(updateDictionaryEntry, form, stranger)).toMatchObject({ code: 200 })
    }
  })

  test('is also its name where meanings take the compartment from it: a shelf of a compartment goes by it', async () => {
    const stranger = await strangerOf()
    const of = (name: string) => [{ bitPosition: 2, equipClassify: 'EC', name }]
    for (const [name, meaning, other] of [
      ['通信故障', '无应答', '3号仓通信故障'],
      ['仓位过温', '3号', '过温'],
      ['3号仓过温', '传感器', '过温'],
    ] as const) {
      const { id, code } = await made(alarm({ name, definitions: of(meaning) }))
      const form = { ...alarm(), id, code, name, definitions: of(meaning) }
      expect(await app.call(updateDictionaryEntry, { ...form, name: other }, stranger)).toMatchObject(refused)
      expect(await rowOf('ALARM', code)).toMatchObject({ name })
      expect(await app.call(updateDictionaryEntry, { ...form, name: `${name}！` }, stranger)).toMatchObject({
        code: 200,
      })
      expect(await update({ ...form, name: other })).toMatchObject({ code: 200 })
    }
  })

  test('of other entries is nobody’s devices: they are changed as before', async () => {
    const stranger = await strangerOf()
    expect(await app.call(insertDictionaryEntry, event(), stranger)).toMatchObject({ code: 200 })
  })
})

test('the operation log records what a write changed, and nothing else', async () => {
  const definitions = [
    { bitPosition: 0, equipClassify: 'EC', name: '旧名' },
    { bitPosition: 1, equipClassify: 'EC', name: '不变' },
  ]
  const entry = await made(alarm({ definitions }))
  const renamed = [{ ...definitions[0], name: '新名' }, definitions[1]]
  await update(alarm({ id: entry.id, code: entry.code, alarmLevel: 3, definitions: renamed }))
  const logged = await app.db
    .selectFrom('operation_log')
    .select(['target', 'summary', 'changes'])
    .where('call', '=', '/enum/update')
    .where('result_code', '=', 200)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  expect(logged).toEqual({
    target: `字典 ALARM ${entry.code}`,
    summary: '修改字典',
    changes: {
      before: { alarmLevel: 2, definitions: [definitions[0]] },
      after: { alarmLevel: 3, definitions: [renamed[0]] },
    },
  })
})
