// The operation log as users read it; and calls that are recorded outside of a transaction of their own.
import {
  type exportOperations,
  type FileReply,
  type listOperations,
  type ParsedInputFor,
  shownFilters,
} from '@voltkeep/contract'
import { reachesAllOf, readReaches } from '../../domain/access/holdings.ts'
import { readHiddenBefore } from '../../domain/access/narrowings.ts'
import { inOneSnapshot } from '../../domain/history/index.ts'
import type { Actor, Client } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { organizationOf, shownInput } from '../../platform/database/operation-log.ts'
import { pageOf, totalByPage } from '../../platform/database/paging.ts'
import { streamSnapshot } from '../../platform/database/snapshot.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import { historyRange } from '../../platform/process/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { operationSheet } from './operations.export.ts'
import * as queries from './operations.queries.ts'
import { createTurnedAwayBudget } from './turned-away-budget.ts'

export type Operations = ReturnType<typeof createOperations>

/** The fields of an input that name what a write was about. All others stay out of the log. */
const targetNames = {
  id: '编号',
  code: '编码',
  codes: '设备编号',
  name: '名称',
  loginName: '用户',
  loginname: '用户',
  userId: '用户编号',
  equipCode: '设备',
  equipId: '设备编号',
  adName: '广告',
  fileName: '文件',
  versionName: '硬件版本',
  softwareVersionId: '软件版本编号',
}
const targetLimit = 200
/** Rows read at a time for an export. */
const exportBatch = 1000

export function createOperations({ db, log }: { db: Db; log: Log }) {
  const turnedAway = createTurnedAwayBudget(() => performance.now())
  const refusedReads = createTurnedAwayBudget(() => performance.now())

  const matching = async (actor: Actor, asked: ParsedInputFor<typeof exportOperations>) => {
    const { startTime: _, endTime: __, ...words } = asked
    const range = historyRange(asked)
    return queries.operationsMatching(db, { ...words, ...range, seenBy: await seenBy(actor, range) })
  }
  const seenBy = async (actor: Actor, range: { from: Date; to?: Date }) =>
    actor.isSystem ? null : readSeenBy(db, actor, range)

  return {
    /** A condition on `operation_log h`: the entries that the caller sees. For queries of other features. */
    entriesSeenBy: async (actor: Actor) => queries.entriesSeenBy(await seenBy(actor, { from: new Date(0) })),

    /** SYSTEM users see every entry, other users those of `readSeenBy`. */
    async listOperations(actor: Actor, input: ParsedInputFor<typeof listOperations>) {
      const { pageNum, pageSize, sortBy: _, sortOrder, ...filter } = input
      const wanted = await matching(actor, filter)
      const page = { ...pageOf({ pageNum, pageSize }), isOldestFirst: sortOrder === 'asc' }
      return inOneSnapshot(db, async (trx) => {
        const rows = await queries.listOperations(trx, wanted, page)
        const total = totalByPage(page, rows.length) ?? (await queries.countOperations(trx, wanted))
        return { rows: rows.map(rowOf), total }
      })
    },

    /** Refuses 400 for too many rows. */
    async exportOperations(
      actor: Actor,
      filter: ParsedInputFor<typeof exportOperations>,
    ): Promise<FileReply> {
      const wanted = await matching(actor, filter)
      refuseTooManyRows(await queries.countOperations(db, wanted))
      return {
        fileName: fileNameAt('操作日志', new Date()),
        body: spreadsheet(operationSheet, () =>
          streamSnapshot(db, (trx) => queries.walkOperations(trx, wanted, exportBatch)),
        ),
      }
    },

    /**
     * Records a write that was refused; a write that succeeds is recorded in its own transaction. Never throws: an
     * entry that cannot be written must not change the answer to the client. Of calls that a limit turned away (429)
     * few are recorded: whoever guesses passwords must not fill the log as well.
     */
    async recordRefusedWrite(
      actor: Actor | null,
      client: Client,
      input: unknown,
      refusal: { code: number; message: string },
    ): Promise<void> {
      const fields = (input ?? {}) as Record<string, unknown>
      const loginName = actor ? actor.loginName : triedName(fields)
      const { call, address } = client
      if (refusal.code === 429 && !turnedAway.take({ name: loginName, call, address })) return
      try {
        // An entry of a failed sign-in belongs to the user whose name was tried.
        const user = actor ?? (loginName === null ? undefined : await queries.findUser(db, loginName))
        await queries.insertCall(db, {
          userId: user?.userId ?? null,
          organizationId: user ? organizationOf(user) : null,
          loginName,
          client,
          target: targetOf(fields),
          ...refusal,
        })
      } catch (err) {
        log.error(
          { err, call: client.call },
          spoken({ zh: '操作日志写入失败', en: 'the operation log could not be written' }),
        )
      }
    },

    /**
     * Records an export, and a read that was refused; of refused reads few for each user, as of calls that a limit
     * turned away. Never throws.
     */
    async recordRead(
      actor: Actor,
      client: Client,
      input: unknown,
      refusal: { code: number; message: string } | null,
    ): Promise<void> {
      const { userId, loginName } = actor
      const { call, address } = client
      if (refusal && !refusedReads.take({ name: loginName, call, address })) return
      const fields = (input ?? {}) as Record<string, unknown>
      try {
        await queries.insertCall(db, {
          userId,
          organizationId: organizationOf(actor),
          loginName,
          client,
          target: refusal ? targetOf(fields) : filtersOf(fields),
          code: refusal?.code ?? 200,
          message: refusal?.message ?? null,
        })
      } catch (err) {
        log.error(
          { err, call },
          spoken({ zh: '操作日志写入失败', en: 'the operation log could not be written' }),
        )
      }
    },
  }
}

