import {
  formatDateTime,
  listParameterBatches,
  type ParameterBatchState,
  type TaskState,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import type { TaskSource } from '../../platform/calls/task-source.ts'
import type { Db } from '../../platform/database/database.ts'
import { type BatchRecord, listBatches } from './batches.queries.ts'
import { lists, readTrialAlarms } from './targets/index.ts'
import { readTrialsNow, type TrialNow } from './trial-now.ts'

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
      const scope = await scopeOf(db, actor)
      const counts = await lists.readCounts(db, scope, ids)
      const trials = await readTrialsNow(db, scope, batches)
      const alarmed = new Map<number, number>()
      for (const { id } of batches.filter(({ state }) => state === 'paused'))
        alarmed.set(id, (await readTrialAlarms(db, scope, id)).alarmed.length)
      return batches.map((batch) => {
        const { id, code, state, createTime, finishTime } = batch
        const { total, succeeded, skipped, failed, refused, expired, stopped } =
          counts.get(id) ?? lists.noDevices
        const wrong = failed + refused + expired
        return {
          id: String(id),
          subject: code,
          state: stateOf(state, wrong),
          done: succeeded + skipped + wrong + stopped,
          total,
          failed: wrong,
          skipped,
          reason: noteOf(batch, trials.get(id), alarmed.get(id) ?? 0),
          createTime,
          finishTime,
        }
      })
    },
  }
}

/** What the trial of a batch that is not over has come to, and what happens next. */
function noteOf(
  { state, trial, continuedByName }: BatchRecord,
  now: TrialNow | undefined,
  alarmed: number,
): string | null {
  if (!trial || !now) return null
  const { total, succeeded, failed, refused, expired, stopped } = now.counts
  switch (state) {
    case 'paused': {
      const wrong = failed + refused + expired
      const open = total - succeeded - wrong - stopped
      const result = [
        `试行 ${total} 台，成功 ${succeeded} 台`,
        ...(wrong > 0 ? [`失败 ${wrong} 台`] : []),
        ...(open > 0 ? [`${open} 台尚无结果`] : []),
        ...(alarmed > 0 ? [`${alarmed} 台出现新告警`] : []),
      ]
      return `${result.join('，')}；${now.autoTime ? `将于 ${formatDateTime(now.autoTime)} 自动继续` : '等待继续'}`
    }
    case 'running':
      if (!trial.continuedAt) return `先对 ${trial.devices} 台试行`
      return continuedByName === null ? '试行后已自动继续' : `试行后由 ${continuedByName} 继续`
    default:
      return null
  }
}

function stateOf(state: ParameterBatchState, failed: number): TaskState {
  if (state === 'paused') return 'paused'
  if (state === 'running' || state === 'stopping') return 'running'
  if (state === 'stopped') return 'cancelled'
  return failed > 0 ? 'failed' : 'done'
}
