import {
  insertDictionaryEntry,
  type LiveEvent,
  listAlarms,
  listDevices,
  logout,
  updateDevice,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertDevice, insertOperator, insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { openNotices } from '../../platform/database/notices/notices.ts'
import { alarmsChanged, alarmsOpened } from '../alarms/index.ts'
import { devicesOnline } from '../devices/index.ts'

describe('the live stream', () => {
  let app: TestApp
  let publish: Awaited<ReturnType<typeof openNotices>>
  let organizationId: number
  let operatorId: number
  let near: TestDevice
  let far: TestDevice
  let nextId = 5_000_000
  const opened: AbortController[] = []

  beforeAll(async () => {
    app = await createTestApp()
    const { pino } = await import('pino')
    publish = await openNotices({ pool: app.database.pool, log: pino({ level: 'silent' }) })
    organizationId = await insertOrganization(app.db)
    operatorId = await insertOperator(app.db, { organizationId })
    near = await insertDevice(app.db, { operatorId })
    far = await insertDevice(app.db)
  })
  afterEach(() => {
    for (const one of opened.splice(0)) one.abort()
  })
  afterAll(async () => {
    await publish.close()
    await app.close()
  })

  async function open(token: string) {
    const gone = new AbortController()
    opened.push(gone)
    const response = await fetch(`${app.url}/api/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: gone.signal,
    })
    const events: LiveEvent[] = []
    const state = { isEnded: false }
    const read = async () => {
      let text = ''
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        text += Buffer.from(chunk).toString()
        const parts = text.split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) if (part.startsWith('data: ')) events.push(JSON.parse(part.slice(6)))
      }
      state.isEnded = true
    }
    read().catch(() => {
      state.isEnded = true
    })
    await eventually(() => expect(events).toContainEqual({ type: 'ready' }))
    return { events, state, response }
  }

  /** The ids that events contained. */
  const named = (events: LiveEvent[], noun: string, kind: 'added' | 'changed') =>
    events.flatMap((event) => (event.type === 'changed' && event.noun === noun ? event[kind] : []))

  async function openAlarm(device: TestDevice, code: string, id = String(++nextId)): Promise<string> {
    await sql`
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT id, ${code}, ${id}::bigint, true, 3, now(), now(), operator_id, model_id, region_id
      FROM device WHERE id = ${device.id}
      ON CONFLICT (device_id, semaphore_code) DO UPDATE SET episode_id = excluded.episode_id`.execute(app.db)
    publish.publish(alarmsOpened, [id])
    return id
  }

  const user = (functionCodes: string[], options = {}) =>
    app.asUser({ organizationId, functionCodes, ...options })

  test('requires a token in the header', async () => {
    expect((await app.request('/api/stream')).status).toBe(401)
    const { token } = await user(['alarm:page'])
    expect((await app.request(`/api/stream?token=${token}`)).status).toBe(401)
  })

  // proves: call GET /stream
  test('names a new alarm to users whose scope contains it; its row is read from the list, by id and filters', async () => {
    const { token } = await user(['alarm:page'])
    const narrow = await open(token)
    const all = await open(await app.asAdmin())
    expect(narrow.response.headers.get('content-type')).toContain('text/event-stream')
    const hidden = await openAlarm(far, 'A1')
    const shown = await openAlarm(near, 'A1')
    await eventually(() =>
      expect(named(all.events, 'alarms', 'added')).toEqual(expect.arrayContaining([hidden, shown])),
    )
    await eventually(() => expect(named(narrow.events, 'alarms', 'added')).toEqual([shown]))
    expect(named(narrow.events, 'alarms', 'changed')).toEqual([])
    const ids = [hidden, shown]
    expect((await app.call(listAlarms, { ids }, token)).data.map(({ id }) => id)).toEqual([shown])
    expect((await app.call(listAlarms, { ids, semaphoreCode: ['A2'] }, token)).data).toEqual([])
  })

  test('distinguishes opened from changed alarms, whatever their ids', async () => {
    const { token } = await user(['alarm:page'])
    const { events } = await open(token)
    const later = await openAlarm(near, 'A6')
    // From another ingest process, whose block of ids is lower.
    const lower = await openAlarm(near, 'A7', '4000001')
    publish.publish(alarmsChanged, [later])
    await eventually(() => expect(named(events, 'alarms', 'changed')).toEqual([later]))
    await eventually(() => expect(new Set(named(events, 'alarms', 'added'))).toEqual(new Set([later, lower])))
  })

  test('tells all users to read again after a change of the dictionary', async () => {
    const { token } = await user(['alarm:detail'])
    const { events } = await open(token)
    const entry = { code: 'LIVE1', name: '实时', type: 'EVENT', note: '测试' }
    await app.call(insertDictionaryEntry, entry, await app.asAdmin())
    await eventually(() =>
      expect(events).toContainEqual({ type: 'missed', noun: 'dictionary', spreadMs: expect.any(Number) }),
    )
  })

  test('sends nothing about alarms or devices to users who may not list them', async () => {
    const { token } = await user([])
    const { token: devicesToken } = await user(['equip:list'])
    const [none, devices] = [await open(token), await open(devicesToken)]
    const all = await open(await app.asAdmin())
    await openAlarm(near, 'A2')
    await sql`UPDATE device_state SET is_online = true, online_changed_at = now() WHERE device_id = ${near.id}`.execute(
      app.db,
    )
    publish.publish(devicesOnline, [near.id, far.id])
    await eventually(() => expect(named(all.events, 'devices', 'changed')).toContain(String(far.id)))
    await eventually(() => expect(named(all.events, 'alarms', 'added')).not.toEqual([]))
    await eventually(() => expect(named(devices.events, 'devices', 'changed')).toContain(String(near.id)))
    expect(new Set(named(devices.events, 'devices', 'changed'))).toEqual(new Set([String(near.id)]))
    expect(named(devices.events, 'alarms', 'added')).toEqual([])
    // All users get changes of the home page's kept figures, which a job may cause at any time.
    const told = none.events.filter((event) => !('noun' in event) || event.noun !== 'overview')
    expect(told).toEqual([{ type: 'ready' }])
    const { data } = await app.call(listDevices, { ids: [String(near.id), String(far.id)] }, devicesToken)
    expect(data).toMatchObject([{ id: String(near.id), isOnline: 1 }])
  })

  test('names a device when one of its alarms changes and when it is edited', async () => {
    const { events } = await open(await app.asAdmin())
    const other = await insertDevice(app.db, { operatorId })
    await openAlarm(near, 'A8')
    await eventually(() => expect(named(events, 'devices', 'changed')).toContain(String(near.id)))
    const token = await app.asAdmin()
    const { data } = await app.call(listDevices, { ids: [String(other.id)] }, token)
    const [row] = data
    if (!row) throw new Error('the device is listed')
    const { id, equipModelId, regionCode } = row
    await app.call(
      updateDevice,
      { id, name: '改名', operatorId: row.operatorId, equipModelId, regionCode },
      token,
    )
    await eventually(() => expect(named(events, 'devices', 'changed')).toContain(String(other.id)))
  })

  test('reports a miss when too much changed to be named', async () => {
    const { token } = await user(['alarm:page'])
    const stream = await open(token)
    publish.publish(alarmsChanged, null)
    await eventually(() =>
      expect(stream.events).toContainEqual({ type: 'missed', noun: 'alarms', spreadMs: expect.any(Number) }),
    )
  })

  test('reports a miss as well when more alarms opened at once than one event names', async () => {
    const { token } = await user(['alarm:page'])
    const stream = await open(token)
    const ids: string[] = []
    for (let at = 0; at < 201; at += 1) ids.push(String(6_000_000 + at))
    await sql`
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT d.id, 'M' || e.id, e.id, true, 1, now(), now(), d.operator_id, d.model_id, d.region_id
      FROM device d, unnest(${ids}::bigint[]) AS e(id) WHERE d.id = ${near.id}`.execute(app.db)
    publish.publish(alarmsOpened, ids)
    await eventually(() =>
      expect(stream.events).toContainEqual({ type: 'missed', noun: 'alarms', spreadMs: expect.any(Number) }),
    )
    expect(named(stream.events, 'alarms', 'added')).toEqual([])
  })

  test('ends with its session', async () => {
    const { token } = await user(['alarm:page'])
    const stream = await open(token)
    await app.call(logout, {}, token)
    // The check before a delivery comes long before the periodic one.
    await new Promise((resolve) => setTimeout(resolve, 3100))
    await openAlarm(near, 'A3')
    await eventually(() => expect(stream.state.isEnded).toBe(true))
    expect(named(stream.events, 'alarms', 'added')).toEqual([])
  })

  test('follows a revoked permission', async () => {
    const one = await user(['alarm:page'])
    const stream = await open(one.token)
    await sql`DELETE FROM user_role WHERE user_id = ${one.id}`.execute(app.db)
    await new Promise((resolve) => setTimeout(resolve, 3100))
    await openAlarm(near, 'A4')
    await openAlarm(near, 'A5')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(named(stream.events, 'alarms', 'added')).toEqual([])
  })

  test('does not delay a stop of the server', async () => {
    const other = await createTestApp()
    const token = await other.asAdmin()
    const response = await fetch(`${other.url}/api/stream`, { headers: { authorization: token } })
    expect(response.status).toBe(200)
    await other.close()
    await response.text().catch(() => undefined)
  })
})