/** The filters of an export. */
function filtersOf(input: Record<string, unknown>): string {
  const { file: _, ...filters } = input
  const words = shownFilters(shownInput(filters))
  return words === '' ? '全部' : `条件：${words}`.slice(0, targetLimit)
}

/**
 * The users whose entries the caller sees, of the entries made in the caller's organization and under it: the caller,
 * and users of these organizations whose data scope is no wider. An entry names devices and their changes: entries of a
 * user with a wider scope would show devices that do not exist for the reader. So would the entries that a user
 * made before the user's data permissions were narrowed, unless the reader reaches as far as they did.
 */
async function readSeenBy(
  db: Db,
  actor: Actor,
  { from, to }: { from: Date; to?: Date },
): Promise<queries.SeenBy> {
  const { organizationId } = actor
  const users = await readReaches(db, await queries.listUsersWithin(db, organizationId))
  const own = users.get(actor.userId)
  if (!own) return { userIds: [], organizationId, hiddenBefore: new Map() }
  const others = [...users.values()]
    .filter((other) => other !== own && !other.isSystem && reachesAllOf(own, other))
    .map(({ userId }) => userId)
  const hiddenBefore = await readHiddenBefore(db, own, others, from)
  const seen = others.filter((userId) => {
    const until = hiddenBefore.get(userId)
    if (!until || !to || until < to) return true
    hiddenBefore.delete(userId)
    return false
  })
  return { userIds: [own.userId, ...seen], organizationId, hiddenBefore }
}

function rowOf({ changes, ...record }: queries.OperationRecord) {
  return {
    ...record,
    isOk: record.code === 200,
    changes: changes && { before: changes.before ?? null, after: changes.after ?? null },
  }
}

/** The name given in a sign-in that failed. */
function triedName({ loginname }: Record<string, unknown>): string | null {
  return typeof loginname === 'string' ? loginname.slice(0, targetLimit) : null
}

function targetOf(input: Record<string, unknown>): string | null {
  const shown = shownInput(input)
  const known = Object.entries(targetNames).flatMap(([key, label]) => {
    const value = shown[key]
    return typeof value === 'string' || typeof value === 'number' ? [`${label} ${value}`] : []
  })
  const { file } = input as { file?: { fileName?: unknown; name?: unknown } }
  const fileName = file?.fileName ?? file?.name
  if (typeof fileName === 'string') known.push(`文件 ${fileName}`)
  return known.length === 0 ? null : known.join('，').slice(0, targetLimit)
}
