// The work of recovering many alarms: portion by portion, each a transaction of its own. Before each its user is asked for
// again, who may have been disabled, moved or narrowed meanwhile.
import { describeStop, recoverAlarms } from '@voltkeep/contract'
import type pg from 'pg'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { type Decider, standingScope } from '../../../domain/access/deciders.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../../platform/database/statements.ts'
import { createLeaseQueue } from '../../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { Log } from '../../../platform/process/log.ts'
import { alarmsChanged } from '../alarms.notices.ts'
import { recoverByUser } from '../alarms.states.ts'
import {
  listActive,
  lockFreeStates,
  lockState,
  type Recovered,
  writeRecoveries,
} from './alarm-recovery.queries.ts'
import { type DueRecovery, readDueRecovery, stopRecovery, writePortion } from './recoveries.queries.ts'

export const recoveryTable = 'alarm_recovery'
const leaseMs = 30_000
/** As many as one notice names; some tens of milliseconds. */
const portionSize = 500

/** Does the next portion of each recovery. Alarms that a batch of reports has locked come last, and are waited for. */
export function createRecoveryQueue(needs: {
  pool: pg.Pool
  notices: Pick<Notices, 'publish' | 'subscribe'>
  log: Log
}): Worker {
  return createLeaseQueue<{ id: string }>(needs, {
    table: recoveryTable,
    key: ['id'],
    columns: 't.id',
    leaseMs,
    batchSize: 1,
    async handle(connection, due) {
      const trx = kyselyOn(connection)
      const ids: string[] = []
      for (const { id } of due) {
        const recovery = await readDueRecovery(trx, id, portionSize)
        if (recovery) ids.push(...(await recoverPortion(trx, recovery)))
      }
      return () => {
        if (ids.length > 0) needs.notices.publish(alarmsChanged, ids)
      }
    },
  })
}

const deciderOf = ({ userId, loginName, decidedIn }: DueRecovery): Decider => ({
  userId,
  name: loginName,
  role: '恢复人',
  functionCodes: [recoverAlarms.access],
  decidedIn,
})

/**
 * Returns the episodes that it recovered. Those that are over by now, and those of devices that its user does not see any
 * more, are left as they are; all are where that user may not recover alarms any more.
 */
async function recoverPortion(trx: Trx, recovery: DueRecovery): Promise<string[]> {
  const { portion, isPatient } = recovery
  const { scope, stopped } = await standingScope(trx, [deciderOf(recovery)])
  if (stopped) {
    await stopRecovery(trx, recovery.id, describeStop(stopped))
    return []
  }
  const locked = isPatient
    ? await lockWaiting(trx, scope, portion)
    : await lockFreeStates(trx, scope, portion)
  const recovered = locked.flatMap((one): Recovered[] => {
    const after = recoverByUser(one.state, one.state.episode?.id ?? 0, one.nowMs)
    return after ? [{ locked: one, recovered: after }] : []
  })
  if (recovered.length > 0) await writeRecoveries(trx, recovered, recovery)
  const ids = recovered.map(({ locked: { state } }) => String(state.episode?.id))
  const done = new Set(ids)
  const others = isPatient ? [] : portion.filter((id) => !done.has(id))
  const busyIds = others.length > 0 ? await listActive(trx, scope, others) : []
  await writePortion(trx, recovery, { recovered: ids.length, busyIds })
  return ids
}

/** One at a time: a transaction that waits for two locks may be part of a deadlock. */
async function lockWaiting(trx: Trx, scope: DataScope, [id]: readonly string[]) {
  const locked = id === undefined ? undefined : await lockState(trx, scope, id)
  return locked ? [locked] : []
}
