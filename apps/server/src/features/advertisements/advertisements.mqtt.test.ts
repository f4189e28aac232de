import {
  deleteAdvertisement,
  endAdvertisement,
  formatDateTime,
  listAdvertisements,
  listFailureReasons,
  listOperations,
  retryDeliveries,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AdvertisingWorld, createAdvertisingWorld } from '../../../test/advertising.ts'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, type TestDevice } from '../../../test/factories.ts'

let app: TestApp
let token: string
let world: AdvertisingWorld

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
  world = await createAdvertisingWorld(app, token)
})
afterEach(() => world.switchOff())
afterAll(() => app.close())

const cabinets = (count: number) => world.cabinets(count)
const switchOn: AdvertisingWorld['switchOn'] = (device, ...troubles) => world.switchOn(device, ...troubles)
const publish: AdvertisingWorld['publish'] = (form) => world.publish(form)
const deliveriesOf = (adId: string) => world.deliveriesOf(adId)
const becomes: AdvertisingWorld['becomes'] = (adId, states) => world.becomes(adId, states)
const hurry = () => world.hurry()

describe('an advertisement', () => {
  // proves: call POST /ad/delete/{id}
  test('is downloaded, shown, and removed when it is deleted', async () => {
    const [one, other] = (await cabinets(2)) as [TestDevice, TestDevice]
    const first = await switchOn(one)
    const adId = await publish()
    await becomes(adId, { [one.code]: 'shown', [other.code]: 'sent' })
    expect(first.advertisements).toMatchObject([{ advertisementId: adId, state: 'shown' }])
    // The other cabinet is offline, and gets it when it connects.
    const second = await switchOn(other)
    await becomes(adId, { [one.code]: 'shown', [other.code]: 'shown' })
    expect((await app.call(listAdvertisements, { ids: [adId] }, token)).data[0]).toMatchObject({
      status: 'running',
      counts: { total: 2, shown: 2, failed: 0 },
    })

    expect(await app.call(deleteAdvertisement, { id: adId }, token)).toMatchObject({ code: 200 })
    await becomes(adId, { [one.code]: 'removed', [other.code]: 'removed' })
    expect([first.advertisements, second.advertisements]).toEqual([[], []])
    expect((await app.call(listAdvertisements, { ids: [adId] }, token)).total).toBe(0)
    expect((await app.call(listAdvertisements, { ids: [adId], fgDelete: 1 }, token)).data).toMatchObject([
      { fgDelete: 1, status: 'deleted' },
    ])
  })

  test('that a cabinet could not store is retried, with the reason in the list', async () => {
    const [device] = (await cabinets(1)) as [TestDevice]
    await switchOn(device, 'disk-full')
    const adId = await publish()
    await becomes(adId, { [device.code]: 'failed' })
    const [delivery] = await deliveriesOf(adId)
    expect(delivery).toMatchObject({
      attempts: 1,
      reason: expect.stringMatching(/./),
      nextTime: expect.any(String),
    })
    expect((await app.call(listFailureReasons, { adId }, token)).data).toEqual([
      { reason: delivery?.reason, count: 1, state: 'failed' },
    ])
    await hurry()
    await becomes(adId, { [device.code]: 'shown' })
    expect((await deliveriesOf(adId))[0]).toMatchObject({ attempts: 0, reason: null })
  })

  test('that a cabinet refuses waits for a user', async () => {
    const [device] = (await cabinets(1)) as [TestDevice]
    await switchOn(device, 'refuses')
    const adId = await publish()
    await becomes(adId, { [device.code]: 'refused' })
    await hurry()
    expect((await deliveriesOf(adId))[0]).toMatchObject({ state: 'refused', nextTime: null })
    const { data } = await app.call(retryDeliveries, { id: adId }, token)
    expect(data.count).toBe(1)
    await becomes(adId, { [device.code]: 'shown' })
    expect(await app.call(retryDeliveries, { id: adId }, token)).toMatchObject({
      status: 409,
      refusal: 'advertisementNothingToRetry',
    })
  })

  test('that a cabinet falsely claims to have is sent again', async () => {
    const [device] = (await cabinets(1)) as [TestDevice]
    const liar = await switchOn(device, 'lies')
    const adId = await publish()
    await expect
      .poll(async () => (await deliveriesOf(adId))[0]?.state, { timeout: 30_000 })
      .toMatch(/stored|failed/)
    // After a reconnect, the cabinet reports the list of files that it has.
    liar.cutLine()
    await becomes(adId, { [device.code]: 'failed' })
    expect((await deliveriesOf(adId))[0]?.reason).toBe('设备上的文件已丢失')
    await hurry()
    await becomes(adId, { [device.code]: 'shown' })
  })

  test('replaces another one only where the new one has been stored', async () => {
    const [good, bad] = (await cabinets(2)) as [TestDevice, TestDevice]
    await switchOn(good)
    await switchOn(bad, undefined, 'disk-full')
    const old = await publish()
    await becomes(old, { [good.code]: 'shown', [bad.code]: 'shown' })
    const fresh = await publish({ adName: '新春', replacedAdId: old })
    await becomes(fresh, { [good.code]: 'shown', [bad.code]: 'failed' })
    await becomes(old, { [good.code]: 'removed', [bad.code]: 'shown' })
    await hurry()
    await becomes(fresh, { [good.code]: 'shown', [bad.code]: 'shown' })
    await becomes(old, { [good.code]: 'removed', [bad.code]: 'removed' })
  })

  test('is sent to a cabinet that joins its scope, and removed from one that leaves it', async () => {
    const [stays, leaves] = (await cabinets(2)) as [TestDevice, TestDevice]
    const ofOperator = world.operatorId
    await switchOn(stays)
    const leaver = await switchOn(leaves)
    const adId = await publish()
    await becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'shown' })
    const joins = await insertDevice(app.db, { operatorId: ofOperator, modelId: world.modelId })
    await switchOn(joins)
    const elsewhere = await insertOperator(app.db)
    await app.db.updateTable('device').set({ operator_id: elsewhere }).where('id', '=', leaves.id).execute()
    await world.renew(adId)
    await becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'removed', [joins.code]: 'shown' })
    expect(leaver.advertisements).toEqual([])
    await app.db.updateTable('device').set({ operator_id: ofOperator }).where('id', '=', leaves.id).execute()
    await world.renew(adId)
    await becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'shown', [joins.code]: 'shown' })
  })

  test('ends by itself at the end of its period, though no other advertisement is due', async () => {
    const [cabinet] = (await cabinets(1)) as [TestDevice]
    await switchOn(cabinet)
    await sql`UPDATE advertisement SET next_at = NULL`.execute(app.db)
    const adId = await publish({ adEndTime: formatDateTime(new Date(Date.now() + 5_000)) })
    await becomes(adId, { [cabinet.code]: 'shown' })
    await becomes(adId, { [cabinet.code]: 'removed' })
  })

  test('is ended by a user before its time: cabinets remove it, the row is over, and the log says so', async () => {
    const [cabinet] = (await cabinets(1)) as [TestDevice]
    await switchOn(cabinet)
    const adId = await publish()
    await becomes(adId, { [cabinet.code]: 'shown' })
    expect((await app.call(endAdvertisement, { id: adId }, token)).status).toBe(200)
    await becomes(adId, { [cabinet.code]: 'removed' })
    expect((await app.call(listAdvertisements, { ids: [adId] }, token)).data[0]?.status).toBe('over')
    expect(await app.call(endAdvertisement, { id: adId }, token)).toMatchObject({
      status: 409,
      refusal: 'advertisementNotRunning',
    })
    const { data } = await app.call(listOperations, {}, token)
    // The refused one is named by the number that was asked for.
    expect(data.map(({ target }) => target)).toContain('广告 春节换电优惠')
    const planned = await publish({ adStartTime: '2098-01-01 00:00:00' })
    expect(await app.call(endAdvertisement, { id: planned }, token)).toMatchObject({
      refusal: 'advertisementNotRunning',
    })
  })

  test('ends with its period: stored files are removed, and pending deliveries end', async () => {
    const [there, away] = (await cabinets(2)) as [TestDevice, TestDevice]
    await switchOn(there)
    const adId = await publish()
    await becomes(adId, { [there.code]: 'shown', [away.code]: 'sent' })
    await sql`UPDATE advertisement SET ends_at = now(), next_at = now() WHERE id = ${adId}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["advertisement 0"]}')`.execute(app.db)
    await becomes(adId, { [there.code]: 'removed', [away.code]: 'removing' })
    expect((await app.call(listAdvertisements, { ids: [adId] }, token)).data[0]?.status).toBe('over')
    expect(await app.call(retryDeliveries, { id: adId }, token)).toMatchObject({
      status: 409,
      refusal: 'advertisementOver',
    })
  })
})
