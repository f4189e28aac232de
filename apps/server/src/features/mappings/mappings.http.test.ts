// Mappings over their calls: drafts and versions, who may change them, trials, and what is kept of whose messages.
import {
  activateMapping,
  deleteMapping,
  insertMapping,
  listMappedMessages,
  listMappings,
  readDevice,
  readMapping,
  insertDevice as registerDevice,
  replayMapping,
  tryMapping,
  updateDevice,
  updateMapping,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { keepMessages } from './trials/messages.queries.ts'

const functionCodes = ['mapping:list', 'mapping:insert', 'mapping:update', 'mapping:delete', 'equip:list']
const app = await appOfTests()
const admin = await app.asAdmin()

const rules = [
  {
    target: 'alarm' as const,
    when: 'msg.type == "alarm"',
    fields: { code: { path: '/code', table: { E17: '01110002' } }, value: { path: '/level' } },
  },
]
let count = 0
async function form(fields: object = {}) {
  count += 1
  return {
    name: `映射${count}`,
    modelIds: [String(await insertModel(app.db))],
    topic: 'acme/{code}/up',
    format: 'json' as const,
    rules,
    ...fields,
  }
}
async function inserted(fields: object = {}) {
  const given = await form(fields)
  const { data } = await app.call(insertMapping, given, admin)
  return { ...given, id: data.id }
}
const detailOf = async (id: string, no?: number) =>
  (await app.call(readMapping, { id, ...(no && { no }) }, admin)).data
const lastOperation = async () =>
  (await app.database.pool.query('SELECT * FROM operation_log ORDER BY id DESC LIMIT 1')).rows[0]
const keep = (deviceId: number, message: unknown, fields: object = {}) =>
  keepMessages(app.db, [
    {
      deviceId,
      topic: 'acme/EC/up',
      pattern: 'acme/{code}/up',
      payload: Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message)),
      outcome: 'unmapped',
      detail: '没有规则适用',
      receivedAt: new Date(),
      ...fields,
    },
  ])

