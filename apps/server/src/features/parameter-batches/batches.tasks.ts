import { listParameterBatches, type ParameterBatchState, type TaskState } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import type { TaskSource } from '../../platform/calls/task-source.ts'
import type { Db } from '../../platform/database/database.ts'
import { listBatches } from './batches.queries.ts'
import { noDevices, readCounts } from './targets/index.ts'

const listedAtMost = 20

/** Batches in the list of their users' tasks. */
export function createBatchTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'parameterBatch',
    access: listParameterBatches.access,
    async list(actor, endedSince) {
      const own = { userId: actor.userId, endedSince }
      const batches = await listBatches(db, actor, { own }, { limit: listedAtMost, offset: 0 })
      const ids = batches.map(({ id }) => id)
      const counts = await readCounts(db, await scopeOf(db, actor), ids)
      return batches.map(({ id, code, state, createTime, finishTime }) => {
        const { total, succeeded, skipped, failed, refused, expired, stopped } = counts.get(id) ?? noDevices
        const wrong = failed + refused + expired
        return {
          id: String(id),
          subject: code,
          state: stateOf(state, wrong),
          done: succeeded + skipped + wrong + stopped,
          total,
          failed: wrong,
          skipped,
          reason: state === 'paused' ? '试行完成，等待继续' : null,
          createTime,
          finishTime,
        }
      })
    },
  }
}

function stateOf(state: ParameterBatchState, failed: number): TaskState {
  if (state === 'paused') return 'paused'
  if (state === 'running' || state === 'stopping') return 'running'
  if (state === 'stopped') return 'cancelled'
  return failed > 0 ? 'failed' : 'done'
}
