import { deleteDevice, listIntakeRefusals } from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'

const app = await appOfTests({ ROLES: 'api' })
const rootId = await insertOrganization(app.db, { parentId: null })
const childId = await insertOrganization(app.db, { parentId: rootId })
const inRoot = await insertDevice(app.db, {
  operatorId: await insertOperator(app.db, { organizationId: rootId }),
})
const inChild = await insertDevice(app.db, {
  operatorId: await insertOperator(app.db, { organizationId: childId }),
})
const refusal = (code: string, deviceId: number | null, minute: number) => ({
  device_code: code,
  device_id: deviceId,
  reason: deviceId ? 'badPayload' : 'unknownDevice',
  first_at: new Date(2026, 5, 1, 8, minute),
  last_at: new Date(2026, 5, 1, 8, minute),
})
await app.db
  .insertInto('intake_refusal')
  .values([
    refusal(inRoot.code, inRoot.id, 1),
    refusal(inChild.code, inChild.id, 2),
    refusal('STRANGER', null, 3),
  ])
  .execute()

const functionCodes = ['intake:page']
async function seenBy(options: Parameters<TestApp['asUser']>[0]): Promise<string[]> {
  const { token } = await app.asUser({ functionCodes, ...options })
  const { data, total } = await app.call(listIntakeRefusals, {}, token)
  expect(total).toBe(data.length)
  return data.map(({ code }) => code)
}

test('system users see all, newest first', async () => {
  const { data } = await app.call(listIntakeRefusals, {}, await app.asAdmin())
  expect(data.map(({ code }) => code)).toEqual(['STRANGER', inChild.code, inRoot.code])
  expect(data[1]).toMatchObject({
    equipId: String(inChild.id),
    reasonName: '报文格式错误',
    count: 1,
    lastTime: '2026-06-01 08:02:00',
  })
})

test('a user sees refusals of devices in scope; those of unknown ones only at the root and without data permissions', async () => {
  expect(await seenBy({ organizationId: rootId })).toEqual(['STRANGER', inChild.code, inRoot.code])
  expect(await seenBy({ organizationId: childId })).toEqual([inChild.code])
  const operator = await app.db
    .selectFrom('device')
    .select('operator_id')
    .where('id', '=', inRoot.id)
    .executeTakeFirstOrThrow()
  expect(
    await seenBy({ organizationId: rootId, authorities: [['O', String(operator.operator_id)]] }),
  ).toEqual([inRoot.code])
})

test('a reply to no command of the device is told as one, and a text that is no JSON as such', async () => {
  const token = await app.asAdmin()
  for (const [reason, reasonName] of [
    ['unknownCommand', '没有这条命令'],
    ['notJson', '报文不是 JSON'],
  ] as const) {
    const code = `WORDS-${reason}`
    await sql`
      INSERT INTO intake_refusal (device_code, reason, first_at, last_at)
      VALUES (${code}, ${reason}, now(), now())`.execute(app.db)
    expect((await app.call(listIntakeRefusals, { code }, token)).data).toMatchObject([{ reason, reasonName }])
    await sql`DELETE FROM intake_refusal WHERE device_code = ${code}`.execute(app.db)
  }
})

test('they are filtered by code, reason and time', async () => {
  const token = await app.asAdmin()
  const codes = async (input: object) =>
    (await app.call(listIntakeRefusals, input, token)).data.map(({ code }) => code)
  expect(await codes({ code: inRoot.code })).toEqual([inRoot.code])
  expect(await codes({ reason: 'unknownDevice' })).toEqual(['STRANGER'])
  expect(await codes({ startTime: '2026-06-01 08:02:00', endTime: '2026-06-01 08:02:00' })).toEqual([
    inChild.code,
  ])
  expect(await codes({ pageNum: 2, pageSize: 2 })).toEqual([inRoot.code])
})

test('without the function code it is refused', async () => {
  const { token } = await app.asUser({ functionCodes: ['alarm:page'] })
  expect((await app.call(listIntakeRefusals, {}, token)).code).toBe(403)
})

describe('an unlimited user of a root organization', () => {
  const reads = async (code: string) => {
    const organizationId = await insertOrganization(app.db, { parentId: null })
    const { token } = await app.asUser({ functionCodes, organizationId })
    const { data, total } = await app.call(listIntakeRefusals, { code }, token)
    expect(total).toBe(data.length)
    return data
  }
  const ofOther = async () =>
    insertDevice(app.db, {
      operatorId: await insertOperator(app.db, {
        organizationId: await insertOrganization(app.db, { parentId: null }),
      }),
    })

  test('does not see what a device of another one had sent, once it is deleted; a system user does', async () => {
    const device = await ofOther()
    await app.db
      .insertInto('intake_refusal')
      .values({ ...refusal(device.code, device.id, 4), payload: '{"soc":true}' })
      .execute()
    expect(await reads(device.code)).toEqual([])
    const admin = await app.asAdmin()
    expect(await app.call(deleteDevice, { id: String(device.id) }, admin)).toMatchObject({ code: 200 })
    expect(await reads(device.code)).toEqual([])
    expect((await app.call(listIntakeRefusals, { code: device.code }, admin)).data).toMatchObject([
      { equipId: null, payload: '{"soc":true}' },
    ])
  })

  test('does not see by what it tried before that a device of another one is registered', async () => {
    const device = await ofOther()
    await app.db
      .insertInto('intake_refusal')
      .values(refusal(device.code, null, 5))
      .execute()
    expect(await reads(device.code)).toEqual([])
    expect((await app.call(listIntakeRefusals, { code: device.code }, await app.asAdmin())).total).toBe(1)
  })

  test('does not see it by what such a device calls itself, either', async () => {
    const device = await ofOther()
    await app.db
      .insertInto('intake_refusal')
      .values(refusal('CALLSITSELF', null, 6))
      .execute()
    expect(await reads('CALLSITSELF')).toHaveLength(1)
    await sql`UPDATE device SET protocol_identity = 'CALLSITSELF' WHERE id = ${device.id}`.execute(app.db)
    expect(await reads('CALLSITSELF')).toEqual([])
    expect((await app.call(listIntakeRefusals, { code: 'CALLSITSELF' }, await app.asAdmin())).total).toBe(1)
  })
})
