// Periodic work. Every process with the role asks for each job whether it is due; a lock lets one of them run
// it, and the table job_run tells all of them when it last ran and how that went.

import type pg from 'pg'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { traced, tracedJobs } from '../../process/telemetry/tracing.ts'
import { mayTakeLong } from '../connections/query-limit.ts'
import { errorFields } from '../database.ts'
import { createJobLocks } from './job-locks.ts'

export interface Job {
  /** Unique, e.g. `history.fold`. */
  name: string
  /** From the start of one run to the start of the next. */
  everyMs: number
  /**
   * It deletes what is old. After more than a day without a run it waits for another day: the clock may be ahead, and
   * what a wrong clock has deleted does not come back.
   */
  deletesByAge?: boolean
  /**
   * A run that may take long ends early when the signal is aborted: the process stops, or the job's lock is
   * lost. An error is logged and counted, and the job runs again after 30 s or its period, whichever is shorter.
   */
  run(signal: AbortSignal): Promise<void>
}

export interface Jobs {
  add(job: Job): void
  /** Runs every job that is due now, and each again when it is due. */
  start(): void
  /** Runs one job now, whatever its period; false when it is running already. Throws what the job throws. */
  runNow(name: string): Promise<boolean>
  /** Starts no further run and waits for the running ones, whose signals it aborts. */
  stop(): Promise<void>
}

/** After a failure, and after a run that its process did not survive. */
const usualRetryMs = 30_000

/** Timers are not exact, and a check that comes a moment early must not cost a whole interval. */
const tolerance = 0.1

/**
 * `retryMs` is also the longest time between two checks of one job: a process whose own check comes in an
 * hour would not notice that another one has failed or died.
 */
export function createJobs({
  pool,
  log,
  retryMs = usualRetryMs,
}: {
  pool: pg.Pool
  log: Log
  retryMs?: number
}): Jobs {
  const jobs = new Map<string, Job>()
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  const locks = createJobLocks(pool)

  const checkMsOf = (job: Job) => Math.min(job.everyMs, retryMs)

  /** One run under the job's lock; false when it is running elsewhere or, unless `isForced`, is not due. */
  async function attempt(job: Job, isForced: boolean): Promise<boolean> {
    const lock = await locks.tryLock(job.name)
    if (!lock) return false
    try {
      if (job.deletesByAge && !isForced && (await isHeld(job))) return false
      if (!(await begin(job, isForced))) return false
      await runAndRecord(job, AbortSignal.any([stopping.signal, lock.lost]))
      return true
    } finally {
      await lock.release()
    }
  }

  /** Whether a job that deletes by age has to wait, see `deletesByAge`. To be called under the job's lock. */
  async function isHeld({ name }: Job): Promise<boolean> {
    const { rows } = await pool.query<{ isHeld: boolean; isNew: boolean }>(
      `UPDATE job_run r SET held_since = CASE
         WHEN r.held_since IS NULL THEN now()
         -- The day is over, or the clock was set back.
         WHEN r.held_since <= now() - interval '1 day' OR r.held_since > now() THEN NULL
         ELSE r.held_since
       END
       WHERE name = $1 AND (held_since IS NOT NULL OR last_started_at < now() - interval '1 day')
       RETURNING held_since IS NOT NULL AS "isHeld", held_since IS NOT DISTINCT FROM now() AS "isNew"`,
      [name],
    )
    if (rows[0]?.isNew)
      log.warn(
        { job: name },
        spoken({
          zh: '距上次清理已超过一天（停机较久，或时钟被调快），一天后再清理',
          en: 'more than a day since the last cleaning (a long stop, or the clock was set forward): the next one is in a day',
        }),
      )
    return rows[0]?.isHeld ?? false
  }

  /**
   * Records the start of a run; false when the job is not due. To be called under the job's lock. Times that are still
   * to come are from before the clock was set back: the job would wait for them.
   */
  async function begin(job: Job, isForced: boolean): Promise<boolean> {
    const checkMs = checkMsOf(job)
    const { rowCount } = await pool.query(
      `INSERT INTO job_run AS r (name, last_started_at) VALUES ($1, now())
       ON CONFLICT (name) DO UPDATE SET last_started_at = now(),
         last_finished_at = CASE WHEN r.last_finished_at <= now() THEN r.last_finished_at END,
         last_failed_at = CASE WHEN r.last_failed_at <= now() THEN r.last_failed_at END
       WHERE $2 OR CASE
         WHEN r.last_started_at IS NULL THEN true
         WHEN greatest(r.last_started_at, r.last_finished_at, r.last_failed_at) > now() THEN true
         WHEN r.last_failed_at >= r.last_started_at THEN r.last_failed_at <= now() - $3 * interval '1 ms'
         WHEN r.last_finished_at >= r.last_started_at THEN r.last_started_at <= now() - $4 * interval '1 ms'
         -- Started, not finished, and the lock is free: its process was killed.
         ELSE r.last_started_at <= now() - $3 * interval '1 ms'
       END`,
      [job.name, isForced, checkMs * (1 - tolerance), job.everyMs - checkMs * tolerance],
    )
    return rowCount !== 0
  }

  async function runAndRecord(job: Job, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    const work = () => mayTakeLong(() => job.run(signal))
    const failure = await traced(tracedJobs, () => ({ name: job.name }), work).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    const recording = pool.query(
      `UPDATE job_run SET last_finished_at = now(), last_duration_ms = $2, run_count = run_count + 1,
         failed_count = failed_count + CASE WHEN $3::text IS NULL THEN 0 ELSE 1 END,
         last_failed_at = CASE WHEN $3::text IS NULL THEN last_failed_at ELSE now() END,
         last_error = coalesce($3, last_error)
       WHERE name = $1`,
      [job.name, Math.round(performance.now() - startedAt), failure && messageOf(failure.error)],
    )
    if (!failure) await recording
    else {
      // The job's own error says more than that of a database that cannot record it.
      await recording.catch(() => undefined)
      throw failure.error
    }
  }

  function schedule(job: Job, delayMs: number): void {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      if (stopping.signal.aborted) return
      const startedAt = performance.now()
      let hasFailed = false
      const run = attempt(job, false).catch((error: unknown) => {
        hasFailed = true
        log.error(
          { ...errorFields(error), job: job.name },
          spoken({ zh: '后台任务失败', en: 'a background job has failed' }),
        )
      })
      running.add(run)
      await run
      running.delete(run)
      const elapsedMs = hasFailed ? 0 : performance.now() - startedAt
      if (!stopping.signal.aborted) schedule(job, Math.max(0, checkMsOf(job) - elapsedMs))
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
      const run = attempt(job, true)
      const ended = run.catch(() => undefined)
      running.add(ended)
      try {
        return await run
      } finally {
        running.delete(ended)
      }
    },
    async stop() {
      stopping.abort()
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
      await locks.close()
    },
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
