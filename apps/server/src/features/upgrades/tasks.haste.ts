import type pg from 'pg'
import { type Db, errorFields } from '../../platform/database/database.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { hasten } from './tasks.queries.ts'

/** Targets that change within this time hasten their task together. */
const gatherMs = 100

/**
 * Has the work queue handle a task soon after its targets changed. Runs after the commit that changed them, and on a
 * connection of its own: in that transaction the reports of a hundred thousand devices would wait for one row. If it is
 * lost, the task is handled within a minute all the same.
 */
export function createHaste({ db, pool, log }: { db: Db; pool: pg.Pool; log: Log }) {
  let waiting = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  const complain = createComplaints((error, count) =>
    log.warn({ ...errorFields(error), count }, '升级任务暂时无法提前检查，稍后自动检查'),
  )

  async function send(): Promise<void> {
    timer = undefined
    const taskIds = [...waiting]
    waiting = new Set()
    try {
      const inMs = await hasten(db, taskIds)
      if (inMs !== null) await pool.query(wake('upgrade_task', inMs))
    } catch (error) {
      complain(error)
    }
  }

  return {
    /** Tasks of targets that have changed. */
    changed(taskIds: Iterable<number>): void {
      for (const id of taskIds) waiting.add(id)
      if (waiting.size === 0 || timer) return
      timer = setTimeout(() => void send(), gatherMs)
      timer.unref()
    },
  }
}
