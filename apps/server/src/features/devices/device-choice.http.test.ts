import { countChosenDevices, type InputFor, listDevices } from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'

const near: string[] = []
const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
for (let n = 0; n < 3; n += 1) near.push((await insertDevice(app.db, { operatorId })).code)
const far = (await insertDevice(app.db)).code
await sql`
  UPDATE device_state SET is_online = true, online_changed_at = now()
  WHERE device_id IN (SELECT id FROM device WHERE code IN (${near[0]}, ${far}))`.execute(app.db)
/** A user who sees near devices only. */
const narrow = (await app.asUser({ organizationId, functionCodes: ['ad:create'] })).token

describe('devices chosen for a batch', () => {
  const count = async (choice: InputFor<typeof countChosenDevices>, token = narrow) =>
    (await app.call(countChosenDevices, choice, token)).data

  test('are counted only for users of a form that chooses devices', async () => {
    for (const code of ['batchSet:insert', 'upgrade:insert', 'upgrade:update', 'ad:create']) {
      const { token } = await app.asUser({ organizationId, functionCodes: [code] })
      expect(await count({ isAll: 1 }, token)).toMatchObject({ count: 3 })
    }
    const { token } = await app.asUser({ organizationId, functionCodes: ['equip:list', 'batchSet:list'] })
    expect(await app.call(countChosenDevices, { isAll: 1 }, token)).toMatchObject({ status: 403 })
  })

  test('by filters are as many as the list finds, within the scope', async () => {
    expect(await count({ isAll: 1 })).toEqual({ count: 3, unknownCodes: [] })
    expect(await count({ filters: { isOnline: 1 } })).toEqual({ count: 1, unknownCodes: [] })
    expect(await count({ filters: { isOnline: 1 } }, admin)).toEqual({ count: 2, unknownCodes: [] })
    const { total } = await app.call(listDevices, { organizationId: String(organizationId) }, admin)
    const byOrganization = await count({ filters: { organizationId: String(organizationId) } }, admin)
    expect(byOrganization).toEqual({ count: total, unknownCodes: [] })
  })

  test('by codes are counted once each; unknown codes and those of foreign devices are reported alike', async () => {
    const codes = ['NOPE2', near[0], near[1], far, near[0], 'NOPE1', 'NOPE2']
    expect(await count({ codes })).toEqual({ count: 2, unknownCodes: ['NOPE2', far, 'NOPE1'] })
    expect(await count({ codes: codes.join(',') })).toEqual(await count({ codes }))
    expect((await count({ codes }, admin)).unknownCodes).toEqual(['NOPE2', 'NOPE1'])
    // A part of a code matches nothing, unlike in the list's filter.
    expect(await count({ codes: [near[0]?.slice(0, -1)] })).toMatchObject({ count: 0 })
  })

  test('need exactly one of filters, codes and all', async () => {
    const refused = { status: 400, message: '请设置筛选条件、输入设备编号，或选择全部设备' }
    expect(await app.call(countChosenDevices, {}, narrow)).toMatchObject(refused)
    expect(await app.call(countChosenDevices, { filters: { operatorId: '' } }, narrow)).toMatchObject(refused)
    expect(await app.call(countChosenDevices, { codes: [] }, narrow)).toMatchObject({ status: 400 })
    expect(await app.call(countChosenDevices, { isAll: 1, codes: [far] }, narrow)).toMatchObject({
      status: 400,
    })
    expect(
      await app.call(countChosenDevices, { filters: { isOnline: 1 }, codes: [far] }, narrow),
    ).toMatchObject({ status: 400, message: '按条件和按编号只能选一种' })
    const many = Array.from({ length: 5_001 }, (_, at) => `EC${at}`)
    expect(await app.call(countChosenDevices, { codes: many }, narrow)).toMatchObject({
      status: 400,
      message: '设备编号最多 5000 项',
    })
    const tooLong = 'E'.repeat(33)
    expect(await app.call(countChosenDevices, { codes: [tooLong] }, narrow)).toMatchObject({ status: 400 })
  })
})
