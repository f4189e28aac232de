import {
  actOnDevice,
  agreeApproval,
  countApprovals,
  deleteApiKey,
  deleteDevice,
  listApprovals,
  listOperations,
  listRemoteActions,
  listTasks,
  readDeviceTimeline,
  recoverAlarm,
  refuseApproval,
  insertDevice as registerDevice,
  remoteActionCodes,
  remoteActions,
  renewDeviceSecret,
  updateDevice,
  updateUser,
  withdrawApproval,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { makeKey } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import { clientOf } from '../../../test/client.ts'
import {
  insertAlarm,
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
} from '../../../test/factories.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const modelOf = async (code: string): Promise<number> =>
  (await app.database.pool.query('SELECT id FROM equip_model WHERE code = $1', [code])).rows[0].id
const cabinetModel = await modelOf('VK-EC12')
await app.database.pool.query(
  `INSERT INTO equip_model (name, code, equip_type_id, compartment_count)
  SELECT 'VK-EC12B', 'VK-EC12B', equip_type_id, compartment_count FROM equip_model WHERE id = $1`,
  [cabinetModel],
)
const otherCabinetModel = await modelOf('VK-EC12B')
const batteryModel = await modelOf('VK-B6030')

/** A cabinet that is connected according to the tables; nothing answers for it. */
async function cabinet({ modelId = cabinetModel, isOnline = true } = {}) {
  const device = await insertDevice(app.db, { modelId, operatorId })
  await sql`
    UPDATE device_state SET is_online = ${isOnline}, status_at = now(),
      compartments = '[{"no": 3, "state": "charging", "batteryCode": "BT003"}]'
    WHERE device_id = ${device.id}`.execute(app.db)
  return { ...device, id: String(device.id), numericId: device.id }
}
const opener = async (functionCodes: readonly string[] = ['equip:open']) =>
  app.asUser({ organizationId, functionCodes })
const open = (id: string, token: string, more: object = {}) =>
  app.call(actOnDevice, { id, action: 'openDoor', compartment: 3, reason: '电池卡住', ...more }, token)
const recordOf = async (id: string, token = admin) => (await app.call(listRemoteActions, { id }, token)).data
const lockWaits = async (query: string) =>
  (
    await app.database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [`%${query}%`],
    )
  ).rows.length
/** Raises an alarm of fire in compartment 3: 仓位过温, bit 2. */
const setOnFire = (
  { numericId, code, secret }: { numericId: number; code: string; secret: string },
  value = 4,
) => insertAlarm(app.db, { id: numericId, code, secret }, '01120003', 1, { value })