describe('a mapping', () => {
  test('keeps everything that its document says', async () => {
    const says = {
      format: 'binary' as const,
      charset: 'gb18030' as const,
      checksum: { type: 'crc16-modbus' as const, at: -2 },
      time: { const: 1_767_225_600, timeUnit: 's' as const },
      messageId: { at: 0, type: 'u8' as const },
      rules: [{ target: 'reading' as const, fields: { 温度: { at: 1, type: 'u8' as const } } }],
      commands: [],
    }
    const { id } = await inserted(says)
    expect((await detailOf(id)).document).toEqual({ topic: 'acme/{code}/up', ...says })
  })

  test('is a draft until it is switched on, and each time that is a version', async () => {
    const { id, name, modelIds, topic, format } = await inserted()
    expect(await detailOf(id)).toMatchObject({
      name,
      activeNo: null,
      isChanged: true,
      ruleCount: 1,
      versions: [],
    })
    await app.call(activateMapping, { id, note: '首版' }, admin)
    expect(await detailOf(id)).toMatchObject({
      activeNo: 1,
      isChanged: false,
      versions: [{ no: 1, note: '首版' }],
    })
    expect(await lastOperation()).toMatchObject({
      target: `报文映射 ${name}`,
      changes: { after: { mappingVersion: 1 } },
    })

    const changed = [...rules, { target: 'ignore' as const }]
    await app.call(updateMapping, { id, name, modelIds, topic, format, rules: changed }, admin)
    expect(await detailOf(id)).toMatchObject({ activeNo: 1, isChanged: true, ruleCount: 2 })
    await app.call(activateMapping, { id }, admin)
    expect(await detailOf(id)).toMatchObject({ activeNo: 2, isChanged: false })
    expect((await detailOf(id, 1)).document.rules).toHaveLength(1)

    await app.call(activateMapping, { id, no: 1 }, admin)
    expect(await detailOf(id)).toMatchObject({ activeNo: 1, isChanged: true })
    expect(await app.call(activateMapping, { id, no: 9 }, admin)).toMatchObject({
      code: 404,
      refusal: 'mappingVersionNotFound',
    })
  })

  test('keeps twenty versions and the one that is on', async () => {
    const { id } = await inserted()
    for (let no = 1; no <= 21; no += 1) await app.call(activateMapping, { id }, admin)
    expect((await detailOf(id)).versions.map(({ no }) => no)).toEqual(
      Array.from({ length: 20 }, (_, at) => 21 - at),
    )
  })

  test('is refused with all that is wrong with it, and nothing is changed', async () => {
    const wrong = [
      { target: 'alarm' as const, fields: { code: { const: 'A' } } },
      { target: 'ignore' as const, when: 'msg.' },
    ]
    const answer = await app.call(insertMapping, await form({ rules: wrong }), admin)
    expect(answer).toMatchObject({ code: 400, message: '第 1 条规则：缺少字段 value' })
    expect(JSON.stringify(answer.data)).toContain('第 2 条规则：条件有语法错误')
    expect((await app.call(listMappings, { keyword: `映射${count}` }, admin)).total).toBe(0)
  })

  test('has a name and models of its own', async () => {
    const { name, modelIds, id } = await inserted()
    expect(await app.call(insertMapping, await form({ name }), admin)).toMatchObject({
      code: 409,
      refusal: 'mappingTaken',
    })
    expect(await app.call(insertMapping, await form({ modelIds }), admin)).toMatchObject({
      code: 409,
      refusal: 'mappingModelTaken',
    })
    expect(await app.call(insertMapping, await form({ modelIds: ['99999999'] }), admin)).toMatchObject({
      code: 400,
      message: '设备型号不存在',
    })
    await app.call(deleteMapping, { id }, admin)
    expect(await app.call(readMapping, { id }, admin)).toMatchObject({
      code: 404,
      refusal: 'mappingNotFound',
    })
    expect(await app.call(insertMapping, await form({ modelIds }), admin)).toMatchObject({ code: 200 })
  })

  test('of which another form was saved meanwhile is a conflict', async () => {
    const { id, ...given } = await inserted()
    await app.call(updateMapping, { id, ...given, version: 1 }, admin)
    expect(await app.call(updateMapping, { id, ...given, version: 1 }, admin)).toMatchObject({
      code: 409,
      refusal: 'conflict',
    })
    expect(await app.call(activateMapping, { id, version: 1 }, admin)).toMatchObject({
      code: 409,
      refusal: 'conflict',
    })
  })

  test('is changed by who sees every device, whatever devices there are now', async () => {
    const { id, ...given } = await inserted()
    const { token } = await app.asUser({ functionCodes, organizationId: await insertOrganization(app.db) })
    const refused = { code: 403, refusal: 'mappingReachesBeyond' }
    expect(await app.call(insertMapping, await form(), token)).toMatchObject(refused)
    expect(await app.call(updateMapping, { id, ...given }, token)).toMatchObject(refused)
    expect(await app.call(activateMapping, { id }, token)).toMatchObject(refused)
    expect(await app.call(deleteMapping, { id }, token)).toMatchObject(refused)
    expect(await detailOf(id)).toMatchObject({ version: 1, activeNo: null })
    expect((await app.call(listMappings, { id }, token)).data).toMatchObject([{ name: given.name }])
  })

  test('needs the functions', async () => {
    const { id } = await inserted()
    const { token } = await app.asUser({ functionCodes: ['equip:list'] })
    expect(await app.call(readMapping, { id }, token)).toMatchObject({ code: 403, refusal: 'notPermitted' })
    expect(
      await app.call(tryMapping, { mapping: await form(), topic: 't', payload: '' }, token),
    ).toMatchObject({ code: 403 })
  })
})

