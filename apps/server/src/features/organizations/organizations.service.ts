import type {
  insertOrganization,
  OrganizationNode,
  ParsedInputFor,
  updateOrganization,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { scopeOf } from '../../platform/access/data-scope.ts'
import { isInOwnTree } from '../../platform/access/organization-tree.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import { assertSeesWhole } from './organizations.handover.ts'
import * as queries from './organizations.queries.ts'

/** No company has as many; without a limit, a tree some thousand levels deep could be answered to nobody. */
const deepestLevel = 20

export type Organizations = ReturnType<typeof createOrganizations>

/**
 * The tree of organizations. One outside the caller's own tree is answered as one that does not exist, and
 * nobody moves one to where he could not see it, nor his own.
 */
export function createOrganizations({ db }: { db: Db }) {
  return {
    /** A tree with the caller's own organization at its root; all of them for a SYSTEM user. */
    async listOrganizations(actor: Actor): Promise<OrganizationNode[]> {
      return treeOf(await queries.listOrganizations(db, actor.isSystem ? null : actor.organizationId))
    },

    async insertOrganization(actor: Actor, input: ParsedInputFor<typeof insertOrganization>) {
      const { name, code, orderNum } = input
      return await db.transaction().execute(async (trx) => {
        await queries.lockTree(trx)
        const parentId = await parentWithin(trx, actor, input.parentId ?? '0')
        await checkDepth(trx, null, parentId)
        const values = { parentId, name, code, orderNum }
        const id = await queries.insertOrganization(trx, values)
        await recordOperation(trx, actor, {
          target: targetOf(values),
          changes: { after: await shownOf(trx, values) },
        })
        return { id }
      })
    },

    /** Under another parent, its users, operators and devices come along: who sees them follows at once. */
    async updateOrganization(actor: Actor, input: ParsedInputFor<typeof updateOrganization>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await queries.lockTree(trx)
        const before = await lockOwn(trx, actor, input.id)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
        const parentId = await newParent(trx, actor, before, input.parentId)
        const { name, code, orderNum = before.orderNum } = input
        const after = { parentId, name, code, orderNum }
        await queries.updateOrganization(trx, before.id, after)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: await shownOf(trx, before), after: await shownOf(trx, after) },
        })
      })
    },

    async deleteOrganization(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await queries.lockTree(trx)
        const before = await lockOwn(trx, actor, id)
        if (before.id === actor.organizationId) refuse('ownOrganizationStays')
        const { hasChildren, hasOperators, hasUsers } = await queries.usesOf(trx, before.id)
        if (hasChildren) refuse('organizationHasChildren')
        if (hasOperators) refuse('organizationHasOperators')
        if (hasUsers) refuse('organizationHasUsers')
        await queries.deleteOrganization(trx, before.id)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: await shownOf(trx, before) },
        })
      })
    },
  }
}

/** Locks one of the actor's tree; any other does not exist for him. */
async function lockOwn(trx: Trx, actor: Actor, id: string): Promise<queries.OrganizationRow> {
  const number = idNumber(id)
  if (!(await isInOwnTree(trx, actor, number))) refuse('organizationNotFound')
  return (await queries.lockOrganization(trx, number)) ?? refuse('organizationNotFound')
}

/** Null is the top, where only a SYSTEM user puts anything: his own tree would not hold it. */
async function parentWithin(trx: Trx, actor: Actor, parentId: string): Promise<number | null> {
  if (parentId === '0') return actor.isSystem ? null : refuse('topOrganizationNeedsSystem')
  const id = idNumber(parentId)
  if (!(await isInOwnTree(trx, actor, id))) {
    refuseInput({ field: 'parentId', message: '上级组织不存在' })
  }
  return id
}

async function newParent(
  trx: Trx,
  actor: Actor,
  before: queries.OrganizationRow,
  wanted: string | undefined,
): Promise<number | null> {
  if (wanted === undefined || wanted === String(before.parentId ?? 0)) return before.parentId
  if (!actor.isSystem && before.id === actor.organizationId) {
    // The tree shows him his own at the top.
    return wanted === '0' ? before.parentId : refuse('ownOrganizationStays')
  }
  const parentId = await parentWithin(trx, actor, wanted)
  if (parentId !== null && (await queries.isWithin(trx, before.id, parentId))) {
    refuseInput({ field: 'parentId', message: '上级组织不能是自己或自己的下级' })
  }
  await checkDepth(trx, before.id, parentId)
  assertSeesWhole(await scopeOf(trx, actor), await queries.operatorIdsUnder(trx, before.id))
  return parentId
}

/** A new organization (null), or one with all under it, below another parent. */
async function checkDepth(trx: Trx, id: number | null, parentId: number | null): Promise<void> {
  const above = parentId === null ? 0 : await queries.countLevelsAbove(trx, parentId)
  const below = id === null ? 1 : await queries.countLevelsUnder(trx, id)
  if (above + below > deepestLevel) {
    refuseInput({ field: 'parentId', message: `组织最多${deepestLevel}级` })
  }
}

const targetOf = ({ name, code }: { name: string; code: string }) => `组织 ${name}（${code}）`

/** As the operation log shows it: the parent by its name. */
const shownOf = async (trx: Trx, { parentId, name, code, orderNum }: queries.OrganizationValues) => ({
  name,
  code,
  parent: await queries.nameOf(trx, parentId),
  orderNum,
})

/** A row whose parent is not among the rows stands at the top, with parent 0. */
function treeOf(rows: readonly queries.OrganizationRow[]): OrganizationNode[] {
  const nodes = new Map<number, OrganizationNode>()
  for (const { id, name, code, orderNum, version } of rows) {
    nodes.set(id, { id: String(id), parentId: '0', name, code, orderNum, version, children: [] })
  }
  const roots: OrganizationNode[] = []
  for (const { id, parentId } of rows) {
    const node = nodes.get(id) as OrganizationNode
    const parent = parentId === null ? undefined : nodes.get(parentId)
    if (parent) node.parentId = parent.id
    ;(parent?.children ?? roots).push(node)
  }
  return roots
}
