import {
  deleteAdvertisement,
  deleteDevice,
  describeStop,
  insertDevice,
  listAdvertisements,
  renewDeviceSecret,
  retryDeliveries,
  updateUser,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AdvertisingWorld, createAdvertisingWorld } from '../../../test/advertising.ts'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  insertOperator,
  insertOrganization,
  insertRegion,
  insertDevice as registerAgain,
  type TestDevice,
} from '../../../test/factories.ts'
import { hashSecret } from '../devices/index.ts'

let app: TestApp
let admin: string
let world: AdvertisingWorld
let organizationId: number

beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  world = await createAdvertisingWorld(app, admin)
  organizationId = await insertOrganization(app.db)
})
afterEach(() => world.switchOff())
afterAll(() => app.close())

const codes = ['ad:create', 'ad:page', 'ad:delete', 'ad:retry']
const publisher = (more: object = {}) => app.asUser({ organizationId, functionCodes: codes, ...more })
const enable = (id: number, isEnabled: 0 | 1) => app.call(updateUser, { id: String(id), isEnabled }, admin)
const rowOf = async (adId: string) => (await app.call(listAdvertisements, { ids: [adId] }, admin)).data[0]
const stopOf = async (adId: string) => {
  const stopped = (await rowOf(adId))?.stopped
  return stopped ? describeStop(stopped) : null
}

describe('an advertisement whose creator is disabled', () => {
  test('stops and says so; cabinets that have it keep it, and it goes on when the creator is enabled', async () => {
    const creator = await publisher()
    const [one, away, failing] = (await world.cabinets(3, organizationId)) as [
      TestDevice,
      TestDevice,
      TestDevice,
    ]
    const shows = await world.switchOn(one)
    await world.switchOn(failing, 'disk-full')
    const adId = await world.publish({}, creator.token)
    await world.becomes(adId, { [one.code]: 'shown', [away.code]: 'sent', [failing.code]: 'failed' })

    expect(await enable(creator.id, 0)).toMatchObject({ code: 200 })
    expect(await stopOf(adId)).toBe(`创建人 ${creator.loginName} 已停用`)
    await world.renew(adId)
    // The command for the cabinet that is away is taken back, and the next attempt is not made.
    await world.becomes(adId, { [one.code]: 'shown', [away.code]: 'waiting', [failing.code]: 'failed' })
    await world.hurry()
    await world.becomes(adId, { [one.code]: 'shown', [away.code]: 'waiting', [failing.code]: 'waiting' })
    const late = await world.switchOn(away)
    expect(await app.call(retryDeliveries, { id: adId }, admin)).toMatchObject({
      status: 409,
      message: `创建人 ${creator.loginName} 已停用，不能重试`,
    })
    const { rows } = await sql`
      SELECT FROM device_command WHERE device_code = ${away.code} AND state <> 'finished'`.execute(app.db)
    expect(rows).toEqual([])
    expect(shows.advertisements).toMatchObject([{ advertisementId: adId, state: 'shown' }])
    expect(late.advertisements).toEqual([])

    await enable(creator.id, 1)
    expect(await stopOf(adId)).toBeNull()
    await world.renew(adId)
    await world.becomes(adId, { [one.code]: 'shown', [away.code]: 'shown', [failing.code]: 'shown' })
  })

  test('leaves a cabinet that goes to another organization, and is its colleagues’ to delete', async () => {
    const creator = await publisher()
    const colleague = await publisher()
    const [moved, stays] = (await world.cabinets(2, organizationId)) as [TestDevice, TestDevice]
    const device = await world.switchOn(moved)
    await world.switchOn(stays)
    const adId = await world.publish({}, creator.token)
    await world.becomes(adId, { [moved.code]: 'shown', [stays.code]: 'shown' })
    await enable(creator.id, 0)
    const foreign = await insertOperator(app.db)
    await sql`UPDATE device SET operator_id = ${foreign} WHERE id = ${moved.id}`.execute(app.db)
    await world.renew(adId)
    await world.becomes(adId, { [moved.code]: 'removed', [stays.code]: 'shown' })
    expect(device.advertisements).toEqual([])
    expect(await app.call(deleteAdvertisement, { id: adId }, colleague.token)).toMatchObject({ code: 200 })
  })

  test('or has lost the function, or was deleted, brings it to no further cabinet', async () => {
    for (const [lose, text] of [
      ['DELETE FROM user_role WHERE user_id =', '已没有所需的权限'],
      ['DELETE FROM app_user WHERE id =', '已不存在'],
    ] as const) {
      const creator = await publisher()
      const [only] = (await world.cabinets(1, organizationId)) as [TestDevice]
      const adId = await world.publish({}, creator.token)
      await world.becomes(adId, { [only.code]: 'sent' })
      if (lose.includes('app_user'))
        await sql`DELETE FROM user_role WHERE user_id = ${creator.id}`.execute(app.db)
      await sql`${sql.raw(lose)} ${creator.id}`.execute(app.db)
      expect(await stopOf(adId)).toBe(`创建人 ${creator.loginName} ${text}`)
      await world.renew(adId)
      await world.becomes(adId, { [only.code]: 'waiting' })
    }
  })
})

