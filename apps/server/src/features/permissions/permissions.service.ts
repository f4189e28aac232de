// Data permissions: assigned, reset, tried out before they are saved, and explained.
import type {
  deletePermissions,
  explainPermissions,
  FieldProblem,
  ParsedInputFor,
  previewPermissions,
  readPermissions,
} from '@voltkeep/contract'
import { authorityTypes, updatePermissions } from '@voltkeep/contract'
import { firstUserId } from '../../domain/access/accounts/first-user.ts'
import {
  type Authorities,
  type DataScope,
  everything,
  scopeBy,
  scopeOf,
} from '../../domain/access/data-scope.ts'
import { type Holdings, reachesAllOf, readHoldings, readReaches } from '../../domain/access/holdings.ts'
import { lockManaged, type Managed } from '../../domain/access/managing.ts'
import { keepNarrowed } from '../../domain/access/narrowings.ts'
import { isInOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Changes } from '../../platform/database/operation-log.ts'
import { explain } from './permission-explanation.ts'
import * as queries from './permissions.queries.ts'

const noEntries: Authorities = { O: [], ET: [], R: [] }

type Entries = ParsedInputFor<typeof updatePermissions>['authorityEntities']

type Viewer = ParsedInputFor<typeof previewPermissions>

export type Permissions = ReturnType<typeof createPermissions>

/**
 * Data permissions of the users of the caller's organizations. They only ever narrow, and no caller leaves a user
 * with a wider data scope than the caller's own.
 */
export function createPermissions({ db }: { db: Db }) {
  async function readUser(actor: Actor, userId: string) {
    const user = (await queries.findUser(db, actor, idNumber(userId))) ?? refuse('userNotFound')
    const holdings = (await readHoldings(db, [user.id])).get(user.id) ?? refuse('userNotFound')
    return { ...user, holdings }
  }

  /** The holdings of a user of the caller's organizations, or of a user who is yet to be added to one of them. */
  async function readViewer(actor: Actor, { userId, organizationId }: Viewer) {
    const own = await readOwn(actor)
    if (userId !== undefined) {
      const { holdings } = await readUser(actor, userId)
      return { ...holdings, ...(await queries.splitEntries(db, own, holdings.authorities)) }
    }
    const organization = idNumber(organizationId ?? '')
    if (!(await isInOwnTree(db, actor, organization))) return refuse('organizationNotFound')
    const authorities = firstEntriesBy(own)
    return { organizationId: organization, isSystem: false, authorities, beyond: noEntries }
  }

  const readOwn = async (actor: Actor) =>
    (await readHoldings(db, [actor.userId])).get(actor.userId) ?? refuse('sessionEnded')

  /** The scope that the user would have by unsaved entries; by the saved ones where none are given. */
  async function readReach(actor: Actor, viewer: Viewer) {
    const holdings = await readViewer(actor, viewer)
    const authorities = viewer.authorityEntities
      ? together(authoritiesOf(viewer.authorityEntities), holdings.beyond)
      : holdings.authorities
    const scope: DataScope = holdings.isSystem
      ? everything
      : await scopeBy(db, holdings.organizationId, authorities)
    return { holdings, authorities, scope }
  }

  /** Saves those asked for, or else the caller's own, as far as the caller may give them. */
  async function permitNew(
    trx: Trx,
    caller: Holdings,
    userId: number,
    asked: Entries | undefined,
  ): Promise<Authorities> {
    const authorities = asked ? authoritiesOf(asked) : firstEntriesBy(caller)
    if (asked) await checkEntries(trx, caller, { within: noEntries, beyond: noEntries }, authorities)
    await queries.insertAuthorities(trx, userId, authorities)
    return authorities
  }

  return {
    /** Entries beyond the caller's own reach are counted and not named. */
    async readPermissions(actor: Actor, { userId }: ParsedInputFor<typeof readPermissions>) {
      const { id, version, holdings } = await readUser(actor, userId)
      const { within, beyond } = await queries.splitEntries(db, await readOwn(actor), holdings.authorities)
      return {
        userId: id,
        version,
        isSystem: holdings.isSystem,
        authorityEntities: entriesOf(within),
        beyondCount: countOf(beyond),
      }
    },

    /**
     * Replaces the user's entries, but for those that the caller does not see. Refuses what `permissionsOf` does,
     * `conflict`, 403 `cannotGrant` for entries beyond the caller's own, and 400 for entries that name nothing.
     */
    async updatePermissions(actor: Actor, input: ParsedInputFor<typeof updatePermissions>): Promise<void> {
      const { userId, version } = input
      const authorities = authoritiesOf(input.authorityEntities)
      await changing(db, actor, { ...permissionsOf(actor, userId), version }, async (trx, before) => {
        const { within, beyond } = await queries.splitEntries(trx, before.caller, before.target.authorities)
        await checkEntries(trx, before.caller, { within, beyond }, authorities)
        return replace(trx, before, together(authorities, beyond))
      })
    },

    /** Leaves the user with the caller's own entries; with none where the caller is SYSTEM. Refuses as above. */
    async deletePermissions(
      actor: Actor,
      { userId }: ParsedInputFor<typeof deletePermissions>,
    ): Promise<void> {
      await changing(db, actor, permissionsOf(actor, userId), async (trx, before) =>
        replace(trx, before, firstEntriesBy(before.caller)),
      )
    },

    /**
     * Saves the data permissions of a user who is being added, in the transaction that adds the user: those asked for,
     * or else the caller's own. Returns them for the operation log. Refuses what is asked for where the caller may not
     * assign data permissions (403 `notPermitted`), 403 `cannotGrant`, and 400 for entries that name nothing.
     */
    async permitNewUser(
      trx: Trx,
      caller: Holdings,
      userId: number,
      asked: Entries | undefined,
    ): Promise<Authorities> {
      if (asked && !caller.isSystem && !caller.functionCodes.includes(updatePermissions.access))
        refuse('notPermitted')
      return permitNew(trx, caller, userId, asked)
    },

    /**
     * Saves the data permissions of an API key that the caller makes, in the transaction that makes it: those asked for,
     * or else the caller's own. Returns them for the operation log. Refuses 403 `cannotGrant` for more than the caller
     * has, and 400 for entries that name nothing.
     */
    permitNewKey: permitNew,

    /** Its entries as a list shows them. */
    entriesOf,

    /** How many of the devices that the caller sees the user would see as well, and how many the caller sees. */
    async previewPermissions(actor: Actor, input: ParsedInputFor<typeof previewPermissions>) {
      const { scope } = await readReach(actor, input)
      const own = await scopeOf(db, actor)
      const [count, total] = await Promise.all([
        queries.countWithin(db, own, scope),
        queries.countWithin(db, own, everything),
      ])
      return { count, total }
    },

    /** Refuses `deviceNotFound` for a device that the caller does not see, `userNotFound` and `organizationNotFound`. */
    async explainPermissions(actor: Actor, input: ParsedInputFor<typeof explainPermissions>) {
      const { holdings, authorities, scope } = await readReach(actor, input)
      const own = await scopeOf(db, actor)
      const device = await queries.findDevice(db, own, input.code, holdings.organizationId)
      if (!device) return refuse('deviceNotFound')
      const checks = explain(device, { isSystem: holdings.isSystem, authorities, scope })
      return { code: device.code, isVisible: checks.every(({ isPassed }) => isPassed), checks }
    },
  }
}

