// Recovery of many alarms by a user: the request and its progress. The work itself is in recoveries.queue.ts.
import { mayGrowTo, type ParsedInputFor, recoverAlarms, recoveredAtOnce } from '@voltkeep/contract'
import type { Actor } from '../../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../../platform/calls/refusal.ts'
import type { TaskSource } from '../../../platform/calls/task-source.ts'
import type { Db } from '../../../platform/database/database.ts'
import { organizationOf, recordOperation } from '../../../platform/database/operation-log.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import { stateFilterOf } from '../alarm-filters.ts'
import { listActiveKeys, listStillActive, readStates } from '../current-alarms.queries.ts'
import { insertRecovery, listPending, listRecoveries, lockBeginning } from './recoveries.queries.ts'
import { recoveryTable } from './recoveries.queue.ts'

export type Recoveries = ReturnType<typeof createRecoveries>

/** The number of kinds of alarms that the operation log names; every alarm has its own record of who recovered it. */
const namedAtMost = 3

export function createRecoveries({ db }: { db: Db }) {
  return {
    /**
     * Begins the recovery of all alarms that pass, within the caller's scope. Refuses `alarmsGrown` (409) where far
     * more are active than the caller was asked about, and `noActiveAlarm` (409) where none is, or where recoveries
     * under way have all of them.
     */
    async recoverAlarms(actor: Actor, { note, count, ids, ...asked }: ParsedInputFor<typeof recoverAlarms>) {
      const filter = await stateFilterOf(db, actor, asked)
      return await db.transaction().execute(async (trx) => {
        // What another recovery is about to end is that one's, in the operation log too, which is written once.
        const before = await listPending(trx)
        const found = await listActiveKeys(
          trx,
          filter,
          { ids: ids ?? null, except: before },
          recoveredAtOnce + 1,
        )
        // Searched before the lock, so that nobody waits for a search, and compared again with what has begun meanwhile.
        await lockBeginning(trx)
        const pending = new Set(await listPending(trx))
        // Also with what another recovery has ended meanwhile, which is not under way any more.
        const keys = await listStillActive(
          trx,
          found.filter(({ id }) => !pending.has(id)),
        )
        if (keys.length === 0) refuse('noActiveAlarm')
        if (keys.length > mayGrowTo(count) || keys.length > recoveredAtOnce) {
          const text = `符合条件的告警已增至 ${keys.length > recoveredAtOnce ? `${recoveredAtOnce} 条以上` : `${keys.length} 条`}，请重新确认`
          throw new Refusal('alarmsGrown', null, text)
        }
        const recovery = await insertRecovery(trx, {
          userId: actor.userId,
          decidedIn: organizationOf(actor),
          note,
          episodeIds: keys.map(({ id }) => id),
        })
        const first = await readStates(trx, keys.slice(0, namedAtMost))
        const names = [...new Set(first.map(({ semaphoreName }) => semaphoreName))].join('、')
        await recordOperation(trx, actor, {
          target: `告警 ${keys.length} 条（${names}${keys.length > first.length ? ' 等' : ''}）`,
          changes: { after: { count: keys.length, note } },
        })
        await statementsOf(trx).query(wake(recoveryTable, 0))
        return recovery
      })
    },
  }
}

/** Recoveries of many alarms, in the list of their users' tasks. */
export function createRecoveryTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'alarmRecovery',
    access: recoverAlarms.access,
    async list({ userId }, endedSince) {
      const recoveries = await listRecoveries(db, userId, endedSince)
      return recoveries.map(({ id, total, recovered, passed, createdAt, finishedAt, stopNote }) => ({
        id,
        subject: null,
        state:
          stopNote !== null ? ('failed' as const) : finishedAt ? ('done' as const) : ('running' as const),
        done: recovered + passed,
        total,
        failed: 0,
        skipped: passed,
        reason: stopNote === null ? null : `${stopNote}，其余告警未恢复`,
        createTime: createdAt,
        finishTime: finishedAt,
      }))
    },
  }
}
