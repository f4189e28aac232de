// What the alarm gate of tasks says of their packages, which all organizations share.
import { reachesPeople } from '../../domain/access/reaches.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { listStopped, markPassed, markStopped } from './firmware.queries.ts'
import { type PackageRecord, peopleOf } from './package-columns.ts'

/**
 * Keeps the verdict. Every task stops a package for all; it is offered to all again after a task of users who each reach
 * as far as its maker or its supplier: automatic upgrades lie within the reach of these. `deciders`: the task's.
 */
export async function noteGate(
  trx: Trx,
  { taskId, passes, deciders }: { taskId: number; passes: boolean; deciders: readonly number[] },
): Promise<void> {
  if (!passes) return markStopped(trx, taskId)
  const vouched: PackageRecord[] = []
  for (const one of await listStopped(trx, taskId)) if (await reachOne(trx, deciders, one)) vouched.push(one)
  if (vouched.length > 0) await markPassed(trx, vouched)
}

async function reachOne(db: Db, deciders: readonly number[], stopped: PackageRecord): Promise<boolean> {
  const { maker, supplier } = peopleOf(stopped)
  for (const userId of deciders)
    if (!(await reachesPeople(db, userId, [maker])) && !(await reachesPeople(db, userId, [supplier])))
      return false
  return true
}

/** Whether a package of the task waits, stopped, for a task that passes its gate. */
export const hasStopped = async (db: Db, taskId: number): Promise<boolean> =>
  (await listStopped(db, taskId)).length > 0
