import type pg from 'pg'
import { errorFields } from '../database/database.ts'
import { mayTakeLong } from '../database/query-limit.ts'
import type { Log } from '../log.ts'

/** Work that returns. Of all processes with the role, one at a time does it. */
export interface Job {
  /** Unique, e.g. `history.fold`. */
  name: string
  /** From the start of one run to the start of the next. */
  everyMs: number
  /** Ends early when the signal is aborted, if it may take long. What it throws is logged and counted. */
  run(signal: AbortSignal): Promise<void>
}

export interface Jobs {
  add(job: Job): void
  /** Lets every job run by its period, beginning now. */
  start(): void
  /** Runs one at once, whatever its period; false when another process is at it. Throws what it throws. */
  runNow(name: string): Promise<boolean>
  /** Lets nothing begin any more and waits for what is running. */
  stop(): Promise<void>
}

/** Distinguishes our advisory locks from those of others on the same database. */
const lockClass = 7_286_110

/** After a failure a job does not wait for its period. */
const retryMs = 30_000

/**
 * Periodic work on a table and an advisory lock a run. The lock goes with its connection, so a killed
 * process leaves no lease to wait for; the table tells when each job last ran and how it went.
 */
export function createJobs({ pool, log }: { pool: pg.Pool; log: Log }): Jobs {
  const jobs = new Map<string, Job>()
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()
  const stopping = new AbortController()

  /** One run under the job's lock. `minPauseMs`: not when any process began one so short a while ago. */
  const attempt = async (job: Job, minPauseMs: number): Promise<'ran' | 'elsewhere'> => {
    const client = await pool.connect()
    let broken: Error | undefined
    const onError = (error: Error) => {
      broken = error
    }
    client.on('error', onError)
    try {
      const { rows: locks } = await client.query<{ locked: boolean }>(
        'SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked',
        [lockClass, job.name],
      )
      if (!locks[0]?.locked) return 'elsewhere'
      try {
        const { rowCount } = await client.query(
          `INSERT INTO job_run AS r (name, last_started_at) VALUES ($1, now())
           ON CONFLICT (name) DO UPDATE SET last_started_at = now()
           WHERE r.last_started_at IS NULL OR r.last_started_at <= now() - $2 * interval '1 ms'`,
          [job.name, minPauseMs],
        )
        if (rowCount === 0) return 'elsewhere'
        await recorded(client, job)
        return 'ran'
      } finally {
        if (!broken) await client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [lockClass, job.name])
      }
    } catch (error) {
      // A connection in doubt may still hold the lock: closing it is what lets go.
      if (!isJobError(error)) broken ??= error as Error
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  const recorded = async (client: pg.PoolClient, job: Job) => {
    const startedAt = performance.now()
    let failure: unknown
    try {
      await mayTakeLong(() => job.run(stopping.signal))
    } catch (error) {
      failure = error
    }
    const message =
      failure === undefined ? null : failure instanceof Error ? failure.message : String(failure)
    await client.query(
      `UPDATE job_run SET last_finished_at = now(), last_duration_ms = $2, run_count = run_count + 1,
         failed_count = failed_count + CASE WHEN $3::text IS NULL THEN 0 ELSE 1 END,
         last_failed_at = CASE WHEN $3::text IS NULL THEN last_failed_at ELSE now() END,
         last_error = coalesce($3, last_error)
       WHERE name = $1`,
      [job.name, Math.round(performance.now() - startedAt), message],
    )
    if (failure !== undefined) throw new JobError(failure)
  }

  const schedule = (job: Job, delayMs: number) => {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      if (stopping.signal.aborted) return
      const startedAt = performance.now()
      let waitMs = job.everyMs
      const run = attempt(job, job.everyMs * 0.9).catch((error: unknown) => {
        waitMs = Math.min(job.everyMs, retryMs)
        log.error({ ...errorFields(isJobError(error) ? error.cause : error), job: job.name }, '后台任务失败')
      })
      running.add(run)
      await run
      running.delete(run)
      if (!stopping.signal.aborted) schedule(job, Math.max(0, waitMs - (performance.now() - startedAt)))
    }, delayMs)
    timers.add(timer)
  }

  return {
    add(job) {
      if (jobs.has(job.name)) throw new Error(`two jobs are named ${job.name}`)
      jobs.set(job.name, job)
    },
    start() {
      for (const job of jobs.values()) schedule(job, 0)
    },
    async runNow(name) {
      const job = jobs.get(name)
      if (!job) throw new Error(`no job is named ${name}`)
      const run = attempt(job, 0)
      const settled = run.catch(() => undefined)
      running.add(settled)
      try {
        return (await run) === 'ran'
      } catch (error) {
        throw isJobError(error) ? error.cause : error
      } finally {
        running.delete(settled)
      }
    },
    async stop() {
      stopping.abort()
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

/** What a job's own work threw, told apart from what befell the connection that holds its lock. */
class JobError extends Error {
  constructor(cause: unknown) {
    super('a job failed', { cause })
  }
}
const isJobError = (error: unknown): error is JobError => error instanceof JobError
