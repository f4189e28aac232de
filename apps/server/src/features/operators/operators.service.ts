// Operators as users see them within their scope and administrators change them.
import type {
  insertOperator,
  listOperators,
  ParsedInputFor,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { isInOwnTree, lockOrganizationShared } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { assertSeesWhole } from '../organizations/index.ts'
import * as queries from './operators.queries.ts'

export type Operators = ReturnType<typeof createOperators>

/**
 * Operators of the caller's data scope. One outside it is answered like one that does not exist, and no user puts
 * an operator where that user could not see it.
 */
export function createOperators({ db }: { db: Db }) {
  return {
    /** The operators whose devices the caller may see. */
    async listOperators(actor: Actor, { organId }: ParsedInputFor<typeof listOperators>) {
      const scope = await scopeOf(db, actor)
      return queries.listOperators(db, scope, organId === undefined ? null : idNumber(organId))
    },

    async searchOperators(actor: Actor, input: ParsedInputFor<typeof searchOperators>) {
      const { pageNum, pageSize, organizationId, ids, ...texts } = input
      const scope = await scopeOf(db, actor)
      const filter = {
        ...texts,
        ids: ids?.map(idNumber),
        organizationId: organizationId === undefined ? null : idNumber(organizationId),
      }
      const [rows, total] = await Promise.all([
        queries.searchOperators(db, scope, filter, pageOf({ pageNum, pageSize })),
        queries.countOperators(db, scope, filter),
      ])
      return { rows, total }
    },

    /**
     * A user whose data permissions name operators could not see a new one: refused (403 `operatorsAreLimited`).
     * An organization outside the caller's tree is refused as one that does not exist (400 on `organizationId`),
     * a code that another operator has as 409 `operatorCodeTaken`.
     */
    async insertOperator(actor: Actor, input: ParsedInputFor<typeof insertOperator>) {
      const { name, code } = input
      return await db.transaction().execute(async (trx) => {
        if (!actor.isSystem && (await queries.isLimitedToOperators(trx, actor))) {
          refuse('operatorsAreLimited')
        }
        const organization = await organizationWithin(trx, actor, input.organizationId)
        const id = await queries.insertOperator(trx, { name, code, organizationId: organization.id })
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: { after: { name, code, organization: organization.name } },
        })
        return { id }
      })
    },

    /**
     * With another organization, the operator's devices move too: who sees them changes at once. A caller who does not
     * see all of them is refused (403 `cannotGrant`). Also refuses `operatorNotFound`, `conflict`, `operatorCodeTaken`
     * and an unknown organization (400).
     */
    async updateOperator(actor: Actor, input: ParsedInputFor<typeof updateOperator>): Promise<void> {
      const { id, version, name, code } = input
      await changing(db, actor, { ...operatorOf(actor, id), version }, async (trx, before) => {
        const organization = await organizationWithin(trx, actor, input.organizationId)
        if (organization.id !== before.organizationId) assertSeesWhole(await scopeOf(trx, actor), [before.id])
        await queries.updateOperator(trx, before.id, { name, code, organizationId: organization.id })
        return { before: shownOf(before), after: { name, code, organization: organization.name } }
      })
    },

    /** Refuses `operatorNotFound`, and 409 where devices or data permissions refer to the operator. */
    async deleteOperator(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, operatorOf(actor, id), async (trx, before) => {
        const { hasDevices, isInPermissions } = await queries.usesOf(trx, before.id)
        if (hasDevices) refuse('operatorHasDevices')
        if (isInPermissions) refuse('operatorInPermissions')
        await queries.deleteOperator(trx, before.id)
        return { before: shownOf(before) }
      })
    },
  }
}

/** An operator of the caller's scope. */
const operatorOf = (actor: Actor, id: string): Subject<queries.OperatorEntry> => ({
  lock: async (trx) => queries.lockOperator(trx, await scopeOf(trx, actor), idNumber(id)),
  notFound: 'operatorNotFound',
  target: targetOf,
})

/** Locks the organization against deletion. One outside the caller's tree is refused as unknown (400). */
async function organizationWithin(trx: Trx, actor: Actor, id: string) {
  const number = idNumber(id)
  const isOwn = await isInOwnTree(trx, actor, number)
  return (
    (isOwn ? await lockOrganizationShared(trx, number) : undefined) ??
    refuseInput({ field: 'organizationId', message: '组织不存在' })
  )
}

const targetOf = ({ name, code }: { name: string; code: string }) => `运营商 ${name}（${code}）`

const shownOf = ({ name, code, organizationName }: queries.OperatorEntry) => ({
  name,
  code,
  organization: organizationName,
})
