// The feed over HTTP: nothing missing and nothing twice, whatever order transactions commit in and whoever reads beside.

import { getEventListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { ackAlarms, type CloudEvent, readFeed } from '@voltkeep/contract'
import { sql, type Transaction } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeKey, ofOperators } from '../../../test/api-keys.ts'
import { appOfTests } from '../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  type TestDevice,
} from '../../../test/factories.ts'
import { beginHeld, feedOf } from '../../../test/feed.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Database } from '../../platform/database/tables.ts'
import { feedJobs } from './feed.jobs.ts'
import { placeEvents } from './feed.queries.ts'
import { createFeed } from './feed.service.ts'

const app = await appOfTests({ DB_POOL_SIZE: '30' })
const { db } = app
const admin = await app.asAdmin()

/** An organization with a device, and a key for it. */
async function place() {
  const organizationId = await insertOrganization(db)
  const operatorId = await insertOperator(db, { organizationId })
  const device = await insertDevice(db, { operatorId })
  const { secret } = await makeKey(app, admin, {
    organizationId: String(organizationId),
    ...ofOperators(operatorId),
  })
  return { organizationId, operatorId, device, secret }
}
const { read, now, drain } = feedOf(app)
/** Within a second. */
const isAnswered = (answer: Promise<unknown>) => Promise.race([answer.then(() => true), delay(1_000, false)])
const idsOf = (events: readonly CloudEvent[]) => events.map(({ data }) => data.alarmId)

let episode = 5_000_000
/** A new episode of the device, as one statement of a transaction. */
async function raise(trx: Transaction<Database> | typeof db, device: TestDevice): Promise<string> {
  const id = String(++episode)
  await sql`
    INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
    SELECT ${id}::bigint, date_trunc('second', now()), id, operator_id, model_id, region_id, 'F1', 1, 1
    FROM device WHERE id = ${device.id}`.execute(trx)
  return id
}
const recover = (trx: Transaction<Database> | typeof db, id: string) =>
  sql`UPDATE alarm_history SET recovered_at = now() WHERE id = ${id}::bigint`.execute(trx)

const begun = (work: (trx: Transaction<Database>) => Promise<unknown>) => beginHeld(db, work)

