// Saved filters: private, or shared within an organization.
import {
  type Access,
  codesIn,
  type deleteSavedFilter,
  type insertSavedFilter,
  type listSavedFilters,
  type ParsedInputFor,
  savedFiltersAtMost,
  type updateSavedFilter,
} from '@voltkeep/contract'
import { codesSeen } from '../../domain/access/choices-seen.ts'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import { listWordsFound } from '../../domain/access/device-search.ts'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation, shownInput } from '../../platform/database/operation-log.ts'
import * as queries from './saved-filters.queries.ts'

export type SavedFilters = ReturnType<typeof createSavedFilters>

/** What has codes and is seen by some: batteries where they are, batches and operators by their organization. */
export type CodeKind = queries.CodeKind

/** A list whose filters can be saved. */
export interface FilteredList {
  access: Access
  /** Its `code` is codes of devices. */
  isByDeviceCode: boolean
  /** What else its `code` is a part of, and its `codes` are; null: of nothing that is scoped. */
  codeIsOf: CodeKind | null
  /** Its `target` is words in which a device's code may stand. */
  isByTarget: boolean
}

/**
 * A filter is applied to the reader's own list, so a shared one shows nobody more than before; of its device codes a
 * reader gets those in the own data scope. Shared filters are recorded in the operation log, private ones are not.
 */
export function createSavedFilters({
  db,
  findList,
}: {
  db: Db
  findList: (path: string) => FilteredList | undefined
}) {
  /** Refuses 400 a list that does not exist, 403 one that the actor may not open. */
  const checkList = (actor: Actor, path: string): FilteredList => {
    const list = findList(path) ?? refuseInput({ field: 'list', message: '列表不存在' })
    return mayCall(actor, list.access) ? list : refuse('notPermitted')
  }

  const withSeenTargets = async (scope: DataScope, filters: queries.SavedFilterRow[]) => {
    const targets = filters.map(({ isOwn, values }) => (isOwn ? '' : codesWithin(values.target ?? '')))
    const seen = await codesSeen(db, scope, { keywords: targets })
    return filters.filter((_, at) => seen.keyword(targets[at] ?? '').left === 0)
  }

  const withSeenCodes = async (actor: Actor, kind: CodeKind, filters: queries.SavedFilterRow[]) => {
    const partsOf = ({ isOwn, values }: queries.SavedFilterRow) =>
      isOwn ? [] : [values.code ?? '', ...codesIn(values.codes ?? '')].filter((part) => part !== '')
    const reader = { actor, scope: await scopeOf(db, actor) }
    // Those with few parts first: one with thousands of them keeps no other filter from being shown.
    const asked = filters.map(partsOf).toSorted((a, b) => a.length - b.length)
    const seen = await queries.listPartsSeen(db, reader, kind, asked.flat())
    return filters.filter((filter) => partsOf(filter).every((part) => seen.has(part)))
  }

  const record = (trx: Trx, actor: Actor, name: string, changes: Parameters<typeof differenceOf>) =>
    recordOperation(trx, actor, { target: `常用筛选 ${name}`, changes: differenceOf(...changes) })

  return {
    /**
     * The caller's own by name, as they were saved; then those that others of the same organization share. Of the
     * device codes of these only what finds a device that the caller sees: any other code is left out, whether it is a
     * foreign device's or nobody's, and so is a filter by nothing else, which would find everything. One with
     * such a code in its keyword or its target is left out, as is one by another code that is none that the caller sees.
     */
    async listSavedFilters(actor: Actor, { list }: ParsedInputFor<typeof listSavedFilters>) {
      const { isByDeviceCode, codeIsOf, isByTarget } = checkList(actor, list)
      const filters = await queries.listSavedFilters(db, actor, list)
      if (isByTarget) return withSeenTargets(await scopeOf(db, actor), filters)
      if (codeIsOf) return withSeenCodes(actor, codeIsOf, filters)
      if (!isByDeviceCode) return filters
      const codesOf = ({ isOwn, values }: queries.SavedFilterRow) => (isOwn ? [] : codesIn(values.code ?? ''))
      const asked = filters.map(codesOf)
      const scope = await scopeOf(db, actor)
      const found = await listWordsFound(db, scope, 'code', {
        whole: asked.flat(),
        // The list searches a single code as a part.
        parts: asked.flatMap((codes) => (codes.length === 1 ? codes : [])),
      })
      const typed = await codesSeen(db, scope, {
        keywords: filters.flatMap(({ isOwn, values }) => (isOwn ? [] : (values.keyword ?? []))),
      })
      return filters.flatMap((filter) => {
        const { isOwn, values } = filter
        if (isOwn) return [filter]
        const codes = codesOf(filter)
        const code = codes.filter((one) => found.has(one.toLowerCase())).join(',')
        // A keyword without its codes would find more than the filter does.
        if ((codes.length > 0 && code === '') || typed.keyword(values.keyword ?? '').left > 0) return []
        return [{ ...filter, values: { ...values, ...(code && { code }) } }]
      })
    },

    /** Refuses 409 `savedFilterTaken` and `tooManySavedFilters`. */
    async insertSavedFilter(actor: Actor, input: ParsedInputFor<typeof insertSavedFilter>) {
      checkList(actor, input.list)
      const { list, name, values } = input
      const isShared = input.isShared === 1
      const id = await db.transaction().execute(async (trx) => {
        if ((await queries.lockCount(trx, actor.userId, list)) >= savedFiltersAtMost)
          refuse('tooManySavedFilters')
        const newId = await queries.insertSavedFilter(trx, actor.userId, { list, name, values, isShared })
        if (isShared)
          await record(trx, actor, name, [{}, { list, name, isShared, values: shownInput(values) }])
        return newId
      })
      return { id }
    },

    /** Refuses 404 `savedFilterNotFound`, also for one of another user, and 409 `savedFilterTaken` and `conflict`. */
    async updateSavedFilter(
      actor: Actor,
      { id, name, isShared, version }: ParsedInputFor<typeof updateSavedFilter>,
    ): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before =
          (await queries.lockOwn(trx, actor.userId, idNumber(id))) ?? refuse('savedFilterNotFound')
        if (version !== undefined && version !== before.version) refuse('conflict')
        const after = {
          name: name ?? before.name,
          isShared: isShared === undefined ? before.isShared : isShared === 1,
        }
        await queries.updateSavedFilter(trx, before.id, after)
        if (before.isShared || after.isShared) {
          await record(trx, actor, before.name, [{ name: before.name, isShared: before.isShared }, after])
        }
      })
    },

    /** Refuses 404 `savedFilterNotFound`, also for one of another user. */
    async deleteSavedFilter(actor: Actor, { id }: ParsedInputFor<typeof deleteSavedFilter>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before =
          (await queries.lockOwn(trx, actor.userId, idNumber(id))) ?? refuse('savedFilterNotFound')
        await queries.deleteSavedFilter(trx, before.id)
        if (before.isShared) {
          const { id: _, version: __, ...was } = before
          await recordOperation(trx, actor, { target: `常用筛选 ${before.name}`, changes: { before: was } })
        }
      })
    },
  }
}

/** What may be codes in a text, also where it is joined with other words: 设备EC0001. */
const codesWithin = (text: string): string => (text.match(/[A-Za-z0-9]+/g) ?? []).join(' ')