/** The entries that a user begins with, and has after a reset: no more than the caller's. */
const firstEntriesBy = (caller: Pick<Holdings, 'isSystem' | 'authorities'>): Authorities =>
  caller.isSystem ? noEntries : caller.authorities

type LockedUser = queries.PermissionUser & Managed

/**
 * The permissions of a user whom the caller may manage (`lockManaged`: 404 `userNotFound`, 403 `holdsMore`). Those of
 * user 1, who sees everything, and the caller's own are refused (403 `firstUserFixed`, `ownPermissionsFixed`).
 */
const permissionsOf = (actor: Actor, userId: string): Subject<LockedUser> => ({
  async lock(trx) {
    const managed = await lockManaged(trx, actor, idNumber(userId))
    const { userId: id } = managed.target
    if (id === firstUserId) refuse('firstUserFixed')
    if (id === actor.userId) refuse('ownPermissionsFixed')
    // `lockManaged` has found the user in the caller's tree.
    const user = await queries.findUser(trx, { isSystem: true, organizationId: 0 }, id)
    return user && { ...user, ...managed }
  },
  notFound: 'userNotFound',
  target: ({ loginName }) => `用户 ${loginName}`,
})

/**
 * Added values must exist (400) and be the caller's to grant (403 `cannotGrant`). An operator out of the caller's
 * scope is refused like one that does not exist, which does not tell the caller whether it does, nor whether the user
 * has it. Values that the caller sees at the user may stay, since the user has no more than the caller.
 */
async function checkEntries(
  trx: Trx,
  caller: Holdings,
  { within, beyond }: queries.SplitEntries,
  authorities: Authorities,
): Promise<void> {
  const known = await queries.lockNamedShared(trx, authorities)
  // Sets, since a list may name tens of thousands.
  const added = (type: keyof Authorities) => {
    const had = new Set(within[type])
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
  if (!reachesAllOf(caller, { authorities: together(authorities, beyond), regionPaths: known.regionPaths }))
    refuse('cannotGrant')
}

async function replace(
  trx: Trx,
  { id, caller, target }: LockedUser,
  authorities: Authorities,
): Promise<Changes> {
  // What the user's API keys reach is narrowed along.
  const userIds = [id, ...(await queries.listKeysOf(trx, id))]
  const reached = await readReaches(trx, userIds)
  await queries.replaceAuthorities(trx, id, authorities)
  const reach = await readReaches(trx, userIds)
  for (const userId of userIds) {
    const [before, after] = [reached.get(userId), reach.get(userId)]
    if (before && after) await keepNarrowed(trx, userId, { before, after })
  }
  return {
    before: await shownEntries(trx, caller, target.authorities),
    after: await shownEntries(trx, caller, authorities),
  }
}

/** The entries as the operation log shows them: its readers may reach no further than the caller. */
async function shownEntries(trx: Trx, caller: Holdings, authorities: Authorities) {
  const { within, beyond } = await queries.splitEntries(trx, caller, authorities)
  const beyondCount = countOf(beyond)
  return { ...within, ...(beyondCount > 0 && { beyondCount }) }
}

const countOf = (authorities: Authorities) =>
  Object.values(authorities).reduce((sum, { length }) => sum + length, 0)

const together = (one: Authorities, other: Authorities): Authorities => ({
  O: [...one.O, ...other.O],
  ET: [...one.ET, ...other.ET],
  R: [...one.R, ...other.R],
})

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
