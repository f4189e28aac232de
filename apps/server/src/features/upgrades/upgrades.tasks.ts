import { listUpgradeTasks, type TaskState, type UpgradeTaskState } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import type { TaskSource } from '../../platform/calls/task-source.ts'
import type { Db } from '../../platform/database/database.ts'
import { readCounts, sumOf } from './targets/index.ts'
import { listTasks } from './tasks/index.ts'

const listedAtMost = 20

/** Upgrade tasks in the list of their users' tasks. */
export function createUpgradeTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'upgrade',
    access: listUpgradeTasks.access,
    async list(actor, endedSince) {
      const own = { userId: actor.userId, endedSince }
      const tasks = await listTasks(db, actor, { own }, { limit: listedAtMost, offset: 0 })
      const ids = tasks.map(({ id }) => id)
      const counts = await readCounts(db, await scopeOf(db, actor), ids)
      return tasks.map(({ id, equipTypeName, packages, state, pause, createTime, finishTime }) => {
        const { total, succeeded, skipped, failed, refused, timedOut, cancelled } = sumOf(counts.get(id))
        const wrong = failed + refused + timedOut
        const [first] = packages
        return {
          id: String(id),
          subject: first ? `${equipTypeName} ${first.partTypeName} ${first.version}` : equipTypeName,
          state: stateOf(state, wrong),
          done: succeeded + skipped + wrong + cancelled,
          total,
          failed: wrong,
          skipped,
          reason: state === 'paused' ? (pause?.note ?? null) : null,
          createTime,
          finishTime,
        }
      })
    },
  }
}

function stateOf(state: UpgradeTaskState, failed: number): TaskState {
  if (state === 'finished') return failed > 0 ? 'failed' : 'done'
  return state === 'planned' ? 'running' : state
}
