import type {
  deletePermissions,
  explainPermissions,
  FieldProblem,
  ParsedInputFor,
  previewPermissions,
  readPermissions,
  updatePermissions,
} from '@voltkeep/contract'
import { authorityTypes } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import {
  type Authorities,
  type DataScope,
  everything,
  scopeBy,
  scopeOf,
} from '../../platform/access/data-scope.ts'
import { firstUserId } from '../../platform/access/first-user.ts'
import { type Holdings, reachesAllOf, readHoldings } from '../../platform/access/holdings.ts'
import { lockManaged } from '../../platform/access/managing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { explain } from './permissions.explain.ts'
import * as queries from './permissions.queries.ts'

const noEntries: Authorities = { O: [], ET: [], R: [] }

type Entries = ParsedInputFor<typeof updatePermissions>['authorityEntities']

export type Permissions = ReturnType<typeof createPermissions>

/**
 * Data permissions of the users of the caller's organizations. They only ever narrow, and nobody leaves
 * another one wider than he is himself.
 */
export function createPermissions({ db }: { db: Db }) {
  async function readUser(actor: Actor, userId: string) {
    const user = (await queries.findUser(db, actor, idNumber(userId))) ?? refuse('userNotFound')
    const holdings = (await readHoldings(db, [user.id])).get(user.id) ?? refuse('userNotFound')
    return { ...user, holdings }
  }

  /** The scope that the user would have by unsaved entries; by those he has where none are given. */
  async function readReach(actor: Actor, userId: string, entries: Entries | undefined) {
    const { holdings } = await readUser(actor, userId)
    const authorities = entries ? authoritiesOf(entries) : holdings.authorities
    const scope: DataScope = holdings.isSystem
      ? everything
      : await scopeBy(db, holdings.organizationId, authorities)
    return { holdings, authorities, scope }
  }

  return {
    async readPermissions(actor: Actor, { userId }: ParsedInputFor<typeof readPermissions>) {
      const { id, version, holdings } = await readUser(actor, userId)
      return {
        userId: id,
        version,
        isSystem: holdings.isSystem,
        authorityEntities: entriesOf(holdings.authorities),
      }
    },

    /** In place of what there was. Of each kind, a caller who is narrowed by it gives some of his own. */
    async updatePermissions(actor: Actor, input: ParsedInputFor<typeof updatePermissions>): Promise<void> {
      const userId = idNumber(input.userId)
      const authorities = authoritiesOf(input.authorityEntities)
      await db.transaction().execute(async (trx) => {
        const { caller, target } = await lockManaged(trx, actor, userId)
        const user = await changeable(trx, actor, userId)
        if (input.version !== undefined && input.version !== user.version) refuse('conflict')
        await checkEntries(trx, caller, target, authorities)
        await replace(trx, actor, user, target, authorities)
      })
    },

    /** Nothing narrows the user any more, but what narrows the caller: he would give more than he holds. */
    async deletePermissions(actor: Actor, input: ParsedInputFor<typeof deletePermissions>): Promise<void> {
      const userId = idNumber(input.userId)
      await db.transaction().execute(async (trx) => {
        const { caller, target } = await lockManaged(trx, actor, userId)
        const user = await changeable(trx, actor, userId)
        await replace(trx, actor, user, target, caller.isSystem ? noEntries : caller.authorities)
      })
    },

    /** How many of the devices that the caller sees the user would see as well, and how many those are. */
    async previewPermissions(actor: Actor, input: ParsedInputFor<typeof previewPermissions>) {
      const { scope } = await readReach(actor, input.userId, input.authorityEntities)
      const own = await scopeOf(db, actor)
      const [count, total] = await Promise.all([
        queries.countWithin(db, own, scope),
        queries.countWithin(db, own, everything),
      ])
      return { count, total }
    },

    /** A device that the caller does not see himself is answered as one that does not exist. */
    async explainPermissions(actor: Actor, input: ParsedInputFor<typeof explainPermissions>) {
      const { holdings, authorities, scope } = await readReach(actor, input.userId, input.authorityEntities)
      const own = await scopeOf(db, actor)
      const device = await queries.findDevice(db, own, input.code, holdings.organizationId)
      if (!device) return refuse('deviceNotFound')
      const checks = explain(device, { isSystem: holdings.isSystem, authorities, scope })
      return { code: device.code, isVisible: checks.every(({ isPassed }) => isPassed), checks }
    },
  }
}

/** Nobody's own, and not those of user 1: he sees everything and goes on to. */
async function changeable(trx: Trx, actor: Actor, userId: number): Promise<queries.PermissionUser> {
  if (userId === firstUserId) refuse('firstUserFixed')
  if (userId === actor.userId) refuse('ownPermissionsFixed')
  // In his tree: lockManaged has found him there.
  return (
    (await queries.findUser(trx, { isSystem: true, organizationId: 0 }, userId)) ?? refuse('userNotFound')
  )
}

/**
 * What is newly given must exist and be the caller's to give. An operator out of his scope is refused like
 * one that does not exist: which there are beyond it is not his to learn. What the user already has may
 * stay: he holds no more than the caller.
 */
async function checkEntries(
  trx: Trx,
  caller: Holdings,
  target: Holdings,
  authorities: Authorities,
): Promise<void> {
  const known = await queries.holdNamed(trx, authorities)
  // Sets, since a list may name tens of thousands.
  const added = (type: keyof Authorities) => {
    const had = new Set(target.authorities[type])
    return authorities[type].filter((value) => !had.has(value))
  }
  if (!caller.isSystem) {
    const { operatorIds } = await scopeBy(trx, caller.organizationId, caller.authorities)
    const own = new Set(operatorIds)
    if (!added('O').every((id) => own.has(idNumber(id)))) refuse('cannotGrant')
  }
  const problems: FieldProblem[] = authorityTypes
    .filter((type) => {
      const existing = new Set(known[type])
      return !added(type).every((value) => existing.has(value))
    })
    .map((type) => ({ field: 'authorityEntities', message: `${kindNames[type]}不存在` }))
  if (problems.length > 0) throw new Refusal('badInput', problems)
  if (!reachesAllOf(caller, { authorities, regionPaths: known.regionPaths })) refuse('cannotGrant')
}

async function replace(
  trx: Trx,
  actor: Actor,
  user: queries.PermissionUser,
  target: Holdings,
  authorities: Authorities,
): Promise<void> {
  await queries.replaceAuthorities(trx, user.id, authorities)
  await recordOperation(trx, actor, {
    target: `用户 ${user.loginName}`,
    changes: { before: { ...target.authorities }, after: { ...authorities } },
  })
}

const kindNames = { O: '运营商', ET: '设备类型', R: '地区' } as const

/** Entries of one kind together, each value once. */
function authoritiesOf(entries: Entries): Authorities {
  const valuesOf = (kind: keyof Authorities) => [
    ...new Set(
      entries.flatMap(({ authorityType, type, value }) => ((authorityType ?? type) === kind ? value : [])),
    ),
  ]
  return { O: valuesOf('O'), ET: valuesOf('ET'), R: valuesOf('R') }
}

function entriesOf(authorities: Authorities) {
  return authorityTypes.flatMap((type) => {
    const value = [...authorities[type]]
    return value.length === 0 ? [] : [{ authorityType: type, type, value }]
  })
}
