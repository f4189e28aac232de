// What the feed tells of devices, to whom, and that a consumer that was away misses none of it.
import {
  type CloudEvent,
  cancelUpgradeTask,
  deleteDevice,
  readFeed,
  insertDevice as registerDevice,
  updateDevice,
  upgradeDevices,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { makeKey, ofOperators } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { beginHeld, feedOf } from '../../../test/feed.ts'
import { insertFleet, insertPackageFor, reportVersions } from '../../../test/upgrades.ts'
import type { Db } from '../../platform/database/database.ts'

const app = await appOfTests({ DB_POOL_SIZE: '30' })
const { db } = app
const admin = await app.asAdmin()
const { drain, now } = feedOf(app)

/** An organization with an operator, and a key for it. */
async function company() {
  const organizationId = await insertOrganization(db)
  const operatorId = await insertOperator(db, { organizationId })
  const { secret } = await makeKey(app, admin, {
    organizationId: String(organizationId),
    ...ofOperators(operatorId),
  })
  return { organizationId, operatorId, secret }
}

let serial = 0
async function formOf(operatorId: number) {
  const device = await insertDevice(db)
  const { rows } = await sql<{ equipModelId: string; regionCode: string }>`
    SELECT d.model_id::text AS "equipModelId", r.code AS "regionCode"
    FROM device d JOIN region r ON r.id = d.region_id WHERE d.id = ${device.id}`.execute(db)
  const [place] = rows
  if (!place) throw new Error('the device is there')
  serial += 1
  return { code: `FEED${serial}`, operatorId: String(operatorId), ...place }
}

const call = async (...given: Parameters<typeof app.call>) => {
  const answer = await app.call(...given)
  expect([answer.code, answer.message]).toEqual([200, answer.message])
  return answer.data as Record<string, string>
}

async function reportEvent(on: Db, deviceId: number): Promise<string> {
  const id = String(7_000_000 + ++serial)
  await sql`
    INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, value, is_fault)
    SELECT ${id}::bigint, date_trunc('second', now()), id, operator_id, model_id, region_id, 'E1', 3, false
    FROM device WHERE id = ${deviceId}`.execute(on)
  return id
}

const told = (events: readonly CloudEvent[]) =>
  events.map(({ type, data }) => {
    const { deviceId, operatorId, occurrenceTime, ...more } = data
    return [type, more]
  })

test('tells of a device from its registration to its deletion', async () => {
  const { operatorId, secret } = await company()
  const from = await now(secret)
  const form = await formOf(operatorId)
  const { id = '' } = await call(registerDevice, form, admin)
  await call(updateDevice, { ...form, id, name: '一号', version: 1 }, admin)
  // Neither a new secret nor a form that was saved as it was changes what others know of it.
  await sql`UPDATE device SET secret_hash = '\\x01', version = version + 1 WHERE id = ${id}::int`.execute(db)
  await reportVersions(db, { id: Number(id) }, { 'PART_TYPE_EC_BIN 3': '1.0' })
  await reportVersions(db, { id: Number(id) }, { 'PART_TYPE_EC_BIN 3': '1.0' })
  await reportVersions(db, { id: Number(id) }, { 'PART_TYPE_EC_BIN 3': '1.1' })
  const eventId = await reportEvent(db, Number(id))
  const { events: before, next } = await drain(secret, from)
  expect(told(before)).toEqual([
    ['device.registered', {}],
    ['device.changed', { fields: ['name'] }],
    ['version.changed', { partType: 'PART_TYPE_EC_BIN', addrId: '3', version: '1.0' }],
    ['version.changed', { partType: 'PART_TYPE_EC_BIN', addrId: '3', version: '1.1', fromVersion: '1.0' }],
    ['event.reported', { eventId, code: 'E1', value: 3 }],
  ])
  await call(deleteDevice, { id, version: 3 }, admin)
  const { events } = await drain(secret, next)
  expect(events).toMatchObject([
    { type: 'device.deleted', subject: form.code, data: { deviceId: id, operatorId: String(operatorId) } },
  ])
  // Of what was before, its end alone is left.
  expect((await drain(secret, from)).events.map(({ type }) => type)).toEqual(['device.deleted'])
})

test('tells of the result that an upgrade has on a part', async () => {
  const { organizationId, operatorId, secret } = await company()
  const fleet = await insertFleet(db, 2, { operatorId, organizationId })
  const from = await now(secret)
  const { id: packageId } = await insertPackageFor(db, fleet, { version: '2.0' })
  const { id: taskId = '' } = await call(
    upgradeDevices,
    { equipIds: fleet.devices.map(({ id }) => String(id)), softwareVersionIds: [String(packageId)] },
    admin,
  )
  await call(cancelUpgradeTask, { id: taskId }, admin)
  await expect.poll(async () => (await drain(secret, from)).events.length, { timeout: 30_000 }).toBe(2)
  const { events } = await drain(secret, from)
  expect(new Set(events.map(({ subject }) => subject))).toEqual(
    new Set(fleet.devices.map(({ code }) => code)),
  )
  expect(told(events)).toEqual(
    Array.from({ length: 2 }, () => [
      'upgrade.ended',
      { taskId, partType: 'PART_TYPE_EC_MASTER', state: 'cancelled' },
    ]),
  )
})

test('a device that moves to another company takes all that was told of it along', async () => {
  const [former, present] = [await company(), await company()]
  const from = await now(former.secret)
  const form = await formOf(former.operatorId)
  const { id = '' } = await call(registerDevice, form, admin)
  const eventId = await reportEvent(db, Number(id))
  expect((await drain(former.secret, from)).events.length).toBe(2)
  expect((await drain(present.secret, from)).events).toEqual([])
  await call(updateDevice, { ...form, id, operatorId: String(present.operatorId), version: 1 }, admin)
  const leaving = (await drain(former.secret, from)).events
  expect(told(leaving)).toEqual([['device.left', {}]])
  const { events } = await drain(present.secret, from)
  expect(told(events)).toEqual([
    ['device.registered', {}],
    ['event.reported', { eventId, code: 'E1', value: 3 }],
    ['device.changed', { fields: ['operatorId'] }],
    ['device.arrived', {}],
  ])
  expect(new Set(events.map(({ data }) => data.operatorId))).toEqual(new Set([String(present.operatorId)]))
  // The deletion of what is theirs is told to them alone.
  await call(deleteDevice, { id, version: 2 }, admin)
  expect((await drain(former.secret, from)).events).toEqual(leaving)
  expect((await drain(present.secret, from)).events.map(({ type }) => type)).toEqual([
    'device.arrived',
    'device.deleted',
  ])
})

test('each kind needs a function that shows it elsewhere, too', async () => {
  const { organizationId, operatorId } = await company()
  const keyWith = async (code: string) =>
    (await makeKey(app, admin, { organizationId: String(organizationId), functionCodes: [code] })).secret
  const secrets = await Promise.all(
    ['equip:list', 'equipVersion:list', 'upgrade:list', 'event:list'].map(keyWith),
  )
  const from = await now(secrets[0] ?? '')
  const { id } = await insertDevice(db, { operatorId })
  await reportVersions(db, { id }, { 'PART_TYPE_EC_BIN 1': '1.0' })
  await reportEvent(db, id)
  await sql`DELETE FROM device WHERE id = ${id}`.execute(db)
  const seen = await Promise.all(secrets.map((secret) => drain(secret, from)))
  expect(seen.map(({ events }) => events.map(({ type }) => type))).toEqual([['device.deleted'], [], [], []])
  expect(await app.call(readFeed, { types: 'device.moved' }, admin)).toMatchObject({ code: 400 })
})

test('a consumer that was away catches up without a gap or a double while others write, commit late and give places', async () => {
  const { operatorId, secret } = await company()
  const foreign = await company()
  const devices = await Promise.all(Array.from({ length: 6 }, () => insertDevice(db, { operatorId })))
  const theirs = await insertDevice(db, { operatorId: foreign.operatorId })
  const [first, second] = devices
  if (!first || !second) throw new Error('six devices')
  const from = await now(secret)

  const wanted: string[] = []
  const write = async (on: Db, deviceId: number) => {
    wanted.push(await reportEvent(on, deviceId))
  }
  // The consumer is away. Three writers began first and have not committed.
  const commits = await Promise.all(
    devices.slice(0, 3).map(({ id }) =>
      beginHeld(db, async (trx) => {
        await write(trx, id)
        await reportVersions(trx, { id }, { 'PART_TYPE_EC_BIN 1': '1.0' })
        await write(trx, id)
      }),
    ),
  )
  for (let round = 0; round < 20; round += 1) {
    for (const { id } of devices) await write(db, id)
    await reportEvent(db, theirs.id)
  }
  const takenBack = beginHeld(db, async (trx) => {
    await reportEvent(trx, first.id)
    throw new Error('taken back')
  })
  await expect(takenBack).rejects.toThrow('taken back')

  // It comes back. Behind its first pages one writer after the other commits, and others begin and end.
  let release = async () => {}
  const { events, next } = await drain(secret, from, 7, async (page) => {
    if (page === 2) await commits[2]?.()
    if (page === 3) {
      // Another process gives places just now: it has them, and has not committed.
      await write(db, second.id)
      release = await beginHeld(db, (trx) => sql`SELECT FROM feed_state FOR UPDATE`.execute(trx))
      const reading = readsWhilePlacing()
      await commits[0]?.()
      await release()
      await reading
    }
    if (page === 5) await commits[1]?.()
    if (page === 6) for (const { id } of devices) await write(db, id)
  })
  async function readsWhilePlacing() {
    // Waits for the other, and sees in order what that one has placed.
    const answer = await app.call(readFeed, { after: from, limit: 1 }, secret)
    expect(answer.data.events.length).toBe(1)
  }
  const rest = await drain(secret, next, 7)
  const all = [...events, ...rest.events]
  const reported = all.filter(({ type }) => type === 'event.reported').map(({ data }) => data.eventId)
  expect(reported.toSorted()).toEqual(wanted.toSorted())
  expect(all.filter(({ type }) => type === 'version.changed').length).toBe(3)
  const numbers = all.map(({ id }) => Number(id))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  // What one writer wrote stands in the order in which it wrote it.
  for (const { code } of devices) {
    const mine = all.filter(({ subject, type }) => subject === code && type === 'event.reported')
    const late = mine
      .filter(({ data }) => wanted.indexOf(data.eventId ?? '') < 6)
      .map(({ data }) => data.eventId)
    expect(late).toEqual(late.toSorted((a, b) => wanted.indexOf(a ?? '') - wanted.indexOf(b ?? '')))
  }
  // Who reads it all at once is told the same.
  expect((await drain(secret, from, 1_000)).events.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  expect((await drain(secret, rest.next)).events).toEqual([])
})
