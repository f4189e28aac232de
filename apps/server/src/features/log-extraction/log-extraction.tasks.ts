import { type LogExtractionState, listLogExtractions } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import type { TaskSource } from '../../platform/calls/task-source.ts'
import type { Db } from '../../platform/database/database.ts'
import { listExtractions } from './log-extraction.queries.ts'

const listedAtMost = 20

/** Extractions in the list of their users' tasks; the progress is in bytes. */
export function createExtractionTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'logExtraction',
    access: listLogExtractions.access,
    async list(actor, endedSince) {
      const own = { userId: actor.userId, endedSince }
      const page = { limit: listedAtMost, offset: 0 }
      const extractions = await listExtractions(db, await scopeOf(db, actor), { own }, page)
      return extractions.map(
        ({ id, equipCode, levelName, state, reason, receivedBytes, sizeBytes, createTime, changeTime }) => ({
          id,
          subject: `${equipCode} ${levelName}`,
          state: isOver(state) ? state : ('running' as const),
          done: state === 'done' ? (sizeBytes ?? receivedBytes) : receivedBytes,
          total: sizeBytes,
          failed: 0,
          skipped: 0,
          reason: state === 'failed' ? reason : null,
          createTime,
          finishTime: isOver(state) ? changeTime : null,
        }),
      )
    },
  }
}

const isOver = (state: LogExtractionState) => state === 'done' || state === 'failed' || state === 'cancelled'
