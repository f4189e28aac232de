import { insertDictionaryEntry, type LiveEvent, listAlarms, logout } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { openNotices } from '../../platform/notices.ts'

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
    await vi.waitFor(() => expect(events).toContainEqual({ type: 'ready' }))
    return { events, state, response }
  }

  const alarmsIn = (events: LiveEvent[]) =>
    events.flatMap((event) => (event.type === 'alarms' ? event.rows : []))

  async function openAlarm(device: TestDevice, code: string): Promise<string> {
    const id = String(++nextId)
    await sql`
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT id, ${code}, ${id}::bigint, true, 3, now(), now(), operator_id, model_id, region_id
      FROM device WHERE id = ${device.id}
      ON CONFLICT (device_id, semaphore_code) DO UPDATE SET episode_id = excluded.episode_id`.execute(app.db)
    publish.publish('alarmsChanged', { episodeIds: [id] })
    return id
  }

  const user = (functionCodes: string[], options = {}) =>
    app.asUser({ organizationId, functionCodes, ...options })

  test('asks for a token in the header', async () => {
    expect((await app.request('/api/stream')).status).toBe(401)
    const { token } = await user(['alarm:page'])
    expect((await app.request(`/api/stream?token=${token}`)).status).toBe(401)
  })

  test('carries a new alarm as the list shows it, to those in whose scope it is', async () => {
    const { token } = await user(['alarm:page'])
    const narrow = await open(token)
    const all = await open(await app.asAdmin())
    expect(narrow.response.headers.get('content-type')).toContain('text/event-stream')
    const hidden = await openAlarm(far, 'A1')
    const shown = await openAlarm(near, 'A1')
    await vi.waitFor(() =>
      expect(alarmsIn(all.events).map(({ id }) => id)).toEqual(expect.arrayContaining([hidden, shown])),
    )
    await vi.waitFor(() => expect(alarmsIn(narrow.events).map(({ id }) => id)).toEqual([shown]))
    const { data } = await app.call(listAlarms, {}, token)
    expect(alarmsIn(narrow.events)).toEqual(data.filter(({ id }) => id === shown))
  })

  test('has everybody read again when the dictionary says something else', async () => {
    const { token } = await user(['alarm:detail'])
    const { events } = await open(token)
    const entry = { code: 'LIVE1', name: '实时', type: 'EVENT', note: '测试' }
    await app.call(insertDictionaryEntry, entry, await app.asAdmin())
    await vi.waitFor(() => expect(events).toContainEqual({ type: 'missed' }))
  })

  test('tells nothing of alarms or devices to who may not list them', async () => {
    const { token } = await user([])
    const { token: devicesToken } = await user(['equip:list'])
    const [none, devices] = [await open(token), await open(devicesToken)]
    const all = await open(await app.asAdmin())
    await openAlarm(near, 'A2')
    await sql`UPDATE device_state SET is_online = true, online_changed_at = now() WHERE device_id = ${near.id}`.execute(
      app.db,
    )
    publish.publish('devicesOnline', { deviceIds: [near.id, far.id] })
    await vi.waitFor(() => expect(devices.events.map(({ type }) => type)).toContain('devices'))
    await vi.waitFor(() => expect(alarmsIn(all.events)).not.toEqual([]))
    expect(devices.events).toMatchObject([
      { type: 'ready' },
      { type: 'devices', rows: [{ id: String(near.id), isOnline: 1 }] },
    ])
    expect(none.events).toEqual([{ type: 'ready' }])
  })

  test('says that something was missed when too much changed to be named', async () => {
    const { token } = await user(['alarm:page'])
    const stream = await open(token)
    publish.publish('alarmsChanged', { episodeIds: null })
    await vi.waitFor(() => expect(stream.events).toContainEqual({ type: 'missed' }))
  })

  test('ends when its session does', async () => {
    const { token } = await user(['alarm:page'])
    const stream = await open(token)
    await app.call(logout, {}, token)
    // The check before a delivery comes long before the one by the clock.
    await new Promise((resolve) => setTimeout(resolve, 3100))
    await openAlarm(near, 'A3')
    await vi.waitFor(() => expect(stream.state.isEnded).toBe(true), { timeout: 5000 })
    expect(alarmsIn(stream.events)).toEqual([])
  })

  test('follows a permission that is taken away', async () => {
    const one = await user(['alarm:page'])
    const stream = await open(one.token)
    await sql`DELETE FROM user_role WHERE user_id = ${one.id}`.execute(app.db)
    await new Promise((resolve) => setTimeout(resolve, 3100))
    await openAlarm(near, 'A4')
    await openAlarm(near, 'A5')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(alarmsIn(stream.events)).toEqual([])
  })

  test('does not keep the server from stopping', async () => {
    const other = await createTestApp()
    const token = await other.asAdmin()
    const response = await fetch(`${other.url}/api/stream`, { headers: { authorization: token } })
    expect(response.status).toBe(200)
    await other.close()
    await response.text().catch(() => undefined)
  })
})