describe('the attempt that another user asks for', () => {
  test('reaches what both the creator and that user reach, and stops with either of them', async () => {
    const creator = await publisher()
    const [kept, moved] = (await world.cabinets(2, organizationId)) as [TestDevice, TestDevice]
    const asker = await publisher({ authorities: [['O', String(world.operatorId)]] })
    const refusing = await Promise.all([kept, moved].map((device) => world.switchOn(device, 'refuses')))
    const adId = await world.publish({}, creator.token)
    await world.becomes(adId, { [kept.code]: 'refused', [moved.code]: 'refused' })
    for (const device of refusing) device.cutPower()
    expect((await app.call(retryDeliveries, { id: adId }, asker.token)).data).toEqual({ count: 2 })
    await world.becomes(adId, { [kept.code]: 'sent', [moved.code]: 'sent' })
    await enable(asker.id, 0)
    // As when the command expires, the cabinet being offline.
    await sql`UPDATE advertisement_delivery SET state = 'waiting', next_at = now() WHERE advertisement_id = ${adId}`.execute(
      app.db,
    )
    await world.hurry()
    await world.becomes(adId, { [kept.code]: 'failed', [moved.code]: 'failed' })
    expect((await world.deliveriesOf(adId)).map(({ reason }) => reason)).toEqual(
      Array(2).fill(`重试人 ${asker.loginName} 已停用`),
    )
    // The creator asks for it. One of the cabinets is another organization's by then.
    const foreign = await insertOperator(app.db)
    await sql`UPDATE device SET operator_id = ${foreign} WHERE id = ${moved.id}`.execute(app.db)
    expect((await app.call(retryDeliveries, { id: adId }, admin)).data).toEqual({ count: 1 })
    await world.switchOn(kept)
    await world.becomes(adId, { [kept.code]: 'shown', [moved.code]: 'failed' })
  })

  test('is taken back from cabinets that have not been handed it, with who asked or where that user does not reach', async () => {
    const creator = await publisher()
    const [left, stays] = (await world.cabinets(2, organizationId)) as [TestDevice, TestDevice]
    const asker = await publisher({ authorities: [['O', String(world.operatorId)]] })
    const devices = await Promise.all([left, stays].map((device) => world.switchOn(device, 'refuses')))
    const adId = await world.publish({ cabinets: { codes: [left.code, stays.code] } }, creator.token)
    await world.becomes(adId, { [left.code]: 'refused', [stays.code]: 'refused' })
    for (const device of devices) device.cutPower()
    expect((await app.call(retryDeliveries, { id: adId }, asker.token)).data).toEqual({ count: 2 })
    await world.becomes(adId, { [left.code]: 'sent', [stays.code]: 'sent' })
    // The creator still reaches it there, who asked does not.
    const elsewhere = await insertOperator(app.db, { organizationId })
    await sql`UPDATE device SET operator_id = ${elsewhere} WHERE id = ${left.id}`.execute(app.db)
    await world.renew(adId)
    await world.becomes(adId, { [left.code]: 'failed', [stays.code]: 'sent' })
    await enable(asker.id, 0)
    await world.renew(adId)
    await world.becomes(adId, { [left.code]: 'failed', [stays.code]: 'failed' })
    const reasons = (await world.deliveriesOf(adId)).map(({ code, reason }) => [code, reason])
    expect(Object.fromEntries(reasons)).toEqual({
      [left.code]: '设备已不在重试人的数据范围内',
      [stays.code]: `重试人 ${asker.loginName} 已停用`,
    })
    const { rows } = await sql`
      SELECT FROM device_command
      WHERE device_code IN (${left.code}, ${stays.code}) AND state <> 'finished'`.execute(app.db)
    expect(rows).toEqual([])
    expect(await stopOf(adId)).toBeNull()
  })

  test.each(['it is only brought forward', 'the cabinet left and returned'])(
    'is the creator’s alone where %s',
    async (where) => {
      const creator = await publisher()
      const [only] = (await world.cabinets(1, organizationId)) as [TestDevice]
      const asker = await publisher()
      const adId = await world.publish({ cabinets: { codes: [only.code] } }, creator.token)
      await world.becomes(adId, { [only.code]: 'sent' })
      const isForward = where === 'it is only brought forward'
      await sql`
        UPDATE advertisement_delivery SET state = 'failed', attempts = 3,
          next_at = CASE WHEN ${isForward} THEN now() + interval '1 hour' END
        WHERE advertisement_id = ${adId}`.execute(app.db)
      expect((await app.call(retryDeliveries, { id: adId }, asker.token)).data).toEqual({ count: 1 })
      await world.becomes(adId, { [only.code]: 'sent' })
      if (!isForward) {
        const moveTo = (operatorId: number) =>
          sql`UPDATE device SET operator_id = ${operatorId} WHERE id = ${only.id}`.execute(app.db)
        await moveTo(await insertOperator(app.db))
        await world.renewed(adId)
        await moveTo(await insertOperator(app.db, { organizationId }))
        await world.renewed(adId)
        await world.becomes(adId, { [only.code]: 'sent' })
      }
      await enable(asker.id, 0)
      await world.renewed(adId)
      await world.becomes(adId, { [only.code]: 'sent' })
      const { rows } = await sql`
        SELECT FROM advertisement_delivery WHERE advertisement_id = ${adId} AND asked_by IS NOT NULL`.execute(
        app.db,
      )
      expect(rows).toEqual([])
    },
  )

  test('is not sent to a cabinet that has left the scope since', async () => {
    const creator = await publisher()
    const [only] = (await world.cabinets(1, organizationId)) as [TestDevice]
    await world.switchOn(only, 'disk-full')
    const adId = await world.publish({}, creator.token)
    await world.becomes(adId, { [only.code]: 'failed' })
    const foreign = await insertOperator(app.db)
    await sql`UPDATE device SET operator_id = ${foreign} WHERE id = ${only.id}`.execute(app.db)
    await world.hurry()
    await world.becomes(adId, { [only.code]: 'removed' })
  })
})