describe('the feed', () => {
  test('is written while somebody reads it; who comes back after more than its days is told so, and misses nothing silently', async () => {
    const { device, secret } = await place()
    const first = await now(secret)
    const kept = await raise(db, device)
    expect(idsOf((await drain(secret, first)).events)).toEqual([kept])
    const { next } = await drain(secret, first)
    await sql`UPDATE feed_reader SET read_at = now() - interval '8 days'`.execute(db)
    await raise(db, device)
    const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM feed_pending`.execute(db)
    expect(rows[0]?.count).toBe(0)
    for (const after of [first, next])
      expect(await app.call(readFeed, { after }, secret)).toMatchObject({ refusal: 'feedCursorExpired' })
    const again = await now(secret)
    const later = await raise(db, device)
    expect(idsOf((await drain(secret, again)).events)).toEqual([later])
    expect((await app.call(readFeed, { after: next }, secret)).refusal).toBe('feedCursorExpired')
  })

  test('tells in CloudEvents what happens to an alarm and to a device', async () => {
    const { device, operatorId, secret } = await place()
    const from = await now(secret)
    const id = await insertAlarm(db, device, '01110002', 5)
    await sql`UPDATE alarm_history SET value = 7 WHERE id = ${id}::bigint`.execute(db)
    expect((await app.call(ackAlarms, { ids: [id] }, admin)).code).toBe(200)
    await recover(db, id)
    // Changes nothing that is told.
    await sql`UPDATE alarm_history SET note = 'x' WHERE id = ${id}::bigint`.execute(db)
    await sql`INSERT INTO device_connection (device_id, at, is_online) VALUES (${device.id}, now(), true)`.execute(
      db,
    )
    const late = await insertAlarm(db, device, '01110003', 50, { recovered: true })
    const { events } = await drain(secret, from)
    expect(events.map(({ type, data }) => [type, data.alarmId])).toEqual([
      ['alarm.raised', id],
      ['alarm.changed', id],
      ['alarm.acknowledged', id],
      ['alarm.recovered', id],
      ['device.online', undefined],
      ['alarm.raised', late],
      ['alarm.recovered', late],
    ])
    expect(events[0]).toMatchObject({
      specversion: '1.0',
      source: expect.stringMatching(/^http/),
      subject: device.code,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      datacontenttype: 'application/json',
      data: { deviceId: String(device.id), operatorId: String(operatorId), code: '01110002', value: 5 },
    })
    expect(new Set(events.map(({ id: one }) => one)).size).toBe(events.length)
    const some = await read(secret, { after: from, types: 'device.online' })
    expect(some.events.map(({ type }) => type)).toEqual(['device.online'])
  })

  test('gives the newest ones first to who asks for them, and goes on behind them', async () => {
    const { device, secret } = await place()
    const foreign = await place()
    expect((await read(secret, { after: 'recent', types: 'alarm.raised' })).events).toEqual([])
    const mine: string[] = []
    for (let n = 0; n < 5; n += 1) {
      mine.push(await raise(db, device))
      await raise(db, foreign.device)
    }
    const { events, next, hasMore } = await read(secret, { after: 'recent', limit: 3 })
    expect([idsOf(events), hasMore]).toEqual([mine.slice(-3), false])
    expect((await drain(secret, next)).events).toEqual([])
    const later = await raise(db, device)
    expect(idsOf((await drain(secret, next)).events)).toEqual([later])
    expect((await read(secret, { after: 'recent', types: 'alarm.recovered' })).events).toEqual([])
    // Nothing is kept any more: the place is the end.
    await sql`DELETE FROM feed_event`.execute(db)
    const empty = await read(secret, { after: 'recent' })
    expect(empty.events).toEqual([])
    expect(idsOf((await drain(secret, empty.next)).events)).toEqual([])
  })

  test('tells of a transaction that commits late behind those that were told of before', async () => {
    const { device, secret } = await place()
    const from = await now(secret)
    let early = ''
    const commitEarly = await begun(async (trx) => {
      early = await raise(trx, device)
    })
    const second = await raise(db, device)
    const first = await drain(secret, from)
    expect(idsOf(first.events)).toEqual([second])
    await commitEarly()
    const rest = await drain(secret, first.next)
    expect(idsOf(rest.events)).toEqual([early])
    expect((await drain(secret, rest.next)).events).toEqual([])
    expect(idsOf((await drain(secret, from)).events)).toEqual([second, early])
  })

  test('tells of a recovery behind its alarm, also where the transaction that recovers began first', async () => {
    const { device, secret } = await place()
    const from = await now(secret)
    let other = ''
    let mine = ''
    const commit = await begun(async (trx) => {
      other = await raise(trx, device)
      mine = await raise(db, device)
      await recover(trx, mine)
    })
    await commit()
    const { events } = await drain(secret, from)
    expect(events.map(({ type, data }) => [type, data.alarmId]).filter(([, id]) => id === mine)).toEqual([
      ['alarm.raised', mine],
      ['alarm.recovered', mine],
    ])
    expect(idsOf(events)).toContain(other)
  })

  test('forgets what a transaction wrote that was rolled back', async () => {
    const { device, secret } = await place()
    const from = await now(secret)
    await expect(
      db.transaction().execute(async (trx) => {
        await raise(trx, device)
        throw new Error('back')
      }),
    ).rejects.toThrow('back')
    const kept = await raise(db, device)
    expect(idsOf((await drain(secret, from)).events)).toEqual([kept])
  })

  test('is the same for four readers at once, of 60 transactions that commit in another order than they began', async () => {
    const { device, secret } = await place()
    const from = await now(secret)
    const written: string[] = []
    let isOver = false
    const readers = Array.from({ length: 4 }, async (_, n) => {
      const events: CloudEvent[] = []
      let after = from
      for (let wasOver = false; ; ) {
        const part = await read(secret, { after, limit: 3 + n * 5 })
        events.push(...part.events)
        after = part.next
        if (wasOver && !part.hasMore && part.events.length === 0) return events
        wasOver = isOver
      }
    })
    for (let round = 0; round < 10; round += 1) {
      const open = await Promise.all(
        Array.from({ length: 6 }, () =>
          begun(async (trx) => {
            for (let n = 0; n < 3; n += 1) written.push(await raise(trx, device))
          }),
        ),
      )
      for (const at of [3, 0, 5, 1, 4, 2]) await open[at]?.()
    }
    isOver = true
    const [first = [], ...others] = await Promise.all(readers)
    expect(idsOf(first).toSorted()).toEqual(written.toSorted())
    for (const other of others) expect(other.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
    const numbers = first.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  test('is caught up with by a consumer that was away, in pages, without a gap or a double', async () => {
    const { device, secret } = await place()
    const foreign = await place()
    const from = await now(secret)
    const wanted: string[] = []
    for (let n = 0; n < 50; n += 1) {
      wanted.push(await raise(db, device))
      await raise(db, foreign.device)
    }
    const { events, next } = await drain(secret, from, 7)
    expect(idsOf(events)).toEqual(wanted)
    expect((await drain(secret, next)).events).toEqual([])
  })
})

describe('a reader', () => {
  test('is told of devices within the scope of the moment of reading', async () => {
    const near = await place()
    const operatorId = await insertOperator(db, { organizationId: near.organizationId })
    const far = await insertDevice(db, { operatorId })
    const maker = await app.asUser({
      organizationId: near.organizationId,
      functionCodes: ['apiKey:insert', 'alarm:page', 'equip:list'],
    })
    const { secret } = await makeKey(app, maker.token, { functionCodes: ['alarm:page', 'equip:list'] })
    const from = await now(secret)
    const [one, two] = [await raise(db, near.device), await raise(db, far)]
    expect(idsOf((await drain(secret, from)).events)).toEqual([one, two])
    await sql`
      INSERT INTO user_authority (user_id, authority_type, value)
      VALUES (${maker.id}, 'O', ${String(near.operatorId)})`.execute(db)
    expect(idsOf((await drain(secret, from)).events)).toEqual([one])
    // A device that moves out of sight takes its past along, and is told of as gone.
    await sql`UPDATE device SET operator_id = ${operatorId} WHERE id = ${near.device.id}`.execute(db)
    expect((await drain(secret, from)).events.map(({ type }) => type)).toEqual(['device.left'])
  })

  test('is told of kinds for which it has a function', async () => {
    const { device, organizationId } = await place()
    const only = async (code: string) =>
      (await makeKey(app, admin, { organizationId: String(organizationId), functionCodes: [code] })).secret
    const [ofAlarms, ofDevices, ofNothing] = [
      await only('alarm:history'),
      await only('equip:list'),
      await only('battery:list'),
    ]
    const from = await now(ofAlarms)
    await raise(db, device)
    await sql`INSERT INTO device_connection (device_id, at, is_online) VALUES (${device.id}, now(), false)`.execute(
      db,
    )
    expect((await drain(ofAlarms, from)).events.map(({ type }) => type)).toEqual(['alarm.raised'])
    expect((await drain(ofDevices, from)).events.map(({ type }) => type)).toEqual(['device.offline'])
    expect(await app.call(readFeed, {}, ofNothing)).toMatchObject({ code: 403 })
  })

  test('that waits is answered when something happens, and not of what it may not see any more', async () => {
    const { device, secret, organizationId } = await place()
    const id = await insertAlarm(db, device, '01110002', 5)
    const maker = await app.asUser({
      organizationId,
      functionCodes: ['apiKey:insert', 'alarm:page'],
    })
    const other = await makeKey(app, maker.token, { functionCodes: ['alarm:page'] })
    const from = await now(secret)
    const [waits, waitsToo] = [secret, other.secret].map((key) =>
      app.call(readFeed, { after: from, waitSeconds: 30 }, key),
    )
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${maker.id}`.execute(db)
    await app.call(ackAlarms, { ids: [id] }, admin)
    expect((await waits)?.data.events.map(({ type }) => type)).toEqual(['alarm.acknowledged'])
    expect(await waitsToo).toMatchObject({ status: 401, refusal: 'keyStopped' })
  })

  test('has four calls that wait, with all keys of a maker together', async () => {
    const { organizationId, device } = await place()
    const maker = await app.asUser({ organizationId, functionCodes: ['apiKey:insert', 'alarm:page'] })
    const keyOf = async () => (await makeKey(app, maker.token, { functionCodes: ['alarm:page'] })).secret
    const keys = [await keyOf(), await keyOf(), await keyOf()]
    const from = await now(keys[0] as string)
    const waits = [...keys, ...keys].map((key) => read(key, { after: from, waitSeconds: 30 }))
    const own = read(maker.token, { after: from, waitSeconds: 30 })
    const answered = await Promise.all([...waits, own].map(isAnswered))
    expect(answered.filter(Boolean)).toHaveLength(2)
    expect(answered.at(-1)).toBe(false)
    await app.call(ackAlarms, { ids: [await insertAlarm(db, device, '01110006', 5)] }, admin)
    const told = (await Promise.all([...waits, own])).filter(({ events }) => events.length > 0)
    expect(told).toHaveLength(5)
  })

  test('that waits looks again in a turn, and leaves it where it found nothing', async () => {
    const { device, organizationId } = await place()
    const foreign = await place()
    const { id: userId } = await app.asUser({ organizationId, functionCodes: ['alarm:page'] })
    const did: string[] = []
    let tell = () => {}
    const feed = createFeed({
      db,
      source: () => 'http://localhost',
      sessions: {
        authenticateAgain: async (actor) => {
          did.push('look')
          return actor
        },
      },
      onNews: (wake) => {
        tell = wake
        return () => {}
      },
    })
    const actor: Actor = {
      userId,
      loginName: 'x',
      organizationId,
      isSystem: false,
      functionCodes: new Set(['alarm:page']),
      mustChangePassword: false,
      makerId: null,
      tokenHash: Buffer.alloc(32),
      client: { address: '', userAgent: null, requestId: '', call: '', summary: '' },
    }
    const call = {
      signal: new AbortController().signal,
      leaveTurn: () => void did.push('leave'),
      takeTurn: async () => void did.push('take'),
    }
    const after = await now(foreign.secret)
    const waits = feed.readFeed(actor, { after, limit: 100, waitSeconds: 20 }, call)
    await expect.poll(() => did).toEqual(['leave'])
    // Of a kind that it has no function for.
    await sql`INSERT INTO device_connection (device_id, at, is_online) VALUES (${device.id}, now(), true)`.execute(
      db,
    )
    tell()
    await delay(1_200)
    expect(did).toEqual(['leave'])
    await raise(db, foreign.device)
    tell()
    await expect.poll(() => did, { timeout: 3_000 }).toEqual(['leave', 'take', 'look', 'leave'])
    const id = await raise(db, device)
    tell()
    expect(idsOf((await waits).events as CloudEvent[])).toEqual([id])
    expect(did).toEqual(['leave', 'take', 'look', 'leave', 'take', 'look'])
    feed.close()
  })

  test('leaves nothing of a call that waited on what lasts as long as the process', async () => {
    const { device, secret } = await place()
    const ids = [await insertAlarm(db, device, '01110004', 1), await insertAlarm(db, device, '01110005', 1)]
    const listened = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    onTestFinished(() => listened.mockRestore())
    const signalsOf = async (id: string) => {
      const from = await now(secret)
      listened.mockClear()
      const waits = app.call(readFeed, { after: from, waitSeconds: 30 }, secret)
      // The client's, the request's and the process's.
      await expect.poll(() => new Set(listened.mock.contexts).size).toBeGreaterThan(2)
      await app.call(ackAlarms, { ids: [id] }, admin)
      expect((await waits).data.events.map(({ type }) => type)).toEqual(['alarm.acknowledged'])
      return new Set(listened.mock.contexts as unknown as AbortSignal[])
    }
    const first = await signalsOf(ids[0] as string)
    const lasting = [...(await signalsOf(ids[1] as string))].filter((signal) => first.has(signal))
    expect(lasting.map((signal) => getEventListeners(signal, 'abort').length)).toEqual([0])
  })
})