describe('a trial', () => {
  const mapping = { topic: 'acme/{code}/up', format: 'json' as const, rules }
  const trial = async (input: object) =>
    (await app.call(tryMapping, { mapping, topic: 'acme/EC7/up', payload: '{}', ...input }, admin)).data

  test('shows what a message would become, and what no rule reads', async () => {
    expect(await trial({ payload: '{"type":"alarm","code":"E17","level":2,"rssi":-70}' })).toMatchObject({
      isMapped: true,
      faults: [],
      problems: [],
      unused: ['/rssi'],
      reports: [{ target: 'alarm', payload: { code: '01110002', value: 2 } }],
    })
    expect(await trial({ payload: '{"type":"x"}' })).toMatchObject({
      isMapped: false,
      faults: ['没有规则适用'],
    })
    expect(await trial({ code: 'EC8', payload: '{}' })).toMatchObject({ isForeign: true })
  })

  test('takes bytes, and a command', async () => {
    const binary = {
      topic: 't',
      format: 'binary' as const,
      rules: [{ target: 'reading' as const, fields: { v: { at: 0, type: 'u8' as const } } }],
    }
    expect(await trial({ mapping: binary, topic: 't', payload: '0A 0b', encoding: 'hex' })).toMatchObject({
      reports: [{ payload: { status: { v: 10 } } }],
    })
    expect(
      await app.call(tryMapping, { mapping, topic: 't', payload: '0', encoding: 'hex' }, admin),
    ).toMatchObject({ code: 400, message: '报文应为成对的十六进制数字' })
    const commands = [
      {
        command: 'action' as const,
        topic: 'acme/{code}/cmd',
        fields: { a: { path: '/action' } },
        payload: { op: '{{a}}' },
      },
    ]
    expect(await trial({ mapping: { ...mapping, commands }, command: 'action', payload: '' })).toMatchObject({
      told: { topic: 'acme/EC7/cmd', payload: '{"op":"openDoor"}', encoding: 'text' },
    })
    expect(await trial({ command: 'action', payload: '' })).toMatchObject({
      told: null,
      faults: ['没有命令适用'],
    })
  })

  test('says what is wrong with the mapping', async () => {
    expect(await trial({ mapping: { ...mapping, rules: [{ target: 'ignore', when: 'x' }] } })).toMatchObject({
      isMapped: false,
      problems: ['第 1 条规则：条件中只能用 msg、topic、item、index、bytes，没有 x'],
    })
  })
})

describe('kept messages', () => {
  test('are those of devices that the caller sees, tried anew', async () => {
    const { id, modelIds } = await inserted()
    const modelId = Number(modelIds[0])
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    const own = await insertDevice(app.db, { modelId, operatorId, code: 'MAPOWN1' })
    const foreign = await insertDevice(app.db, { modelId })
    await keep(own.id, { type: 'alarm', code: 'E17', level: 1 }, { topic: 'acme/MAPOWN1/up' })
    await keep(own.id, Buffer.from([1, 2, 255]), {
      topic: 'acme/MAPOWN1/up',
      outcome: 'mapped',
      detail: null,
    })
    await keep(foreign.id, { type: 'x' })
    const { token } = await app.asUser({ functionCodes, organizationId })
    const { data, total } = await app.call(listMappedMessages, { mappingId: id }, token)
    expect([total, data]).toMatchObject([
      2,
      [
        { equipCode: 'MAPOWN1', encoding: 'hex', payload: '0102ff', outcome: 'mapped' },
        { equipCode: 'MAPOWN1', encoding: 'text', outcome: 'unmapped', detail: '没有规则适用' },
      ],
    ])
    expect((await app.call(listMappedMessages, { mappingId: id }, admin)).total).toBe(3)
    expect((await app.call(listMappedMessages, { mappingId: id, outcome: 'mapped' }, admin)).total).toBe(1)
    expect((await app.call(listMappings, { id }, token)).data).toMatchObject([{ deviceCount: 1 }])

    const replay = (await app.call(replayMapping, { id }, token)).data
    expect(replay).toMatchObject({
      total: 2,
      mapped: 1,
      unmapped: 1,
      lost: 1,
      gained: 1,
      reports: [{ target: 'alarm', count: 1 }],
    })
    expect(replay.rows.map(({ result }) => result.isMapped)).toEqual([false, true])
    expect((await app.call(replayMapping, { id }, admin)).data).toMatchObject({ total: 3, unmapped: 2 })
  })

  test('are the last twenty of a device and of a topic, and leave those of other operators alone', async () => {
    const { id, modelIds } = await inserted()
    const modelId = Number(modelIds[0])
    const [loud, other] = [await insertDevice(app.db, { modelId }), await insertDevice(app.db, { modelId })]
    await keep(other.id, { quiet: 1 })
    for (let at = 0; at < 25; at += 1) await keep(loud.id, { at }, { pattern: `p${at}` })
    expect(
      (await app.call(listMappedMessages, { mappingId: id, code: loud.code, pageSize: 100 }, admin)).data.map(
        ({ payload }) => payload,
      ),
    ).toEqual(Array.from({ length: 20 }, (_, at) => `{"at":${24 - at}}`))
    expect((await app.call(listMappedMessages, { mappingId: id, code: other.code }, admin)).total).toBe(1)
  })
})