describe('the address that a cabinet was given', () => {
  const addressOf = async (device: TestDevice) => {
    const { rows } = await sql<{ url: string }>`
      SELECT body ->> 'url' AS url FROM device_command
      WHERE device_code = ${device.code} AND topic = 'advertise' ORDER BY id DESC LIMIT 1`.execute(app.db)
    return rows[0]?.url as string
  }
  const fetched = async (device: TestDevice) => (await fetch(await addressOf(device))).status
  const published = async () => {
    const creator = await publisher()
    const [device] = (await world.cabinets(1, organizationId)) as [TestDevice]
    const adId = await world.publish({}, creator.token)
    await world.becomes(adId, { [device.code]: 'sent' })
    expect(await fetched(device)).toBe(200)
    return { creator, device, adId }
  }

  test('is refused as soon as the advertisement is deleted', async () => {
    const { creator, device, adId } = await published()
    expect(await app.call(deleteAdvertisement, { id: adId }, creator.token)).toMatchObject({ code: 200 })
    expect(await fetched(device)).toBe(403)
  })

  test('is refused while the creator is disabled', async () => {
    const { creator, device } = await published()
    await enable(creator.id, 0)
    expect(await fetched(device)).toBe(403)
    await enable(creator.id, 1)
    expect(await fetched(device)).toBe(200)
  })

  test.each(['was disabled', 'does not reach the cabinet any more'])(
    'is refused where who asked for the attempt %s, until the creator asks',
    async (what) => {
      const creator = await publisher()
      const [only] = (await world.cabinets(1, organizationId)) as [TestDevice]
      const asker = await publisher({ authorities: [['O', String(world.operatorId)]] })
      const adId = await world.publish({ cabinets: { codes: [only.code] } }, creator.token)
      await world.becomes(adId, { [only.code]: 'sent' })
      await sql`
        UPDATE advertisement_delivery SET state = 'refused' WHERE advertisement_id = ${adId}`.execute(app.db)
      expect((await app.call(retryDeliveries, { id: adId }, asker.token)).data).toEqual({ count: 1 })
      await world.becomes(adId, { [only.code]: 'sent' })
      expect(await fetched(only)).toBe(200)
      if (what === 'was disabled') await enable(asker.id, 0)
      else {
        const elsewhere = await insertOperator(app.db, { organizationId })
        await sql`UPDATE device SET operator_id = ${elsewhere} WHERE id = ${only.id}`.execute(app.db)
      }
      expect(await fetched(only)).toBe(403)
      await sql`
        UPDATE advertisement_delivery SET state = 'refused' WHERE advertisement_id = ${adId}`.execute(app.db)
      expect((await app.call(retryDeliveries, { id: adId }, creator.token)).data).toEqual({ count: 1 })
      expect(await fetched(only)).toBe(200)
    },
  )

  test('is refused once the period is over, or the cabinet belongs to somebody else', async () => {
    const over = await published()
    await sql`UPDATE advertisement SET ends_at = now() WHERE id = ${over.adId}`.execute(app.db)
    expect(await fetched(over.device)).toBe(403)
    const moved = await published()
    const foreign = await insertOperator(app.db)
    await sql`UPDATE device SET operator_id = ${foreign} WHERE id = ${moved.device.id}`.execute(app.db)
    expect(await fetched(moved.device)).toBe(403)
  })

  test('is refused once the cabinet is deleted, also where somebody else registers its code again', async () => {
    const { device } = await published()
    const address = await addressOf(device)
    expect(await app.call(deleteDevice, { id: String(device.id) }, admin)).toMatchObject({ code: 200 })
    expect((await fetch(address)).status).toBe(403)
    await registerAgain(app.db, { code: device.code, operatorId: await insertOperator(app.db) })
    expect((await fetch(address)).status).toBe(403)
  })

  test('opens that file alone, and ends as before, where the cabinet has a new secret', async () => {
    const { creator, device, adId } = await published()
    expect(await app.call(renewDeviceSecret, { id: String(device.id) }, admin)).toMatchObject({ code: 200 })
    expect(await fetched(device)).toBe(200)
    expect(await app.call(deleteAdvertisement, { id: adId }, creator.token)).toMatchObject({ code: 200 })
    expect(await fetched(device)).toBe(403)
  })
})

