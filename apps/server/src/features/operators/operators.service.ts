import type {
  insertOperator,
  listOperators,
  ParsedInputFor,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { type DataScope, scopeOf } from '../../platform/access/data-scope.ts'
import { holdOrganization, isInOwnTree } from '../../platform/access/organization-tree.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import { assertSeesWhole } from '../organizations/index.ts'
import * as queries from './operators.queries.ts'

export type Operators = ReturnType<typeof createOperators>

/**
 * Operators, as far as the caller's data scope reaches: one beyond it is answered as one that does not
 * exist, and nobody puts one where he could not see it.
 */
export function createOperators({ db }: { db: Db }) {
  return {
    /** The operators whose devices the caller may see. */
    async listOperators(actor: Actor, { organId }: ParsedInputFor<typeof listOperators>) {
      const scope = await scopeOf(db, actor)
      return queries.listOperators(db, scope, organId === undefined ? null : idNumber(organId))
    },

    async searchOperators(actor: Actor, input: ParsedInputFor<typeof searchOperators>) {
      const { pageNum, pageSize, organizationId, ...texts } = input
      const scope = await scopeOf(db, actor)
      const filter = {
        ...texts,
        organizationId: organizationId === undefined ? null : idNumber(organizationId),
      }
      const [rows, total] = await Promise.all([
        queries.searchOperators(db, scope, filter, { limit: pageSize, offset: (pageNum - 1) * pageSize }),
        queries.countOperators(db, scope, filter),
      ])
      return { rows, total }
    },

    /** Not for a user whose data permissions name operators: he could not see the one he made. */
    async insertOperator(actor: Actor, input: ParsedInputFor<typeof insertOperator>) {
      const { name, code } = input
      return await db.transaction().execute(async (trx) => {
        if (!actor.isSystem && (await queries.isLimitedToOperators(trx, actor.userId))) {
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

    /** Under another organization, its devices come along: who sees them follows at once. */
    async updateOperator(actor: Actor, input: ParsedInputFor<typeof updateOperator>): Promise<void> {
      const { name, code } = input
      await db.transaction().execute(async (trx) => {
        const scope = await scopeOf(trx, actor)
        const before = await lockOperator(trx, scope, input.id)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
        const organization = await organizationWithin(trx, actor, input.organizationId)
        if (organization.id !== before.organizationId) assertSeesWhole(scope, [before.id])
        await queries.updateOperator(trx, before.id, { name, code, organizationId: organization.id })
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: shownOf(before), after: { name, code, organization: organization.name } },
        })
      })
    },

    async deleteOperator(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before = await lockOperator(trx, await scopeOf(trx, actor), id)
        const { hasDevices, isInPermissions } = await queries.usesOf(trx, before.id)
        if (hasDevices) refuse('operatorHasDevices')
        if (isInPermissions) refuse('operatorInPermissions')
        await queries.deleteOperator(trx, before.id)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: shownOf(before) },
        })
      })
    },
  }
}

async function lockOperator(trx: Trx, scope: DataScope, id: string): Promise<queries.OperatorEntry> {
  return (await queries.lockOperator(trx, scope, idNumber(id))) ?? refuse('operatorNotFound')
}

/** Another organization does not exist for the caller unless his own tree holds it. */
async function organizationWithin(trx: Trx, actor: Actor, id: string) {
  const number = idNumber(id)
  const isOwn = await isInOwnTree(trx, actor, number)
  return (
    (isOwn ? await holdOrganization(trx, number) : undefined) ??
    refuseInput({ field: 'organizationId', message: '组织不存在' })
  )
}

const targetOf = ({ name, code }: { name: string; code: string }) => `运营商 ${name}（${code}）`

const shownOf = ({ name, code, organizationName }: queries.OperatorEntry) => ({
  name,
  code,
  organization: organizationName,
})
