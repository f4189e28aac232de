import {
  createAdvertisement,
  deleteAdvertisement,
  formatDateTime,
  listAdvertisements,
  listDeliveries,
  listFailureReasons,
  retryDeliveries,
} from '@voltkeep/contract'
import { inTurn, type TroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { uploadAnnex } from '../../../test/annex.ts'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertModel, insertOperator, type TestDevice } from '../../../test/factories.ts'

let app: TestApp
let token: string
let operatorId: number
let modelId: number
const running: VirtualDevice[] = []

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
  modelId = await insertModel(app.db)
})
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})
afterAll(() => app.close())

/** Cabinets with their own operator, by which a test chooses them. */
async function cabinets(count: number): Promise<TestDevice[]> {
  operatorId = await insertOperator(app.db)
  return Promise.all(Array.from({ length: count }, () => insertDevice(app.db, { operatorId, modelId })))
}

async function switchOn({ code, secret }: TestDevice, ...troubles: (TroubleName | undefined)[]) {
  const device = new VirtualDevice(
    { code, secret },
    {
      broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
      random: createRandom(1),
      reconnectMs: [50, 200],
      commands: { hasScreen: true, trouble: inTurn(...troubles) },
    },
  )
  running.push(device)
  device.start()
  await device.whenOnline()
  return device
}

async function publish(form: object = {}): Promise<string> {
  const { annexUrl } = await uploadAnnex(app, token)
  const answer = await app.call(
    createAdvertisement,
    {
      adName: '春节换电优惠',
      adStartTime: '2026-01-01 00:00:00',
      adEndTime: '2099-12-31 23:59:59',
      annexUrl,
      fileMame: '春节.png',
      cabinets: { filters: { operatorId: String(operatorId) } },
      ...form,
    },
    token,
  )
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.id
}

const deliveriesOf = async (adId: string) =>
  (await app.call(listDeliveries, { adId, pageSize: 100 }, token)).data
const becomes = (adId: string, states: Record<string, string>) =>
  expect
    .poll(
      async () => Object.fromEntries((await deliveriesOf(adId)).map(({ code, state }) => [code, state])),
      {
        timeout: 30_000,
        interval: 50,
      },
    )
    .toEqual(states)
/** Makes the next attempt due now. */
const hurry = async () => {
  await sql`UPDATE advertisement_delivery SET next_at = now() WHERE next_at IS NOT NULL`.execute(app.db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["advertisement_delivery 0"]}')`.execute(
    app.db,
  )
}

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
    const ofOperator = operatorId
    await switchOn(stays)
    const leaver = await switchOn(leaves)
    const adId = await publish()
    await becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'shown' })
    const joins = await insertDevice(app.db, { operatorId: ofOperator, modelId })
    await switchOn(joins)
    const elsewhere = await insertOperator(app.db)
    await app.db.updateTable('device').set({ operator_id: elsewhere }).where('id', '=', leaves.id).execute()
    const renew = async () => {
      await sql`UPDATE advertisement SET next_at = now() WHERE id = ${adId}`.execute(app.db)
      await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["advertisement 0"]}')`.execute(app.db)
    }
    await renew()
    await becomes(adId, { [stays.code]: 'shown', [leaves.code]: 'removed', [joins.code]: 'shown' })
    expect(leaver.advertisements).toEqual([])
    await app.db.updateTable('device').set({ operator_id: ofOperator }).where('id', '=', leaves.id).execute()
    await renew()
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
