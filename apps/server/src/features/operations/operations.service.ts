import type { exportOperations, FileReply, listOperations, ParsedInputFor } from '@voltkeep/contract'
import type { Actor, Client } from '../../platform/access/actor.ts'
import { reachesAllOf, readReaches } from '../../platform/access/holdings.ts'
import { historyRange } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { refuseTooManyStreams, streamSnapshot } from '../../platform/database/snapshot.ts'
import { inOneSnapshot } from '../../platform/history/index.ts'
import type { Log } from '../../platform/log.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/spreadsheet.ts'
import { operationSheet } from './operations.export.ts'
import * as queries from './operations.queries.ts'

export type Operations = ReturnType<typeof createOperationService>

/** The keys of an input that say what a write was meant for. All others stay out of the log. */
const targetNames = { id: '编号', code: '编码', name: '名称', loginName: '用户', loginname: '用户' }
const targetLimit = 200
/** Rows read at a time for an export. */
const exportBatch = 1000

export function createOperationService({ db, log }: { db: Db; log: Log }) {
  const matching = async (actor: Actor, asked: ParsedInputFor<typeof exportOperations>) => {
    const { startTime: _, endTime: __, ...words } = asked
    const userIds = actor.isSystem ? null : await listUsersSeenBy(db, actor)
    return queries.operationsMatching(db, { ...words, ...historyRange(asked), userIds })
  }

  return {
    /** SYSTEM users see everything that was done, others what `listUsersSeenBy` says. */
    async listOperations(actor: Actor, input: ParsedInputFor<typeof listOperations>) {
      const { pageNum, pageSize, ...filter } = input
      const wanted = await matching(actor, filter)
      const offset = (pageNum - 1) * pageSize
      return inOneSnapshot(db, async (trx) => {
        const rows = await queries.listOperations(trx, wanted, { limit: pageSize, offset })
        // A page that is not full is the last one and says how many there are.
        const isLast = rows.length < pageSize && (rows.length > 0 || offset === 0)
        const total = isLast ? offset + rows.length : await queries.countOperations(trx, wanted)
        return { rows: rows.map(rowOf), total }
      })
    },

    async exportOperations(
      actor: Actor,
      filter: ParsedInputFor<typeof exportOperations>,
    ): Promise<FileReply> {
      const wanted = await matching(actor, filter)
      refuseTooManyStreams()
      refuseTooManyRows(await queries.countOperations(db, wanted))
      return {
        fileName: fileNameAt('操作日志', new Date()),
        body: spreadsheet(operationSheet, () =>
          streamSnapshot(db, (trx) => queries.walkOperations(trx, wanted, exportBatch)),
        ),
      }
    },

    /**
     * Keeps a write that was refused. Those that succeed are recorded in their own transaction; here
     * there is none, and a log that cannot be written must not turn the refusal into another answer.
     */
    async recordRefusedWrite(
      actor: Actor | null,
      client: Client,
      input: unknown,
      refusal: { code: number; message: string },
    ): Promise<void> {
      const fields = (input ?? {}) as Record<string, unknown>
      const loginName = actor ? actor.loginName : triedName(fields)
      try {
        await queries.insertRefusedOperation(db, {
          // A name that was tried stands for its user: who may see his entries sees this one.
          userId: actor ? actor.userId : loginName === null ? null : await queries.findUserId(db, loginName),
          loginName,
          client,
          target: targetOf(fields),
          ...refusal,
        })
      } catch (err) {
        log.error({ err, call: client.call }, '操作日志写入失败')
      }
    },
  }
}

/**
 * Whose entries a user sees: his own, and those of users of his organization and the ones under it whose data
 * scope is no wider than his. An entry names devices and says what changed about them, so that of a colleague
 * who sees more, SYSTEM above all, would show devices that do not exist for the reader.
 */
async function listUsersSeenBy(db: Db, actor: Actor): Promise<number[]> {
  const users = await readReaches(db, await queries.listUsersWithin(db, actor.organizationId))
  const own = users.get(actor.userId)
  if (!own) return []
  return [...users.values()]
    .filter((other) => other === own || (!other.isSystem && reachesAllOf(own, other)))
    .map(({ userId }) => userId)
}

function rowOf({ changes, ...record }: queries.OperationRecord) {
  return {
    ...record,
    isOk: record.code === 200,
    changes: changes && { before: changes.before ?? null, after: changes.after ?? null },
  }
}

/** A sign-in that failed: nobody has signed in, but a name was given. */
function triedName({ loginname }: Record<string, unknown>): string | null {
  return typeof loginname === 'string' ? loginname.slice(0, targetLimit) : null
}

function targetOf(input: Record<string, unknown>): string | null {
  const known = Object.entries(targetNames).flatMap(([key, label]) => {
    const value = input[key]
    return typeof value === 'string' || typeof value === 'number' ? [`${label} ${value}`] : []
  })
  const { file } = input as { file?: { fileName?: unknown } }
  if (typeof file?.fileName === 'string') known.push(`文件 ${file.fileName}`)
  return known.length === 0 ? null : known.join('，').slice(0, targetLimit)
}
