import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { lineTo } from '../../../../test/database-line.ts'
import { eventually } from '../../../../test/eventually.ts'
import { openDatabase } from '../database.ts'
import { createJobs, type Jobs } from './jobs.ts'

const log = pino({ level: 'silent' })

describe('a periodic job', () => {
  let database: TestDatabase
  const started: Jobs[] = []
  const make = ({ pool = database.pool, retryMs = 50 } = {}) => {
    const jobs = createJobs({ pool, log, retryMs })
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

  test('runs repeatedly, and never twice at the same time', async () => {
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
    await eventually(() => expect(runs).toBeGreaterThan(2))
    expect(most).toBe(1)
  })

  test('runs in one process at a time', async () => {
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
    await eventually(async () => expect((await book('shared'))?.last_started_at).toBeTruthy())
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
    await eventually(() => expect(runs).toHaveBeenCalledOnce())
    there.start()
    await there.stop()
    expect(runs).toHaveBeenCalledOnce()
  })

  test('runs again at once after the clock was set back, and then by its period', async () => {
    const jobs = make()
    const run = vi.fn(async () => undefined)
    jobs.add({ name: 'was ahead', everyMs: 3_600_000, run })
    await jobs.runNow('was ahead')
    await database.pool.query(
      `UPDATE job_run SET last_started_at = now() + interval '40 days', last_finished_at = now() + interval '40 days',
         last_failed_at = now() + interval '40 days' WHERE name = 'was ahead'`,
    )
    jobs.start()
    await eventually(async () => expect(await book('was ahead')).toMatchObject({ run_count: '2' }))
    const { last_started_at, last_finished_at, last_failed_at } = await book('was ahead')
    expect(Math.abs(last_started_at.getTime() - Date.now())).toBeLessThan(60_000)
    expect(last_finished_at.getTime()).toBeGreaterThanOrEqual(last_started_at.getTime())
    expect(last_failed_at).toBeNull()
  })

  test('that deletes by age waits a day when its last run is more than a day ago: the clock may be ahead', async () => {
    const ran: string[] = []
    const startBoth = () => {
      const jobs = make()
      for (const deletesByAge of [true, false]) {
        const name = deletesByAge ? 'deletes' : 'counts'
        jobs.add({ name, everyMs: 3_600_000, deletesByAge, run: async () => void ran.push(name) })
      }
      return jobs
    }
    const later = (interval: string) =>
      database.pool.query(
        `UPDATE job_run SET last_started_at = last_started_at - $1::interval, held_since = held_since - $1::interval,
           last_finished_at = last_finished_at - $1::interval WHERE name IN ('deletes', 'counts')`,
        [interval],
      )
    const first = startBoth()
    first.start()
    await eventually(() => expect(ran.toSorted()).toEqual(['counts', 'deletes']))
    await first.stop()
    for (const [interval, runs] of [
      ['400 days', ['counts']],
      ['23 hours', ['counts']],
      ['2 hours', ['counts', 'deletes']],
      ['2 hours', ['counts', 'deletes']],
    ] as const) {
      await later(interval)
      ran.length = 0
      const jobs = startBoth()
      jobs.start()
      await eventually(() => expect(ran.toSorted()).toEqual(runs))
      // Waits for a check that is under way.
      await jobs.stop()
      expect(ran.toSorted()).toEqual(runs)
    }
  })

  test('that fails is recorded and retried', async () => {
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
    await eventually(async () => expect(Number((await book('shaky'))?.run_count)).toBeGreaterThan(1))
    expect(await book('shaky')).toMatchObject({ failed_count: '1', last_error: 'no luck' })
  })

  test('that fails is retried long before its period is over', async () => {
    const jobs = make()
    const run = vi.fn(async () => {
      if (run.mock.calls.length < 3) throw new Error('no luck')
    })
    jobs.add({ name: 'hourly', everyMs: 3_600_000, run })
    jobs.start()
    await eventually(async () => expect(await book('hourly')).toMatchObject({ run_count: '3' }))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await book('hourly')).toMatchObject({ run_count: '3', failed_count: '2' })
  })

  test('that fails in one process is retried by another', async () => {
    const [here, there] = [make(), make()]
    const everyMs = 3_600_000
    const runThere = vi.fn(async () => undefined)
    here.add({ name: 'handed over', everyMs, run: async () => Promise.reject(new Error('no luck')) })
    there.add({ name: 'handed over', everyMs, run: runThere })
    await expect(here.runNow('handed over')).rejects.toThrow('no luck')
    there.start()
    await eventually(() => expect(runThere).toHaveBeenCalledOnce())
  })

  test('whose process was killed is retried by another', async () => {
    await database.pool.query(
      `INSERT INTO job_run (name, last_started_at, last_finished_at)
       VALUES ('cut off', now() - interval '1 s', now() - interval '1 hour')`,
    )
    const jobs = make()
    const run = vi.fn(async () => undefined)
    jobs.add({ name: 'cut off', everyMs: 3_600_000, run })
    jobs.start()
    await eventually(() => expect(run).toHaveBeenCalledOnce())
  })

  test('needs no connection of the pool for its lock: six jobs at once work with two', async () => {
    const small = await openDatabase({ url: database.url, zone: 'Asia/Shanghai', poolSize: 2 })
    const jobs = make({ pool: small.pool })
    const names = Array.from({ length: 6 }, (_, n) => `narrow ${n}`)
    for (const name of names) {
      jobs.add({ name, everyMs: 3_600_000, run: async () => void (await small.pool.query('SELECT 1')) })
    }
    jobs.start()
    await eventually(async () => {
      const books = await Promise.all(names.map(book))
      expect(books.every((row) => row?.last_finished_at)).toBe(true)
      expect(books.map(({ failed_count }) => failed_count)).toEqual(names.map(() => '0'))
    })
    await jobs.stop()
    await small.close()
  })

  test('is aborted when the connection of its lock is lost, and runs again over another', async () => {
    const line = await lineTo(database.url)
    const behind = await openDatabase({ url: line.url, zone: 'Asia/Shanghai', poolSize: 2 })
    const jobs = make({ pool: behind.pool })
    let begun = 0
    let heard = 0
    jobs.add({
      name: 'cut',
      everyMs: 20,
      run: (signal) =>
        new Promise((resolve) => {
          begun += 1
          signal.addEventListener('abort', () => {
            heard += 1
            resolve()
          })
        }),
    })
    jobs.start()
    await eventually(() => expect(begun).toBe(1))
    await line.cut()
    await eventually(() => expect(heard).toBe(1))
    await line.restore()
    await eventually(() => expect(begun).toBe(2))
    await jobs.stop()
    await behind.close()
    await line.cut()
  })

  test('is aborted at a stop, which waits for it', async () => {
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
    await eventually(async () => expect(await book('long')).toBeTruthy())
    await jobs.stop()
    expect(wasTold).toBe(true)
    expect((await book('long'))?.last_finished_at).toBeTruthy()
  })
})
