import { importDevices } from '@voltkeep/contract'
import type { TaskSource } from '../../../platform/calls/task-source.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type ImportRecord, listImports } from './imports.queries.ts'

/** No import takes longer: one that did not end by then ended with its process, and wrote nothing. */
const longestMs = 5 * 60_000

/** Imports in the list of their users' tasks. */
export function createImportTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'deviceImport',
    access: importDevices.access,
    async list({ userId }, endedSince) {
      return (await listImports(db, userId, endedSince)).map(taskOf)
    },
  }
}

function taskOf({ id, fileName, rowCount, reason, createdAt, finishedAt }: ImportRecord) {
  const isLost = finishedAt === null && Date.now() - createdAt.getTime() > longestMs
  const failure = isLost ? '服务中断，没有写入任何设备' : reason
  const end = isLost ? new Date(createdAt.getTime() + longestMs) : finishedAt
  return {
    id,
    subject: fileName,
    state: failure !== null ? ('failed' as const) : end ? ('done' as const) : ('running' as const),
    done: end && failure === null ? rowCount : 0,
    total: rowCount,
    failed: 0,
    skipped: 0,
    reason: failure,
    createTime: createdAt,
    finishTime: end,
  }
}