describe('a deleted advertisement leaves', () => {
  test('a cabinet that never answered, though it has the file', async () => {
    const [silent] = (await world.cabinets(1)) as [TestDevice]
    const device = await world.switchOn(silent, 'never-answers')
    const adId = await world.publish()
    await expect.poll(() => device.advertisements.length, { timeout: 30_000 }).toBe(1)
    // As if its list had not come through either, and the attempts had run out.
    await sql`
      UPDATE advertisement_delivery SET state = 'failed', next_at = NULL, attempts = 16, reported_at = NULL
      WHERE advertisement_id = ${adId}`.execute(app.db)
    expect(await app.call(deleteAdvertisement, { id: adId }, admin)).toMatchObject({ code: 200 })
    await world.becomes(adId, { [silent.code]: 'removed' })
    expect(device.advertisements).toEqual([])
  })

  test('a cabinet that was offline for weeks, and one that was asked sixteen times', async () => {
    const [away] = (await world.cabinets(1)) as [TestDevice]
    const device = await world.switchOn(away)
    const adId = await world.publish()
    await world.becomes(adId, { [away.code]: 'shown' })
    device.cutPower()
    await app.call(deleteAdvertisement, { id: adId }, admin)
    await world.becomes(adId, { [away.code]: 'removing' })
    await sql`
      UPDATE device_command SET deadline = now(), next_at = now()
      WHERE device_code = ${away.code} AND state <> 'finished'`.execute(app.db)
    await world.wakeUp('device_command')
    await sql`UPDATE advertisement_delivery SET attempts = 16 WHERE advertisement_id = ${adId}`.execute(
      app.db,
    )
    device.start()
    await world.becomes(adId, { [away.code]: 'removed' })
    expect(device.advertisements).toEqual([])
  })

  test('a cabinet that was deleted and registered again', async () => {
    const regionId = await insertRegion(app.db)
    const [old] = (await world.cabinets(1)) as [TestDevice]
    const before = await world.switchOn(old)
    const adId = await world.publish()
    await world.becomes(adId, { [old.code]: 'shown' })
    expect(await app.call(deleteDevice, { id: String(old.id) }, admin)).toMatchObject({ code: 200 })
    await app.call(deleteAdvertisement, { id: adId }, admin)
    const { rows } = await sql<{ code: string }>`SELECT code FROM region WHERE id = ${regionId}`.execute(
      app.db,
    )
    await app.call(
      insertDevice,
      {
        code: old.code,
        operatorId: String(world.operatorId),
        equipModelId: String(world.modelId),
        regionCode: rows[0]?.code as string,
      },
      admin,
    )
    // The cabinet goes on with the secret that it has.
    await app.db
      .updateTable('device')
      .set({ secret_hash: hashSecret(old.secret) })
      .where('code', '=', old.code)
      .execute()
    await world.becomes(adId, { [old.code]: 'removed' })
    expect(before.advertisements).toEqual([])
  })

  test('its creator deletes it although a cabinet went to another organization', async () => {
    const creator = await publisher()
    const [stays, leaves] = (await world.cabinets(2, organizationId)) as [TestDevice, TestDevice]
    const devices = [await world.switchOn(stays), await world.switchOn(leaves)]
    const adId = await world.publish({}, creator.token)
    await world.becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'shown' })
    const foreign = await insertOperator(app.db)
    await sql`UPDATE device SET operator_id = ${foreign} WHERE id = ${leaves.id}`.execute(app.db)
    await world.renew(adId)
    await world.becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'removed' })
    expect(await app.call(deleteAdvertisement, { id: adId }, creator.token)).toMatchObject({ code: 200 })
    await world.becomes(adId, { [stays.code]: 'removed', [leaves.code]: 'removed' })
    expect(devices.map((device) => device.advertisements)).toEqual([[], []])
  })
})

