// Ways by which a decision about advertisements reached further than, or less far than, docs/security.md says.
import { createAdvertisement, grantSystem, readDeviceTimeline, retryDeliveries } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AdvertisingWorld, createAdvertisingWorld } from '../../../test/advertising.ts'
import { uploadAnnex } from '../../../test/annex.ts'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { connectRaw } from '../../../test/mqtt-client.ts'

let app: TestApp
let admin: string
let world: AdvertisingWorld
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  world = await createAdvertisingWorld(app, admin)
})
afterEach(() => world.switchOff())
afterAll(() => app.close())

const functionCodes = ['ad:create', 'ad:page', 'ad:delete', 'ad:retry']

test('an advertisement stays with its organization when its creator becomes SYSTEM', async () => {
  const organizationId = await insertOrganization(app.db)
  const [foreign] = (await world.cabinets(1, await insertOrganization(app.db))) as [TestDevice]
  const [own] = (await world.cabinets(1, organizationId)) as [TestDevice]
  const shows = await world.switchOn(foreign)
  const creator = await app.asUser({ organizationId, functionCodes })
  const adId = await world.publish({ cabinets: { isAll: 1 } }, creator.token)
  await world.becomes(adId, { [own.code]: 'sent' })
  expect(await app.call(grantSystem, { id: String(creator.id) }, admin)).toMatchObject({ code: 200 })
  await world.renewed(adId)
  await expect
    .poll(async () => (await world.deliveriesOf(adId)).filter(({ state }) => state === 'waiting'))
    .toEqual([])
  expect.soft((await world.deliveriesOf(adId)).map(({ code }) => code)).toEqual([own.code])
  expect(shows.advertisements).toEqual([])
})

test('the creator who asks for another attempt takes it over from a colleague', async () => {
  const organizationId = await insertOrganization(app.db)
  const [only] = (await world.cabinets(1, organizationId)) as [TestDevice]
  const [creator, asker] = [
    await app.asUser({ organizationId, functionCodes }),
    await app.asUser({ organizationId, functionCodes }),
  ]
  const adId = await world.publish({}, creator.token)
  await world.becomes(adId, { [only.code]: 'sent' })
  const fails = (attempts: number, isAgain: boolean) =>
    sql`
    UPDATE advertisement_delivery SET state = 'failed', attempts = ${attempts},
      next_at = CASE WHEN ${isAgain} THEN now() + interval '1 hour' END
    WHERE advertisement_id = ${adId}`.execute(app.db)
  await fails(9, false)
  expect((await app.call(retryDeliveries, { id: adId }, asker.token)).data).toEqual({ count: 1 })
  await world.becomes(adId, { [only.code]: 'sent' })
  await fails(1, true)
  await sql`UPDATE app_user SET is_enabled = false WHERE id = ${asker.id}`.execute(app.db)
  expect((await app.call(retryDeliveries, { id: adId }, creator.token)).data).toEqual({ count: 1 })
  await expect
    .poll(async () => (await world.deliveriesOf(adId)).map(({ state }) => state), { timeout: 30_000 })
    .not.toEqual(['waiting'])
  await world.becomes(adId, { [only.code]: 'sent' })
})

test('a file is used once, also where two advertisements are made of it at the same moment', async () => {
  const organizationId = await insertOrganization(app.db)
  await world.cabinets(1, organizationId)
  const { annexUrl } = await uploadAnnex(app, admin)
  const form = {
    adName: '同一文件',
    adStartTime: '2026-01-01 00:00:00',
    adEndTime: '2099-12-31 23:59:59',
    annexUrl,
    fileMame: '春节.png',
    cabinets: { filters: { operatorId: String(world.operatorId) } },
  }
  const made = await Promise.all(Array.from({ length: 4 }, () => app.call(createAdvertisement, form, admin)))
  expect(made.filter(({ code }) => code === 200)).toHaveLength(1)
})

test('an advertisement for cabinets with few full batteries stays with those that had few', async () => {
  const organizationId = await insertOrganization(app.db)
  const [few, many] = (await world.cabinets(2, organizationId)) as [TestDevice, TestDevice]
  const stocks = async (full: readonly (readonly [TestDevice, number])[]) => {
    for (const [{ id }, count] of full)
      await sql`
        INSERT INTO device_stock
          (device_id, full_count, charging_count, idle_count, empty_count, faulty_count, disabled_count)
        VALUES (${id}, ${count}, 0, 0, 0, 0, 0)
        ON CONFLICT (device_id) DO UPDATE SET full_count = excluded.full_count`.execute(app.db)
  }
  await stocks([
    [few, 1],
    [many, 9],
  ])
  const filters = { operatorId: String(world.operatorId), fullFewerThan: 3 }
  const adId = await world.publish({ cabinets: { filters } })
  await world.becomes(adId, { [few.code]: 'sent' })
  await stocks([
    [few, 9],
    [many, 1],
  ])
  await world.renewed(adId)
  expect((await world.deliveriesOf(adId)).map(({ code, state }) => [code, state])).toEqual([
    [few.code, 'sent'],
  ])
})

test('what a cabinet says that it keeps tells its people of no advertisement that it was not sent', async () => {
  await world.cabinets(1, await insertOrganization(app.db))
  const foreign = await world.publish({ adName: '别人的广告' })
  const organizationId = await insertOrganization(app.db)
  const [own] = (await world.cabinets(1, organizationId)) as [TestDevice]
  const sent = await world.publish({ adName: '上级的广告' })
  await world.becomes(sent, { [own.code]: 'sent' })
  const { client } = await connectRaw(app.ports.mqttPort as number, own)
  const advertisements = [foreign, sent].map((advertisementId) => ({ advertisementId, state: 'stored' }))
  const report = { id: 'a-1', time: Date.now(), advertisements }
  expect(await client.publish(`voltkeep/${own.code}/up/advertisement`, report)).toBe(true)
  const reader = await app.asUser({ organizationId, functionCodes: ['equip:list', ...functionCodes] })
  const told = async (token: string) =>
    (
      await app.call(readDeviceTimeline, { id: String(own.id), kinds: ['advertisement'] }, token)
    ).data.entries.map(({ name, state, by }) => [name, state, by])
  await expect.poll(() => told(reader.token)).toHaveLength(2)
  const entries = await told(reader.token)
  expect(entries).toContainEqual(['上级的广告', 'stored', 'admin'])
  expect(entries).toContainEqual([null, 'removing', null])
  expect(await told(admin)).toContainEqual(['别人的广告', 'removing', 'admin'])
  client.breakOff()
})
