import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createJobs, type Jobs } from './jobs.ts'

const log = pino({ level: 'silent' })

describe('a periodic job', () => {
  let database: TestDatabase
  const started: Jobs[] = []
  const make = () => {
    const jobs = createJobs({ pool: database.pool, log })
    started.push(jobs)
    return jobs
  }
  const book = async (name: string) =>
    (await database.pool.query('SELECT * FROM job_run WHERE name = $1', [name])).rows[0]

  beforeAll(async () => {
    database = await createTestDatabase({ poolSize: 8 })
  })
  afterEach(async () => {
    for (const jobs of started.splice(0)) await jobs.stop()
  })
  afterAll(() => database.close())

  test('runs again and again, and never twice at once', async () => {
    const jobs = make()
    let inside = 0
    let most = 0
    let runs = 0
    jobs.add({
      name: 'again',
      everyMs: 20,
      run: async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setTimeout(resolve, 40))
        inside -= 1
        runs += 1
      },
    })
    jobs.start()
    await vi.waitFor(() => expect(runs).toBeGreaterThan(2))
    expect(most).toBe(1)
  })

  test('is done by one process at a time', async () => {
    const [here, there] = [make(), make()]
    let finish: () => void = () => undefined
    const job = {
      name: 'shared',
      everyMs: 3_600_000,
      run: () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    }
    here.add(job)
    there.add({ ...job, run: async () => undefined })
    const first = here.runNow('shared')
    await vi.waitFor(async () => expect((await book('shared'))?.last_started_at).toBeTruthy())
    expect(await there.runNow('shared')).toBe(false)
    finish()
    expect(await first).toBe(true)
    expect(await there.runNow('shared')).toBe(true)
  })

  test('that another process has just run waits for its period', async () => {
    const [here, there] = [make(), make()]
    const runs = vi.fn(async () => undefined)
    for (const jobs of [here, there]) jobs.add({ name: 'rare', everyMs: 3_600_000, run: runs })
    here.start()
    await vi.waitFor(() => expect(runs).toHaveBeenCalledOnce())
    there.start()
    await there.stop()
    expect(runs).toHaveBeenCalledOnce()
  })

  test('that fails is written down and tried again', async () => {
    const jobs = make()
    let tries = 0
    jobs.add({
      name: 'shaky',
      everyMs: 20,
      run: async () => {
        tries += 1
        if (tries === 1) throw new Error('no luck')
      },
    })
    jobs.start()
    await vi.waitFor(async () => expect(Number((await book('shaky'))?.run_count)).toBeGreaterThan(1))
    expect(await book('shaky')).toMatchObject({ failed_count: '1', last_error: 'no luck' })
  })

  test('is told to stop and waited for', async () => {
    const jobs = make()
    let wasTold = false
    jobs.add({
      name: 'long',
      everyMs: 1000,
      run: (signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            wasTold = true
            resolve()
          }),
        ),
    })
    jobs.start()
    await vi.waitFor(async () => expect(await book('long')).toBeTruthy())
    await jobs.stop()
    expect(wasTold).toBe(true)
    expect((await book('long'))?.last_finished_at).toBeTruthy()
  })
})
