// What the feed tells of results: of devices to who sees them, of tasks with the devices that the reader sees, and of a
// device that moves to who had it and to who has it now.
import {
  type CloudEvent,
  cancelLogExtraction,
  cancelUpgradeTask,
  createAdvertisement,
  deleteAdvertisement,
  endAdvertisement,
  insertParameterBatch,
  startLogExtraction,
  stopParameterBatch,
  updateDevice,
  upgradeDevices,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { uploadAnnex } from '../../../test/annex.ts'
import { makeKey, ofOperators } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import { entitysOf, reportValues, soc } from '../../../test/batches.ts'
import { insertDevice, insertModel, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { feedOf } from '../../../test/feed.ts'
import { insertFleet, insertPackageFor } from '../../../test/upgrades.ts'
import { everything } from '../../domain/access/data-scope.ts'
import { listEvents, placeEvents } from './feed.queries.ts'

const app = await appOfTests({ DB_POOL_SIZE: '20' })
const { db } = app
const admin = await app.asAdmin()
const { drain, now } = feedOf(app)

/**
 * An organization with two operators, a device of each, and keys: of all that it has, of the first operator, and of
 * another organization with an operator of its own.
 */
async function companies() {
  const organizationId = await insertOrganization(db)
  const [first, second] = [
    await insertOperator(db, { organizationId }),
    await insertOperator(db, { organizationId }),
  ]
  const otherId = await insertOrganization(db)
  const other = await insertOperator(db, { organizationId: otherId })
  const modelId = await insertModel(db)
  const { devices } = await insertFleet(db, 1, { operatorId: first, organizationId, modelId })
  const { devices: others } = await insertFleet(db, 1, { operatorId: second, organizationId, modelId })
  const keyOf = async (organization: number, ...operators: number[]) =>
    (
      await makeKey(app, admin, {
        organizationId: String(organization),
        ...(operators.length > 0 && ofOperators(...operators)),
      })
    ).secret
  const user = await app.asUser({
    organizationId,
    functionCodes: [
      ...['batchSet:insert', 'batchSet:stop', 'upgrade:device', 'upgrade:control'],
      ...['ad:create', 'ad:delete', 'logextract:insert'],
    ],
  })
  return {
    first,
    second,
    other,
    modelId,
    devices: [...devices, ...others] as const,
    token: user.token,
    whole: await keyOf(organizationId),
    narrow: await keyOf(organizationId, first),
    foreign: await keyOf(otherId),
  }
}

const call = async (...given: Parameters<typeof app.call>) => {
  const answer = await app.call(...given)
  expect([answer.code, answer.message]).toEqual([200, answer.message])
  return answer.data as Record<string, string>
}
const told = (events: readonly CloudEvent[]) =>
  events.map(({ type, data: { state, counts } }) => [type, state, counts])
/** What was told of a noun since the cursor, by the keys. */
const toldOf = async (noun: string, from: string, ...secrets: string[]) =>
  await Promise.all(
    secrets.map(async (secret) =>
      told((await drain(secret, from)).events.filter(({ type }) => type.startsWith(`${noun}.`))),
    ),
  )
const soon = { timeout: 30_000, interval: 100 }

test('a batch ends for each device and as a whole, with the devices that the key sees', async () => {
  const { first, modelId, devices, token, whole, narrow, foreign } = await companies()
  for (const device of devices) await reportValues(db, device, { [soc]: 95 })
  const from = await now(whole)
  const { id = '' } = await call(
    insertParameterBatch,
    {
      paramSetRule: { upgradeCount: 1, interval: 3 },
      entitys: entitysOf({ [soc]: 88 }),
      queryParam: { filters: { equipModelId: String(modelId) } },
    },
    token,
  )
  await call(stopParameterBatch, { id }, token)
  const ended = ['batch.ended', 'stopped', undefined]
  await expect
    .poll(() => toldOf('batch', from, whole, narrow, foreign), soon)
    .toEqual([
      [ended, ended, ['batch.finished', 'stopped', { stopped: 2 }]],
      [ended, ['batch.finished', 'stopped', { stopped: 1 }]],
      [],
    ])
  const { events } = await drain(narrow, from)
  expect(events).toMatchObject([
    { type: 'batch.ended', subject: devices[0]?.code, data: { batchId: id, operatorId: String(first) } },
    { type: 'batch.finished', subject: id, data: { batchId: id } },
  ])
  expect(events[1]?.data).not.toHaveProperty('deviceId')
})

test('a batch that finished again and again is counted once a page', async () => {
  const { modelId, devices, token, whole } = await companies()
  for (const device of devices) await reportValues(db, device, { [soc]: 95 })
  const from = await now(whole)
  const { id = '' } = await call(
    insertParameterBatch,
    {
      paramSetRule: { upgradeCount: 1, interval: 3 },
      entitys: entitysOf({ [soc]: 88 }),
      queryParam: { filters: { equipModelId: String(modelId) } },
    },
    token,
  )
  await call(stopParameterBatch, { id }, token)
  const finished = async () =>
    (await toldOf('batch', from, whole))[0]?.filter(([type]) => type === 'batch.finished')
  await expect.poll(finished, soon).toHaveLength(1)
  /** Looks at the targets of batches that a page takes. */
  const looks = () =>
    db.transaction().execute(async (trx) => {
      const read = async () => {
        const { rows } = await sql<{ scans: number }>`
          SELECT (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int AS scans FROM pg_stat_xact_user_tables
          WHERE relname = 'parameter_target'`.execute(trx)
        return rows[0]?.scans ?? 0
      }
      const before = await read()
      const reader = {
        actor: { isSystem: true, organizationId: 1 },
        scope: everything,
        kinds: ['batch.finished'] as const,
      }
      const after = from.split('-')[0] ?? ''
      await listEvents(trx, reader, { after, span: 20_000, limit: 100 })
      return (await read()) - before
    })
  const once = await looks()
  expect(once).toBeGreaterThan(0)
  for (const state of ['running', 'stopped', 'running', 'stopped', 'running', 'stopped'])
    await sql`
      UPDATE parameter_batch
      SET state = ${state}, next_at = CASE WHEN ${state} = 'running' THEN now() + interval '1 hour' END
      WHERE id = ${id}::int`.execute(db)
  await placeEvents(db)
  expect(await finished()).toEqual(
    Array.from({ length: 4 }, () => ['batch.finished', 'stopped', { stopped: 2 }]),
  )
  expect(await looks()).toBe(once)
})

test('an upgrade ends for each part and as a whole', async () => {
  const { first, modelId, devices, token, whole, narrow, foreign } = await companies()
  const from = await now(whole)
  const fleet = await insertFleet(db, 0, { operatorId: first, modelId })
  const { id: packageId } = await insertPackageFor(db, fleet, { version: '2.0' })
  const { id = '' } = await call(
    upgradeDevices,
    { equipIds: devices.map(({ id: device }) => String(device)), softwareVersionIds: [String(packageId)] },
    token,
  )
  await call(cancelUpgradeTask, { id }, token)
  const ended = ['upgrade.ended', 'cancelled', undefined]
  // Cancelling is the task's end; its parts follow.
  await expect
    .poll(
      async () => (await toldOf('upgrade', from, whole, narrow, foreign)).map((each) => each.sort()),
      soon,
    )
    .toEqual([
      [ended, ended, ['upgrade.finished', 'cancelled', { cancelled: 2 }]],
      [ended, ['upgrade.finished', 'cancelled', { cancelled: 1 }]],
      [],
    ])
})

test('an advertisement that is ended, and one that is deleted, is told once', async () => {
  const { token, whole, narrow, foreign } = await companies()
  const publish = async () => {
    const { annexUrl, fileMame } = await uploadAnnex(app, token)
    const period = { adStartTime: '2026-01-01 00:00:00', adEndTime: '2099-12-31 23:59:59' }
    return await call(createAdvertisement, { adName: '春节', ...period, annexUrl, fileMame }, token)
  }
  const from = await now(whole)
  const { id: ended = '' } = await publish()
  await call(endAdvertisement, { id: ended }, token)
  await expect
    .poll(async () => (await toldOf('advertisement', from, whole))[0], soon)
    .toMatchObject([['advertisement.finished', 'over', expect.anything()]])
  const { id: deleted = '' } = await publish()
  await call(deleteAdvertisement, { id: deleted }, token)
  const seen = await toldOf('advertisement', from, whole, narrow, foreign)
  expect(seen.map((events) => events.map(([, state]) => state))).toEqual([
    ['over', 'deleted'],
    ['over', 'deleted'],
    [],
  ])
  const sums = seen.map((events) =>
    events.map(([, , counts]) => Object.values(counts as Record<string, number>).reduce((a, b) => a + b, 0)),
  )
  expect(sums).toEqual([[2, 2], [1, 1], []])
})

test('an extraction of a log ends for who sees the device', async () => {
  const { devices, token, whole, narrow, foreign } = await companies()
  const [, device] = devices
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${device?.id ?? 0}`.execute(db)
  const from = await now(whole)
  const day = new Date().toISOString().slice(0, 10)
  const { id = '' } = await call(
    startLogExtraction,
    {
      equipCode: device?.code ?? '',
      equipClassify: 'EC',
      logExtractParam: { level: 'RUN', fileType: 'txt', startTime: day, endTime: day },
    },
    token,
  )
  await call(cancelLogExtraction, { id }, token)
  expect(await toldOf('log', from, whole, narrow, foreign)).toEqual([
    [['log.ended', 'cancelled', undefined]],
    [],
    [],
  ])
  expect((await drain(whole, from)).events).toMatchObject([
    { subject: device?.code, data: { extractionId: id } },
  ])
})

test('who had a device is told that it left, and who has it that it came, each once and nothing of the other', async () => {
  const [former, present] = [await companies(), await companies()]
  const device = await insertDevice(db, { operatorId: former.first })
  const { rows } = await sql<{ equipModelId: string; regionCode: string }>`
    SELECT d.model_id::text AS "equipModelId", r.code AS "regionCode"
    FROM device d JOIN region r ON r.id = d.region_id WHERE d.id = ${device.id}`.execute(db)
  const [place] = rows
  if (!place) throw new Error('the device is there')
  const move = async (operatorId: number, version: number) => {
    const form = {
      id: String(device.id),
      code: device.code,
      ...place,
      version,
      operatorId: String(operatorId),
    }
    await call(updateDevice, form, admin)
  }
  const from = await now(former.narrow)
  const moves = async (secret: string, cursor = from) => {
    // In pages of one: who was away for long reads the same.
    const { events, next } = await drain(secret, cursor, 1)
    const own = events.filter(({ type }) => type === 'device.left' || type === 'device.arrived')
    return { moved: own.map(({ type, subject, data }) => [type, subject, data] as const), next, all: events }
  }
  const of = (operatorId: number) => ({ deviceId: String(device.id), operatorId: String(operatorId) })

  // Both operators are of the organization: to the whole of it the device has gone nowhere.
  await move(former.second, 1)
  expect((await moves(former.narrow)).moved).toEqual([['device.left', device.code, of(former.first)]])
  expect((await moves(former.whole)).moved).toEqual([])
  expect((await moves(former.foreign)).moved).toEqual([])

  await move(present.first, 2)
  const left = await moves(former.whole)
  expect(left.moved).toEqual([['device.left', device.code, of(former.second)]])
  expect(JSON.stringify(left.all)).not.toContain(`"${present.first}"`)
  expect((await moves(former.narrow)).moved.length).toBe(1)
  const came = await moves(present.whole)
  expect(came.moved).toEqual([['device.arrived', device.code, of(present.first)]])
  expect(JSON.stringify(came.all)).not.toContain(`"${former.second}"`)
  expect((await moves(present.narrow)).moved).toEqual(came.moved)
  expect((await moves(present.foreign)).moved).toEqual([])
  expect((await moves(admin)).moved).toEqual([])

  // Both ways, for a consumer that was away all the time and for one that was not.
  await move(former.first, 3)
  expect((await moves(former.narrow)).moved.map(([type]) => type)).toEqual(['device.left', 'device.arrived'])
  expect((await moves(former.whole, left.next)).moved).toEqual([
    ['device.arrived', device.code, of(former.first)],
  ])
  expect((await moves(present.whole)).moved.map(([type]) => type)).toEqual(['device.arrived', 'device.left'])
  expect((await moves(present.whole, came.next)).moved).toEqual([
    ['device.left', device.code, of(present.first)],
  ])

  // Gone for good: the deletion is told to who has it.
  await sql`DELETE FROM device WHERE id = ${device.id}`.execute(db)
  expect((await moves(former.narrow)).all.map(({ type }) => type)).toEqual([
    'device.left',
    'device.arrived',
    'device.deleted',
  ])
  expect((await moves(present.whole)).all.map(({ type }) => type)).toEqual(['device.arrived', 'device.left'])
})