test('an advertisement for some codes stays with these when a client sends empty filters beside them', async () => {
  const creator = await publisher()
  const [chosen] = (await world.cabinets(2, organizationId)) as [TestDevice, TestDevice]
  const adId = await world.publish({ cabinets: { filters: {}, codes: [chosen.code] } }, creator.token)
  await world.becomes(adId, { [chosen.code]: 'sent' })
  await world.renewed(adId)
  expect((await world.deliveriesOf(adId)).map(({ code }) => code)).toEqual([chosen.code])
})

test.each(['another', 'the one above'])(
  'an advertisement stays with its organization when its creator goes to %s organization',
  async (where) => {
    const top = await insertOrganization(app.db)
    const below = await insertOrganization(app.db)
    await sql`UPDATE organization SET parent_id = ${top} WHERE id = ${below}`.execute(app.db)
    const organization = where === 'another' ? await insertOrganization(app.db) : top
    await world.cabinets(1, organization)
    const [own] = (await world.cabinets(1, below)) as [TestDevice]
    const creator = await publisher({ organizationId: below })
    const colleague = await publisher({ organizationId: below })
    const device = await world.switchOn(own)
    const adId = await world.publish({ cabinets: { isAll: 1 } }, creator.token)
    await world.becomes(adId, { [own.code]: 'shown' })
    await sql`UPDATE app_user SET organization_id = ${organization} WHERE id = ${creator.id}`.execute(app.db)
    await world.renewed(adId)
    await world.becomes(adId, { [own.code]: where === 'another' ? 'removed' : 'shown' })
    expect(device.advertisements).toHaveLength(where === 'another' ? 0 : 1)
    expect(await app.call(deleteAdvertisement, { id: adId }, colleague.token)).toMatchObject({ code: 200 })
  },
)