describe('a remote action', () => {
  test('is recorded with who asked, why, from where and for which battery', async () => {
    const device = await cabinet()
    const user = await opener()
    const { code, message, data } = await open(device.id, user.token)
    expect([code, message, Object.keys(data)]).toEqual([200, '已发送', ['commandId']])
    expect(await recordOf(device.id)).toMatchObject([
      {
        equipCode: device.code,
        action: 'openDoor',
        compartment: 3,
        batteryCode: 'BT003',
        reason: '电池卡住',
        state: 'sent',
        commandId: data.commandId,
        createBy: user.loginName,
        address: '127.0.0.1',
        approvedBy: null,
      },
    ])
    const { data: operations } = await app.call(listOperations, {}, admin)
    expect(operations.find(({ target }) => target === `设备 ${device.code}`)).toMatchObject({
      loginName: user.loginName,
      changes: {
        after: { action: '打开仓门', compartment: '3号仓', batteryCode: 'BT003', reason: '电池卡住' },
      },
    })
    const timeline = (await app.call(readDeviceTimeline, { id: device.id, kinds: ['action'] }, user.token))
      .data
    // The timeline is for who lists devices.
    expect(timeline).toBeNull()
    const seen = (await app.call(readDeviceTimeline, { id: device.id, kinds: ['action'] }, admin)).data
    expect(seen.entries).toMatchObject([
      { kind: 'action', name: 'openDoor', value: '3', state: 'sent', detail: '电池卡住', by: user.loginName },
    ])
    const { rows } = await sql<{ left: number; body: object }>`
      SELECT extract(epoch FROM deadline - created_at)::float8 AS left, body FROM device_command
      WHERE id = ${data.commandId}`.execute(app.db)
    expect(rows).toMatchObject([{ body: { action: 'openDoor', compartment: 3, reason: '电池卡住' } }])
    expect(Math.round(rows[0]?.left ?? 0)).toBe(60)
  })

  test('needs the function of its own', async () => {
    const device = await cabinet()
    for (const action of remoteActions) {
      const others = remoteActions.filter((one) => remoteActionCodes[one] !== remoteActionCodes[action])
      const user = await opener([...new Set(others.map((one) => remoteActionCodes[one]))])
      const input = {
        id: device.id,
        action,
        reason: '试',
        ...(action.includes('Compartment') && { compartment: 3 }),
      }
      const refused = await app.call(
        actOnDevice,
        action === 'openDoor' ? { ...input, compartment: 3 } : input,
        user.token,
      )
      expect(refused).toMatchObject({ status: 403, refusal: 'notPermitted' })
    }
    expect(await recordOf(device.id)).toEqual([])
    const reader = await app.asUser({ organizationId, functionCodes: ['action:list'] })
    expect(await open(device.id, reader.token)).toMatchObject({ status: 403 })
    expect(await recordOf(device.id, reader.token)).toEqual([])
  })

  test('on a device out of scope is answered like one on a device that does not exist', async () => {
    const device = await cabinet()
    const stranger = await app.asUser({
      organizationId: await insertOrganization(app.db),
      functionCodes: ['equip:open'],
    })
    const [{ status, message, refusal }, missing] = [
      await open(device.id, stranger.token),
      await open('999999', stranger.token),
    ]
    expect({ status, message, refusal }).toEqual({
      status: missing.status,
      message: missing.message,
      refusal: missing.refusal,
    })
    expect(status).toBe(404)
    await open(device.id, admin)
    expect(await recordOf(device.id, stranger.token)).toEqual([])
    expect((await app.call(listRemoteActions, {}, stranger.token)).total).toBe(0)
  })

  test('on a device that is offline is refused at once, and nothing waits for it', async () => {
    const device = await cabinet({ isOnline: false })
    expect(await open(device.id, admin)).toMatchObject({
      status: 409,
      refusal: 'deviceOffline',
      message: '设备不在线，操作未发送',
    })
    expect(await recordOf(device.id)).toEqual([])
    const { rows } = await sql`SELECT FROM device_command WHERE device_id = ${device.numericId}`.execute(
      app.db,
    )
    expect(rows).toEqual([])
  })

  test('names a compartment where it has to, and one that the model has', async () => {
    const device = await cabinet()
    const problems = async (id: string, more: object) => {
      const { status, data } = await open(id, admin, more)
      const errors = data as unknown as { field: string; message: string }[]
      return [status, errors.map(({ field, message }) => `${field} ${message}`)]
    }
    expect(await problems(device.id, { compartment: undefined })).toEqual([400, ['compartment 请选择仓位']])
    expect(await problems(device.id, { action: 'restart' })).toEqual([400, ['compartment 该操作不针对仓位']])
    expect(await problems(device.id, { compartment: 13 })).toEqual([
      400,
      ['compartment 该设备只有 12 个仓位'],
    ])
    expect(await problems(device.id, { reason: ' ' })).toEqual([400, ['reason 请输入操作原因']])
    const battery = await cabinet({ modelId: batteryModel })
    expect(await problems(battery.id, {})).toEqual([400, ['action 该设备不是换电柜，没有仓位']])
    expect(
      await app.call(actOnDevice, { id: battery.id, action: 'reportStatus', reason: '巡检' }, admin),
    ).toMatchObject({ code: 200 })
  })

  test('asked for twice within its deadline by a user is one, and another user is told who was first', async () => {
    const device = await cabinet()
    const [user, colleague] = [await opener(), await opener()]
    const first = await open(device.id, user.token)
    expect((await open(device.id, user.token)).data).toEqual(first.data)
    expect(await open(device.id, colleague.token)).toMatchObject({
      status: 409,
      refusal: 'remoteActionUnderWay',
      message: `${user.loginName} 刚刚已发送同一操作，请稍后再试`,
    })
    // Another compartment is another action, and after the minute it is a new one.
    expect((await open(device.id, user.token, { compartment: 4 })).data.commandId).not.toBe(
      first.data.commandId,
    )
    await sql`
      UPDATE remote_action SET state = 'confirmed', created_at = now() - interval '61 seconds'
      WHERE command_id = ${first.data.commandId}`.execute(app.db)
    expect((await open(device.id, user.token)).data.commandId).not.toBe(first.data.commandId)
  })

  test('asked for at the same moment is one: the second waits for the first', async () => {
    const device = await cabinet()
    const user = await opener()
    const holder = await app.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query(`SELECT pg_advisory_xact_lock(hashtextextended('remote_action', $1))`, [
        device.numericId,
      ])
      const presses = Promise.all([open(device.id, user.token), open(device.id, user.token)])
      await expect.poll(() => lockWaits('remote_action'), { timeout: 20_000, interval: 5 }).toBe(2)
      await holder.query('COMMIT')
      const [one, other] = await presses
      expect(one.data.commandId).toEqual(expect.any(String))
      expect(other.data).toEqual(one.data)
    } finally {
      holder.release()
    }
    expect(await recordOf(device.id)).toHaveLength(1)
  })

  test.each([
    ['is disabled', (id: number) => app.call(updateUser, { id: String(id), isEnabled: 0 }, admin), '已停用'],
    [
      'loses the function',
      (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`.execute(app.db),
      '已没有所需的权限',
    ],
  ] as const)('whose command waits is taken back where its user %s', async (_, change, why) => {
    const device = await cabinet()
    const user = await opener()
    const { commandId } = (await open(device.id, user.token)).data
    await change(user.id)
    await expect
      .poll(() => recordOf(device.id), { timeout: 20_000, interval: 50 })
      .toMatchObject([{ state: 'stopped', note: `操作人 ${user.loginName} ${why}` }])
    const { rows } = await sql`SELECT result FROM device_command WHERE id = ${commandId}`.execute(app.db)
    expect(rows).toEqual([{ result: 'cancelled' }])
  })
})

describe('a door with fire behind it', () => {
  const ask = async () => {
    const device = await cabinet()
    await setOnFire(device)
    const asker = await opener()
    const { data } = await open(device.id, asker.token)
    expect(data).toEqual({ approvalId: expect.any(String) })
    return { device, asker, id: data.approvalId as string }
  }
  const rowFor = async (id: string, token: string) =>
    (await app.call(listApprovals, { ids: [id] }, token)).data[0]
  const stateOf = async (id: string) => (await rowFor(id, admin))?.state

  test('opens only after a second person has agreed', async () => {
    const { device, asker, id } = await ask()
    expect(await recordOf(device.id)).toEqual([])
    const second = await opener()
    expect((await app.call(countApprovals, {}, second.token)).data.count).toBeGreaterThan(0)
    expect(await rowFor(id, second.token)).toMatchObject({
      kind: 'action',
      state: 'waiting',
      subject: `打开仓门 ${device.code} 3号仓`,
      causes: ['fire'],
      equipCode: device.code,
      createBy: asker.loginName,
      isOwn: false,
      mayDecide: true,
      details: expect.arrayContaining([
        { name: '告警', value: '仓位过温（3号仓位过温）' },
        { name: '电池', value: 'BT003' },
        { name: '原因', value: '电池卡住' },
      ]),
    })
    expect(await rowFor(id, asker.token)).toMatchObject({ isOwn: true, mayDecide: false })
    const agreed = await app.call(agreeApproval, { id, note: '现场已断电' }, second.token)
    expect(agreed).toMatchObject({ code: 200, message: '已同意' })
    expect(await recordOf(device.id)).toMatchObject([
      {
        commandId: agreed.data.resultId,
        createBy: asker.loginName,
        approvedBy: second.loginName,
        reason: '电池卡住',
        state: 'sent',
      },
    ])
    expect(await rowFor(id, asker.token)).toMatchObject({
      state: 'agreed',
      decideBy: second.loginName,
      note: '现场已断电',
      resultId: agreed.data.resultId,
    })
    const { data: operations } = await app.call(listOperations, {}, admin)
    expect(operations.find(({ loginName }) => loginName === second.loginName)).toMatchObject({
      target: `打开仓门 ${device.code} 3号仓`,
      changes: { after: { askedBy: asker.loginName, note: '现场已断电' } },
    })
  })

  test.each([
    [
      'is disabled',
      (id: number) => app.call(updateUser, { id: String(id), isEnabled: 0 }, admin),
      (name: string) => `同意人 ${name} 已停用`,
    ],
    [
      'loses the function',
      (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`.execute(app.db),
      (name: string) => `同意人 ${name} 已没有所需的权限`,
    ],
    [
      'does not see the device any more',
      (id: number) =>
        sql`
        INSERT INTO user_authority (user_id, authority_type, value) VALUES (${id}, 'R', '110000')`.execute(
          app.db,
        ),
      () => '设备已不在同意人的数据范围内',
    ],
  ] as const)(
    'is not opened any more where who agreed %s before the device has the command',
    async (_, change, why) => {
      const { device, id } = await ask()
      const second = await opener()
      const { data } = await app.call(agreeApproval, { id }, second.token)
      await change(second.id)
      await expect
        .poll(() => recordOf(device.id), { timeout: 20_000, interval: 50 })
        .toMatchObject([{ state: 'stopped', note: why(second.loginName) }])
      const { rows } = await sql`SELECT result FROM device_command WHERE id = ${data.resultId}`.execute(
        app.db,
      )
      expect(rows).toEqual([{ result: 'cancelled' }])
      const seen = (await app.call(readDeviceTimeline, { id: device.id, kinds: ['action'] }, admin)).data
      expect(seen.entries[0]?.by).toMatch(`（${second.loginName} 同意）`)
    },
  )

  test('is another one where the fire is in another compartment, or smoke in the cabinet', async () => {
    const device = await cabinet()
    await setOnFire(device, 8)
    expect((await open(device.id, admin)).data).toEqual({ commandId: expect.any(String) })
    expect((await open(device.id, admin, { compartment: 4 })).data).toEqual({
      approvalId: expect.any(String),
    })
    const smoking = await cabinet()
    await insertAlarm(app.db, { ...smoking, id: smoking.numericId }, '01110002', 1, { value: 1 })
    expect((await open(smoking.id, admin)).data).toEqual({ approvalId: expect.any(String) })
    // Nobody has to agree to leave a compartment alone.
    expect((await open(smoking.id, admin, { action: 'disableCompartment' })).data.commandId).toEqual(
      expect.any(String),
    )
  })

  test('is none the less one for who declared the alarm over, until the device reports', async () => {
    const device = await cabinet()
    const alarm = await setOnFire(device)
    const user = await opener(['equip:open', 'alarm:recover'])
    const note = '误报'
    expect(await app.call(recoverAlarm, { id: alarm, note }, user.token)).toMatchObject({ code: 200 })
    const { data } = await open(device.id, user.token, { reason: note })
    expect(data).toEqual({ approvalId: expect.any(String) })
    const inEnglish = clientOf(app.url, { cookie: 'voltkeep_language=en' })
    const [row] = (await inEnglish.call(listApprovals, { ids: [data.approvalId as string] }, admin)).data
    expect(row?.details).toContainEqual({ name: 'Reason', value: note })
    expect(row?.details[0]?.value).toMatch(
      /declared recovered by the requester or another account of that person, not/,
    )
    expect(await rowFor(data.approvalId as string, admin)).toMatchObject({
      details: expect.arrayContaining([
        { name: '告警', value: '仓位过温（3号仓位过温），申请人（或其另一账号）已手动恢复，设备尚未上报' },
      ]),
    })
    expect((await open(device.id, user.token, { compartment: 4 })).data).toEqual({
      commandId: expect.any(String),
    })
    await app.call(withdrawApproval, { id: data.approvalId as string }, user.token)
    await sql`
      UPDATE alarm_state SET reported_at = recovered_at + interval '1 second' WHERE device_id = ${device.numericId}`.execute(
      app.db,
    )
    expect((await open(device.id, user.token)).data).toEqual({ commandId: expect.any(String) })
  })

  test.each([
    ['the user’s key', true, false],
    ['the user’s key, revoked since', true, true],
    ['the user, where a key of that user opens it', false, false],
  ])('is one for who declared the alarm over by %s: they are one person', async (_, isByKey, isRevoked) => {
    const device = await cabinet()
    const alarm = await setOnFire(device)
    const functionCodes = ['equip:open', 'alarm:recover']
    const user = await opener([...functionCodes, 'apiKey:insert', 'apiKey:delete'])
    const { id, secret } = await makeKey(app, user.token, { functionCodes })
    const [declares, opens] = isByKey ? [secret, user.token] : [user.token, secret]
    expect(await app.call(recoverAlarm, { id: alarm, note: '误报' }, declares)).toMatchObject({ code: 200 })
    if (isRevoked) await app.call(deleteApiKey, { id }, user.token)
    expect((await open(device.id, opens)).data).toEqual({ approvalId: expect.any(String) })
  })

  test('is one for who has made the account that declared it over, or could sign in as it, for thirty days', async () => {
    const device = await cabinet()
    const alarm = await setOnFire(device)
    const [user, other, colleague] = [
      await opener(),
      await opener(['equip:open', 'alarm:recover']),
      await opener(),
    ]
    const set = (account: number, by: number) =>
      sql`INSERT INTO user_set_by (user_id, by_user_id, signs_in) VALUES (${account}, ${by}, true)`.execute(
        app.db,
      )
    await set(other.id, user.id)
    expect(await app.call(recoverAlarm, { id: alarm, note: '误报' }, other.token)).toMatchObject({
      code: 200,
    })
    const { data } = await open(device.id, user.token)
    expect(data).toEqual(asked)
    await app.call(withdrawApproval, { id: data.approvalId as string }, user.token)
    expect((await open(device.id, colleague.token)).data).toEqual(sent)
    await sql`UPDATE remote_action SET state = 'failed' WHERE device_id = ${device.numericId}`.execute(app.db)
    // Of a third one that has made both.
    await set(colleague.id, user.id)
    const third = await open(device.id, colleague.token)
    expect(third.data).toEqual(asked)
    await app.call(withdrawApproval, { id: third.data.approvalId as string }, colleague.token)
    await sql`UPDATE user_set_by SET at = now() - interval '31 days' WHERE by_user_id = ${user.id}`.execute(
      app.db,
    )
    expect((await open(device.id, user.token)).data).toEqual(sent)
  })

  test('is one for who has made the account that was shown the secret of the device', async () => {
    const device = await cabinet()
    const [user, other] = [await opener(), await opener(['equip:secret'])]
    await sql`INSERT INTO user_set_by (user_id, by_user_id, signs_in) VALUES (${other.id}, ${user.id}, true)`.execute(
      app.db,
    )
    expect(await app.call(renewDeviceSecret, { id: device.id }, other.token)).toMatchObject({ code: 200 })
    await setOnFire(device)
    await reportOver(device.numericId)
    expect((await open(device.id, user.token)).data).toEqual(asked)
    expect((await open(device.id, (await opener()).token)).data).toEqual(sent)
  })

  /** As if a device had said it: by who has its secret, or by one that comes by the other's name. */
  const reportOver = (id: number) =>
    sql`
    UPDATE alarm_state SET is_active = false, value = 0, reported_at = now(), recovered_at = now(), recovery_method = 1
    WHERE device_id = ${id}`.execute(app.db)
  const bringOnline = (id: string) =>
    sql`UPDATE device_state SET is_online = true WHERE device_id = ${id}::int`.execute(app.db)
  const formOf = async (id: string) => {
    const { rows } = await sql<{ version: number; model: string; operator: string; region: string }>`
      SELECT d.version, d.model_id::text AS model, d.operator_id::text AS operator, r.code AS region
      FROM device d JOIN region r ON r.id = d.region_id WHERE d.id = ${id}::int`.execute(app.db)
    const { version, model, operator, region } = rows[0] as (typeof rows)[0]
    return { id, version, equipModelId: model, operatorId: operator, regionCode: region }
  }
  const registered = async (code: string, of: string, token: string, more: object = {}) => {
    const { data } = await app.call(registerDevice, { code, ...(await formOf(of)), ...more }, token)
    await bringOnline(data.id)
    return data.id
  }
  const asked = { approvalId: expect.any(String) }
  const sent = { commandId: expect.any(String) }

  test('is none the less one where the device was deleted and registered again, for whoever opens it', async () => {
    const device = await cabinet()
    await setOnFire(device)
    const user = await opener(['equip:open', 'equip:insert', 'equip:delete'])
    const form = await cabinet()
    expect(await app.call(deleteDevice, { id: device.id }, user.token)).toMatchObject({ code: 200 })
    const again = await registered(device.code, form.id, user.token)
    const { data } = await open(again, user.token)
    expect(data).toEqual(asked)
    expect(await rowFor(data.approvalId as string, admin)).toMatchObject({
      details: expect.arrayContaining([
        {
          name: '告警',
          value: '仓位过温（3号仓位过温），设备的登记、密钥或报文映射随后有变更，24 小时内仍按未恢复处理',
        },
      ]),
    })
    expect((await open(again, user.token, { compartment: 4 })).data).toEqual(sent)
    await app.call(withdrawApproval, { id: data.approvalId as string }, user.token)
    expect((await open(again, (await opener()).token)).data).toEqual(asked)
    // Another device of the same user is none of it, and after a day it is over.
    expect((await open(form.id, user.token)).data).toEqual(sent)
    await sql`
      UPDATE kept_fire SET kept_at = now() - interval '25 hours',
        named_at = array_fill(now() - interval '25 hours', ARRAY[cardinality(names)])`.execute(app.db)
    expect((await open(again, user.token)).data).toEqual(sent)
  })

  test('is none the less one where the cabinet comes as another device, by what it calls itself', async () => {
    const device = await cabinet()
    const user = await opener(['equip:open', 'equip:insert', 'equip:update'])
    await sql`UPDATE device SET protocol_identity = ${`SN${device.id}`} WHERE id = ${device.numericId}`.execute(
      app.db,
    )
    await setOnFire(device)
    const freed = await app.call(
      updateDevice,
      { ...(await formOf(device.id)), protocolIdentity: device.code },
      user.token,
    )
    expect(freed).toMatchObject({ code: 200 })
    const other = await registered(`OTHER${device.id}`, device.id, user.token, {
      protocolIdentity: `SN${device.id}`,
    })
    expect((await open(other, user.token)).data).toEqual(asked)
  })

  test('is none the less one by the first twenty names that it had in a day, each for a day', async () => {
    const device = await cabinet()
    await setOnFire(device)
    const call = (name: string) =>
      sql`UPDATE device SET protocol_identity = ${name} WHERE id = ${device.numericId}`.execute(app.db)
    const names = Array.from({ length: 30 }, (_, n) => `${device.code}-${n}`)
    for (const name of names) await call(name)
    const kept = async () =>
      (
        await sql<{
          names: string[]
        }>`SELECT names FROM kept_fire WHERE device_id = ${device.numericId}`.execute(app.db)
      ).rows[0]?.names
    expect(await kept()).toEqual([device.code, ...names.slice(0, 19)])
    const other = await cabinet()
    const user = await opener()
    const comesAs = (name: string) =>
      sql`UPDATE device SET protocol_identity = ${name} WHERE id = ${other.numericId}`.execute(app.db)
    await comesAs(names[0] as string)
    const { data } = await open(other.id, user.token)
    expect(data).toEqual(asked)
    await app.call(withdrawApproval, { id: data.approvalId as string }, user.token)
    // It is kept for longer under the names that the device has still.
    await sql`
      UPDATE kept_fire SET named_at = array_fill(now() - interval '25 hours', ARRAY[cardinality(names)])
      WHERE device_id = ${device.numericId}`.execute(app.db)
    await call('last')
    expect(await kept()).toEqual([device.code, names.at(-1)])
    expect((await open(other.id, user.token)).data).toEqual(sent)
  })

  test('is found by a name among many that are kept without reading them all', async () => {
    await sql`
      INSERT INTO kept_fire (device_id, semaphore_code, value, names, named_at)
      SELECT -n, '01120003', 4, ARRAY['kept' || n], ARRAY[now()] FROM generate_series(1, 5000) AS n`.execute(
      app.db,
    )
    await sql`ANALYZE kept_fire`.execute(app.db)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN SELECT FROM kept_fire WHERE names && ARRAY['kept77', NULL]`.execute(app.db)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('kept_fire_names')
  })

  test('of many devices is kept in one order, so that no two who keep them wait for each other', async () => {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO mapping (name, draft) VALUES ('次序', '{}') RETURNING id`.execute(app.db)
    const mapping = rows[0]?.id as number
    const [first, second] = [
      await cabinet({ modelId: otherCabinetModel }),
      await cabinet({ modelId: otherCabinetModel }),
    ]
    // As they stand in the table: the later device before the earlier one.
    for (const device of [second, first]) await setOnFire(device)
    const keep = ({ numericId }: { numericId: number }) =>
      `INSERT INTO kept_fire (device_id, semaphore_code, value, names, named_at)
      VALUES (${numericId}, '01120003', 4, '{x}', ARRAY[now()]) ON CONFLICT DO NOTHING`
    const holder = await app.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query(keep(first))
      const mapped = sql`
        INSERT INTO mapping_model (model_id, mapping_id) VALUES (${otherCabinetModel}, ${mapping})`.execute(
        app.db,
      )
      await expect.poll(() => lockWaits('mapping_model'), { timeout: 20_000, interval: 5 }).toBe(1)
      await holder.query(keep(second))
      await holder.query('COMMIT')
      await mapped
    } finally {
      holder.release()
      await sql`DELETE FROM mapping WHERE id = ${mapping}`.execute(app.db)
    }
  })

  test('of all models that a mapping gets at once is looked for once', async () => {
    const mapping = (
      await sql<{ id: number }>`
        INSERT INTO mapping (name, draft) VALUES ('一次', '{}') RETURNING id`.execute(app.db)
    ).rows[0]?.id as number
    const models = [await insertModel(app.db), await insertModel(app.db)]
    const devices = [await cabinet({ modelId: models[0] }), await cabinet({ modelId: models[1] })]
    for (const device of devices) await setOnFire(device)
    const kept = async () =>
      (
        await sql<{ count: number; commands: number }>`
          SELECT count(*)::int AS count, count(DISTINCT cmin::text)::int AS commands FROM kept_fire
          WHERE device_id = ANY(${devices.map(({ numericId }) => numericId)}::int[])`.execute(app.db)
      ).rows
    await sql`
      INSERT INTO mapping_model (model_id, mapping_id)
      SELECT model, ${mapping}::int FROM unnest(${models}::int[]) AS model`.execute(app.db)
    expect(await kept()).toEqual([{ count: 2, commands: 1 }])
    await sql`TRUNCATE kept_fire`.execute(app.db)
    await sql`DELETE FROM mapping_model WHERE mapping_id = ${mapping}`.execute(app.db)
    expect(await kept()).toEqual([{ count: 2, commands: 1 }])
    await sql`DELETE FROM mapping WHERE id = ${mapping}`.execute(app.db)
  })

  test.each([
    [
      'has its secret renewed',
      'equip:secret',
      (id: string, token: string) => app.call(renewDeviceSecret, { id }, token),
    ],
    [
      'gives it another model',
      'equip:update',
      async (id: string, token: string) =>
        app.call(updateDevice, { ...(await formOf(id)), equipModelId: String(otherCabinetModel) }, token),
    ],
  ] as const)(
    'is none the less one for who %s, whatever is reported then',
    async (_, functionCode, change) => {
      const device = await cabinet()
      await setOnFire(device)
      const user = await opener(['equip:open', functionCode])
      expect(await change(device.id, user.token)).toMatchObject({ code: 200 })
      await reportOver(device.numericId)
      expect((await open(device.id, user.token)).data).toEqual(asked)
    },
  )

  test('is none the less one for a day for who was shown the secret of the device, before the fire too', async () => {
    const device = await cabinet()
    const user = await opener(['equip:open', 'equip:secret', 'apiKey:insert'])
    const { secret: key } = await makeKey(app, user.token, { functionCodes: ['equip:open'] })
    expect(await app.call(renewDeviceSecret, { id: device.id }, user.token)).toMatchObject({ code: 200 })
    await setOnFire(device)
    await reportOver(device.numericId)
    for (const token of [user.token, key]) {
      const { data } = await open(device.id, token)
      expect(data).toEqual(asked)
      await app.call(withdrawApproval, { id: data.approvalId as string }, token)
    }
    expect((await open(device.id, (await opener()).token)).data).toEqual(sent)
    await sql`
      UPDATE alarm_state SET recovered_at = now() - interval '25 hours' WHERE device_id = ${device.numericId}`.execute(
      app.db,
    )
    await sql`UPDATE remote_action SET state = 'failed' WHERE device_id = ${device.numericId}`.execute(app.db)
    expect((await open(device.id, user.token)).data).toEqual(sent)
  })

  test('is one in every compartment for who could say as the device that it is in another', async () => {
    const device = await cabinet()
    const user = await opener(['equip:open', 'equip:secret'])
    await setOnFire(device)
    expect(await app.call(renewDeviceSecret, { id: device.id }, user.token)).toMatchObject({ code: 200 })
    await sql`UPDATE alarm_state SET value = 8 WHERE device_id = ${device.numericId}`.execute(app.db)
    expect(await app.call(renewDeviceSecret, { id: device.id }, user.token)).toMatchObject({ code: 200 })
    const { data } = await open(device.id, user.token)
    expect(data).toEqual(asked)
    await app.call(withdrawApproval, { id: data.approvalId as string }, user.token)
    expect((await open(device.id, user.token, { compartment: 5 })).data).toEqual(asked)
    const colleague = await opener()
    expect((await open(device.id, colleague.token)).data).toEqual(asked)
    expect((await open(device.id, colleague.token, { compartment: 6 })).data).toEqual(sent)
  })

  const mapsModel = (id: number) =>
    sql`INSERT INTO mapping_model (model_id, mapping_id) VALUES (${otherCabinetModel}, ${id})`.execute(app.db)
  test.each([
    ['its model gets a mapping', mapsModel, []],
    [
      'its mapping gets another version',
      (id: number) =>
        sql`
        INSERT INTO mapping_version (mapping_id, no, document, is_active, created_by_name)
        VALUES (${id}, 1, '{}', true, '')`.execute(app.db),
      [mapsModel],
    ],
    [
      'its mapping is switched off',
      (id: number) => sql`UPDATE mapping SET is_enabled = false WHERE id = ${id}`.execute(app.db),
      [mapsModel],
    ],
    [
      'its mapping is deleted',
      (id: number) => sql`DELETE FROM mapping WHERE id = ${id}`.execute(app.db),
      [mapsModel],
    ],
  ] as const)('is none the less one where %s, which says that it is over', async (_, change, before) => {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO mapping (name, draft) VALUES ('火警', '{}') RETURNING id`.execute(app.db)
    const id = rows[0]?.id as number
    for (const prepare of before) await prepare(id)
    const device = await cabinet({ modelId: otherCabinetModel })
    await setOnFire(device)
    await change(id)
    await reportOver(device.numericId)
    // What opens doors is the protocol again.
    await sql`DELETE FROM mapping WHERE id = ${id}`.execute(app.db)
    expect((await open(device.id, (await opener()).token)).data).toEqual(asked)
  })

  test('is one that a clock which is ahead does not hide', async () => {
    const device = await cabinet()
    const alarm = await setOnFire(device)
    await sql`
      UPDATE alarm_state SET reported_at = now() + interval '1 hour' WHERE device_id = ${device.numericId}`.execute(
      app.db,
    )
    await sql`UPDATE device_state SET clock_offset_ms = 3660000 WHERE device_id = ${device.numericId}`.execute(
      app.db,
    )
    const user = await opener(['equip:open', 'alarm:recover'])
    await app.call(recoverAlarm, { id: alarm, note: '误报' }, user.token)
    expect((await open(device.id, user.token)).data).toEqual({ approvalId: expect.any(String) })
    // Whoever else opens it is the second person.
    expect((await open(device.id, (await opener()).token)).data).toEqual({ commandId: expect.any(String) })
  })

  test('is not opened by who asked, nor by who holds another function or sees other devices', async () => {
    const { device, asker, id } = await ask()
    const self = await app.call(agreeApproval, { id }, asker.token)
    expect(self).toMatchObject({ status: 403, refusal: 'approvalOwn' })
    const [other, stranger] = [
      await opener(['equip:restart', 'batchSet:insert']),
      await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes: ['equip:open'] }),
    ]
    for (const { token } of [other, stranger]) {
      expect(await app.call(agreeApproval, { id }, token)).toMatchObject({
        status: 404,
        refusal: 'approvalNotFound',
      })
      expect(await app.call(refuseApproval, { id, note: '不' }, token)).toMatchObject({ status: 404 })
      expect(await rowFor(id, token)).toBeUndefined()
      expect((await app.call(countApprovals, {}, token)).data.count).toBe(0)
    }
    expect(await recordOf(device.id)).toEqual([])
    expect(await stateOf(id)).toBe('waiting')
  })

  test('is asked for once, by one user', async () => {
    const { device, asker, id } = await ask()
    expect((await open(device.id, asker.token)).data.approvalId).toBe(id)
    expect(await open(device.id, (await opener()).token)).toMatchObject({
      status: 409,
      refusal: 'approvalWaiting',
    })
  })

  test('opens once where two agree at the same moment', async () => {
    const { device, id } = await ask()
    const [one, other] = [await opener(), await opener()]
    const holder = await app.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT FROM approval WHERE id = $1 FOR UPDATE', [id])
      const answers = Promise.all([one, other].map(({ token }) => app.call(agreeApproval, { id }, token)))
      await expect.poll(() => lockWaits('FROM approval'), { timeout: 20_000, interval: 5 }).toBe(2)
      await holder.query('COMMIT')
      const statuses = (await answers).map(({ status, refusal }) => [status, refusal])
      expect(statuses.sort()).toEqual([
        [200, undefined],
        [409, 'approvalOver'],
      ])
    } finally {
      holder.release()
    }
    expect(await recordOf(device.id)).toHaveLength(1)
  })

  test('stays closed where who asked has lost the right meanwhile', async () => {
    const { device, asker, id } = await ask()
    await sql`DELETE FROM user_role WHERE user_id = ${asker.id}`.execute(app.db)
    const answer = await app.call(agreeApproval, { id }, (await opener()).token)
    expect(answer).toMatchObject({
      status: 409,
      refusal: 'approvalVoid',
      message: `申请人 ${asker.loginName} 已没有所需的权限，申请已作废`,
    })
    expect(await recordOf(device.id)).toEqual([])
    expect(await stateOf(id)).toBe('void')
  })

  test('keeps waiting while the device is offline', async () => {
    const { device, id } = await ask()
    await sql`UPDATE device_state SET is_online = false WHERE device_id = ${device.numericId}`.execute(app.db)
    const second = await opener()
    expect(await app.call(agreeApproval, { id }, second.token)).toMatchObject({
      status: 409,
      refusal: 'deviceOffline',
    })
    expect(await stateOf(id)).toBe('waiting')
    await sql`UPDATE device_state SET is_online = true WHERE device_id = ${device.numericId}`.execute(app.db)
    expect(await app.call(agreeApproval, { id }, second.token)).toMatchObject({ code: 200 })
  })

  test('stays closed where the second person refuses, and who asked is told why', async () => {
    const { device, asker, id } = await ask()
    const second = await opener()
    expect(await app.call(refuseApproval, { id }, second.token)).toMatchObject({ status: 400 })
    expect(await app.call(refuseApproval, { id, note: '先等消防到场' }, second.token)).toMatchObject({
      code: 200,
    })
    expect(await app.call(agreeApproval, { id }, (await opener()).token)).toMatchObject({
      status: 409,
      message: `${second.loginName} 已拒绝`,
    })
    expect(await recordOf(device.id)).toEqual([])
    const { tasks } = (await app.call(listTasks, {}, asker.token)).data
    expect(tasks).toMatchObject([
      { kind: 'approval', id, state: 'failed', reason: `${second.loginName} 拒绝：先等消防到场` },
    ])
  })

  test('is taken back by who asked alone, and ends after an hour without an answer', async () => {
    const { asker, id } = await ask()
    expect(await app.call(withdrawApproval, { id }, (await opener()).token)).toMatchObject({ status: 404 })
    expect(await app.call(withdrawApproval, { id }, asker.token)).toMatchObject({ code: 200 })
    expect(await stateOf(id)).toBe('withdrawn')

    const late = await ask()
    const { createTime, expireTime } = (await rowFor(late.id, admin)) ?? { createTime: '', expireTime: '' }
    expect(Date.parse(expireTime) - Date.parse(createTime)).toBe(3_600_000)
    await sql`UPDATE approval SET expires_at = now() WHERE id = ${late.id}`.execute(app.db)
    expect(await app.call(agreeApproval, { id: late.id }, (await opener()).token)).toMatchObject({
      status: 409,
      refusal: 'approvalOver',
      message: '申请已过期',
    })
    await sql`UPDATE approval SET next_at = now() WHERE id = ${late.id}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["approval 0"]}')`.execute(app.db)
    await expect.poll(() => stateOf(late.id), { timeout: 20_000, interval: 50 }).toBe('expired')
  })
})
