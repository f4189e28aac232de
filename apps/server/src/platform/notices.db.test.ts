import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type Notices, openNotices } from './notices.ts'

const log = pino({ level: 'silent' })

describe('notices', () => {
  let database: TestDatabase
  const opened: Notices[] = []
  const open = async () => {
    const notices = await openNotices({ pool: database.pool, log })
    opened.push(notices)
    return notices
  }
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    for (const notices of opened.splice(0)) await notices.close()
  })
  afterAll(() => database.close())

  test('reach every process, the sender included', async () => {
    const [here, there] = [await open(), await open()]
    const got: unknown[] = []
    here.subscribe('alarmsChanged', (payload) => got.push(['here', payload]))
    there.subscribe('alarmsChanged', (payload) => got.push(['there', payload]))
    here.publish('alarmsChanged', { episodeIds: ['7'] })
    await vi.waitFor(() => expect(got).toHaveLength(2))
    expect(got).toContainEqual(['here', { episodeIds: ['7'] }])
    expect(got).toContainEqual(['there', { episodeIds: ['7'] }])
  })

  test('of one kind within a short while travel together, each name once', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe('devicesOnline', (payload) => got.push(payload))
    notices.publish('devicesOnline', { deviceIds: [1, 2] })
    notices.publish('devicesOnline', { deviceIds: [2, 3] })
    await vi.waitFor(() => expect(got).toEqual([{ deviceIds: [1, 2, 3] }]))
  })

  test('that name more than fits say only that much changed', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe('devicesChanged', (payload) => got.push(payload))
    notices.publish('devicesChanged', { codes: Array.from({ length: 2000 }, (_, i) => `EC${i}`) })
    await vi.waitFor(() => expect(got).toEqual([{ codes: null }]))
  })

  test('that cannot be sent now are sent later, with those that came meanwhile', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe('devicesChanged', (payload) => got.push(payload))
    const query = vi.spyOn(database.pool, 'query').mockRejectedValueOnce(new Error('away') as never)
    notices.publish('devicesChanged', { codes: ['EC1'] })
    await vi.waitFor(() => expect(query).toHaveBeenCalled())
    query.mockRestore()
    notices.publish('devicesChanged', { codes: ['EC2'] })
    await vi.waitFor(() => expect(got).toHaveLength(1), { timeout: 10_000 })
    expect(got).toEqual([{ codes: expect.arrayContaining(['EC1', 'EC2']) }])
  })

  test('stop for a listener that has left', async () => {
    const notices = await open()
    const stayed = vi.fn()
    const left = vi.fn()
    notices.subscribe('dictionaryChanged', stayed)
    notices.subscribe('dictionaryChanged', left)()
    notices.publish('dictionaryChanged', {})
    await vi.waitFor(() => expect(stayed).toHaveBeenCalledOnce())
    expect(left).not.toHaveBeenCalled()
  })

  test('come again after the connection was lost, beginning with one that names nothing', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe('alarmsChanged', (payload) => got.push(payload))
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'voltkeep notices' AND datname = current_database()",
    )
    await vi.waitFor(() => expect(got).toEqual([{ episodeIds: null }]), { timeout: 10_000 })
    notices.publish('alarmsChanged', { episodeIds: ['8'] })
    await vi.waitFor(() => expect(got).toContainEqual({ episodeIds: ['8'] }))
  })
})
