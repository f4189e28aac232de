import { type ApprovalState, listApprovals, type TaskState } from '@voltkeep/contract'
import type { TaskSource } from '../../platform/calls/task-source.ts'
import type { Db } from '../../platform/database/database.ts'
import { listAskedBy } from './approvals.queries.ts'

const listedAtMost = 20

const states: Readonly<Record<ApprovalState, TaskState>> = {
  waiting: 'paused',
  agreed: 'done',
  refused: 'failed',
  expired: 'failed',
  void: 'failed',
  withdrawn: 'cancelled',
}

/** What its user asked for and a second person has to agree to. */
export function createApprovalTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'approval',
    access: listApprovals.access,
    async list(actor, endedSince) {
      const asked = await listAskedBy(db, actor.userId, endedSince, listedAtMost)
      return asked.map(({ id, subject, state, note, decideBy, createTime, decideTime }) => ({
        id,
        subject,
        state: states[state],
        done: 0,
        total: null,
        failed: 0,
        skipped: 0,
        reason: reasonOf(state, decideBy, note),
        createTime,
        finishTime: state === 'waiting' ? null : decideTime,
      }))
    },
  }
}

function reasonOf(state: ApprovalState, by: string | null, note: string | null): string | null {
  switch (state) {
    case 'refused':
      return `${by} 拒绝：${note}`
    case 'expired':
      return '到期无人同意'
    case 'void':
      return note
    case 'waiting':
    case 'agreed':
    case 'withdrawn':
      return null
  }
}