describe('a device of another maker', () => {
  test('says what its protocol has no words for', async () => {
    const commands = [
      {
        command: 'action' as const,
        when: 'msg.action == "openDoor"',
        topic: 'acme/{code}/cmd',
        payload: 'open',
      },
    ]
    const { id, name, modelIds } = await inserted({ commands })
    const device = await insertDevice(app.db, { modelId: Number(modelIds[0]) })
    const spoken = async () => (await app.call(readDevice, { id: String(device.id) }, admin)).data.speaks
    expect((await spoken()).lacks).toContain('openDoor')
    await app.call(activateMapping, { id }, admin)
    expect(await spoken()).toEqual({
      name,
      lacks: expect.not.arrayContaining(['openDoor']),
      isObserved: false,
    })
    expect((await spoken()).lacks).toContain('restart')
    const ours = await insertDevice(app.db)
    expect((await app.call(readDevice, { id: String(ours.id) }, admin)).data.speaks).toEqual({
      name: '标准协议',
      lacks: [],
      isObserved: false,
    })
  })

  test('has an identity of its own', async () => {
    const [one, two] = [await insertDevice(app.db), await insertDevice(app.db)]
    const change = async ({ id }: { id: number }, protocolIdentity: string) => {
      const { data } = await app.call(readDevice, { id: String(id) }, admin)
      const { operatorId, equipModelId, regionCode, version } = data
      return app.call(
        updateDevice,
        { id: String(id), operatorId, equipModelId, regionCode, version, protocolIdentity },
        admin,
      )
    }
    expect(await change(one, 'SN-2024-0001')).toMatchObject({ code: 200 })
    expect((await app.call(readDevice, { id: String(one.id) }, admin)).data.protocolIdentity).toBe(
      'SN-2024-0001',
    )
    expect(await change(two, 'SN-2024-0001')).toMatchObject({ code: 409, refusal: 'protocolIdentityTaken' })
    expect(await change(one, one.code)).toMatchObject({ code: 200 })
    expect(await change(two, 'SN-2024-0001')).toMatchObject({ code: 200 })
    expect(await change(two, 'a/b')).toMatchObject({ code: 400, message: '接入标识不能含 /、+、#' })
  })

  test('calls itself by no code of another device, and no code is what another calls itself: it would be taken for that one', async () => {
    const organizationId = await insertOrganization(app.db)
    const elsewhere = await insertOperator(app.db, { organizationId })
    const { token } = await app.asUser({
      organizationId,
      functionCodes: ['equip:insert', 'equip:update', 'equip:list'],
    })
    const modelId = await insertModel(app.db)
    const { code } = await insertDevice(app.db, { modelId })
    const serial = `SN${code}`
    await app.db.updateTable('device').set({ protocol_identity: serial }).where('code', '=', code).execute()
    const place = { operatorId: String(elsewhere), equipModelId: String(modelId), regionCode: '440305' }
    expect(await app.call(registerDevice, { ...place, code: serial }, token)).toMatchObject({
      status: 409,
      refusal: 'deviceCodeTaken',
    })
    const named = { ...place, code: `${serial}X`, protocolIdentity: code }
    expect(await app.call(registerDevice, named, token)).toMatchObject({
      status: 409,
      refusal: 'protocolIdentityTaken',
    })
    const own = await app.call(registerDevice, { ...named, protocolIdentity: `${serial}Y` }, token)
    const change = { ...place, id: own.data.id, version: 1, protocolIdentity: code }
    expect(await app.call(updateDevice, change, token)).toMatchObject({ refusal: 'protocolIdentityTaken' })
    // At once: who is first has it, and the other is refused.
    for (const n of [1, 2, 3, 4]) {
      const name = `BOTH${n}${code}`
      const { data } = await app.call(readDevice, { id: own.data.id }, token)
      const [coded, called] = await Promise.all([
        app.call(registerDevice, { ...place, code: name }, token),
        app.call(updateDevice, { ...change, version: data.version, protocolIdentity: name }, token),
      ])
      expect([coded.code, called.code].toSorted()).toEqual([200, 409])
    }
  })
})