describe('a cursor', () => {
  const age = (days: number) => sql`UPDATE feed_event SET at = at - ${days} * interval '1 day'`.execute(db)
  const forget = () => feedJobs(db)[0]?.run(new AbortController().signal)

  test('is good for a week, and is refused when something behind it is gone', async () => {
    const { device, secret } = await place()
    const from = await now(secret)
    const old = await raise(db, device)
    const behindOld = (await read(secret, { after: from })).next
    await age(8)
    await forget()
    const kept = await raise(db, device)
    expect(await app.call(readFeed, { after: from }, secret)).toMatchObject({
      status: 409,
      refusal: 'feedCursorExpired',
    })
    // Nothing is missed behind the last one that went.
    expect(idsOf((await drain(secret, behindOld)).events)).toEqual([kept])
    expect(idsOf((await read(secret, {})).events)).toEqual([kept])
    expect(idsOf((await drain(secret, behindOld)).events)).not.toContain(old)
  })

  test('is forgotten with nothing that has no place yet', async () => {
    const { device, secret } = await place()
    const from = await now(secret)
    await raise(db, device)
    await sql`UPDATE feed_pending SET at = at - interval '8 days'`.execute(db)
    await age(8)
    await forget()
    await raise(db, device)
    expect(await app.call(readFeed, { after: from }, secret)).toMatchObject({ refusal: 'feedCursorExpired' })
  })

  test('of a history that a restore has taken back is refused, also when its number is used again', async () => {
    const { device, secret } = await place()
    await raise(db, device)
    const from = await now(secret)
    await raise(db, device)
    const { next } = await read(secret, { after: from })
    await sql`DELETE FROM feed_event WHERE seq = (SELECT last_seq FROM feed_state)`.execute(db)
    await sql`UPDATE feed_state SET last_seq = last_seq - 1`.execute(db)
    expect(await app.call(readFeed, { after: next }, secret)).toMatchObject({
      code: 409,
      refusal: 'feedCursorUnknown',
    })
    await raise(db, device)
    expect(await placeEvents(db)).toBe(1)
    expect(await app.call(readFeed, { after: next }, secret)).toMatchObject({ refusal: 'feedCursorUnknown' })
    expect((await drain(secret, from)).events.length).toBe(1)
  })

  test('that is none is a bad input', async () => {
    for (const after of ['x', '1', '-1-a', "1-a'--", '1-A', `${'9'.repeat(19)}-a`])
      expect(await app.call(readFeed, { after }, admin)).toMatchObject({ code: 400 })
  })
})
