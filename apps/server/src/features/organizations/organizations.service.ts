// The tree of organizations: read, built and moved within the caller's own part of it.
import {
  type insertOrganization,
  listUsers,
  type OrganizationNode,
  type OrganizationTally,
  type ParsedInputFor,
  type updateOrganization,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { isInOwnTree } from '../../domain/access/organization-tree.ts'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { treeOf } from '../../platform/database/tree.ts'
import { isQuiet, readQuiet } from '../alarms/index.ts'
import { assertSeesWhole } from './operator-handover.ts'
import * as queries from './organizations.queries.ts'

/** More than any company has. Without a limit a tree could become too deep to be answered. */
const deepestLevel = 20

export type Organizations = ReturnType<typeof createOrganizations>

/**
 * An organization outside the caller's own tree is answered like one that does not exist. No user moves an organization
 * out of that user's sight, nor the user's own.
 */
export function createOrganizations({ db }: { db: Db }) {
  return {
    /** A tree with the caller's own organization at its root; all of them for a SYSTEM user. */
    async listOrganizations(actor: Actor): Promise<OrganizationNode[]> {
      return nodesOf(await queries.listOrganizations(db, actor.isSystem ? null : actor.organizationId))
    },

    /** Numbers of the organizations of `listOrganizations`; of users for a caller who may see users. */
    async countOrganizations(actor: Actor): Promise<OrganizationTally[]> {
      const rootId = actor.isSystem ? null : actor.organizationId
      const rows = await queries.countOrganizations(
        db,
        await scopeOf(db, actor),
        rootId,
        isQuiet(await readQuiet(db)),
      )
      const seesUsers = mayCall(actor, listUsers.access)
      return rows.map((row) => ({ ...row, id: String(row.id), users: seesUsers ? row.users : null }))
    },

    /**
     * Refuses 403 `topOrganizationNeedsSystem`, 409 `organizationCodeTaken`, and 400 for a parent outside the caller's
     * tree or a tree deeper than 20 levels.
     */
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

    /**
     * With another parent, its users, operators and devices move too: who sees them changes at once. Refuses
     * `organizationNotFound`, `conflict`, 409 `organizationCodeTaken`, and the errors of `newParent`.
     */
    async updateOrganization(actor: Actor, input: ParsedInputFor<typeof updateOrganization>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...organizationOf(actor, id), version }, async (trx, before) => {
        const parentId = await newParent(trx, actor, before, input.parentId)
        const { name, code, orderNum = before.orderNum } = input
        const after = { parentId, name, code, orderNum }
        await queries.updateOrganization(trx, before.id, after)
        return { before: await shownOf(trx, before), after: await shownOf(trx, after) }
      })
    },

    /**
     * Refuses `organizationNotFound`, 403 `ownOrganizationStays`, and 409 where other organizations, operators, users or
     * anything else belong to it.
     */
    async deleteOrganization(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, organizationOf(actor, id), async (trx, before) => {
        if (before.id === actor.organizationId) refuse('ownOrganizationStays')
        const { hasChildren, hasOperators, hasUsers, owned } = await queries.usesOf(trx, before.id)
        if (hasChildren) refuse('organizationHasChildren')
        if (hasOperators) refuse('organizationHasOperators')
        if (hasUsers) refuse('organizationHasUsers')
        refuseOwned(owned)
        await queries.deleteOrganization(trx, before.id)
        return { before: await shownOf(trx, before) }
      })
    },
  }
}

const ownedNames: Record<queries.OwnedTable, string> = {
  notify_channel: '通知渠道',
  notify_rule: '通知规则',
  duty: '值班表',
  report_subscription: '报表订阅',
  advertisement: '广告（含已删除）',
  upgrade_task: '升级任务',
  parameter_batch: '批量设置',
  handover: '交接单',
}

/** Refuses 409 `organizationInUse`, and says by what. */
function refuseOwned(owned: Record<queries.OwnedTable, boolean>): void {
  const names = queries.ownedTables.flatMap((table) => (owned[table] ? [ownedNames[table]] : []))
  if (names.length > 0)
    throw new Refusal('organizationInUse', null, `组织下仍有${names.join('、')}，不能删除`)
}

/** An organization of the caller's tree; the tree is locked as well. */
const organizationOf = (actor: Actor, id: string): Subject<queries.OrganizationRow> => ({
  async lock(trx) {
    await queries.lockTree(trx)
    const number = idNumber(id)
    return (await isInOwnTree(trx, actor, number)) ? queries.lockOrganization(trx, number) : undefined
  },
  notFound: 'organizationNotFound',
  target: targetOf,
})

/**
 * The id of a parent in the caller's tree, else 400. Null is the top, which is outside every user's tree: refused
 * (403 `topOrganizationNeedsSystem`) unless the caller is SYSTEM.
 */
async function parentWithin(trx: Trx, actor: Actor, parentId: string): Promise<number | null> {
  if (parentId === '0') return actor.isSystem ? null : refuse('topOrganizationNeedsSystem')
  const id = idNumber(parentId)
  if (!(await isInOwnTree(trx, actor, id))) {
    refuseInput({ field: 'parentId', message: '上级组织不存在' })
  }
  return id
}

/**
 * The parent after a change; as before where none is wanted. Refuses 403 `ownOrganizationStays`, 403 `cannotGrant`
 * where the caller does not see every device below, what `parentWithin` does, and 400 for a parent below itself
 * or a tree too deep.
 */
async function newParent(
  trx: Trx,
  actor: Actor,
  before: queries.OrganizationRow,
  wanted: string | undefined,
): Promise<number | null> {
  if (wanted === undefined || wanted === String(before.parentId ?? 0)) return before.parentId
  if (!actor.isSystem && before.id === actor.organizationId) {
    // In the tree that the caller is shown, the caller's own organization is the top.
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

/** Refuses (400) a tree too deep with a new organization (null), or with one and all under it, below the parent. */
async function checkDepth(trx: Trx, id: number | null, parentId: number | null): Promise<void> {
  const above = parentId === null ? 0 : await queries.countLevelsAbove(trx, parentId)
  const below = id === null ? 1 : await queries.countLevelsUnder(trx, id)
  if (above + below > deepestLevel) {
    refuseInput({ field: 'parentId', message: `组织最多 ${deepestLevel} 级` })
  }
}

const targetOf = ({ name, code }: { name: string; code: string }) => `组织 ${name}（${code}）`

/** As the operation log shows it: with its parent's name. */
const shownOf = async (trx: Trx, { parentId, name, code, orderNum }: queries.OrganizationValues) => ({
  name,
  code,
  parent: await queries.nameOf(trx, parentId),
  orderNum,
})

const nodesOf = (rows: readonly queries.OrganizationRow[]) =>
  treeOf<queries.OrganizationRow, OrganizationNode>(
    rows,
    ({ id, name, code, orderNum, version }, children, parent) => ({
      id: String(id),
      parentId: String(parent?.id ?? 0),
      name,
      code,
      orderNum,
      version,
      children,
    }),
  )
