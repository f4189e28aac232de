// Keys of other systems. A key is a user of its own, so that its calls, its rows and its decisions are told apart from its
// maker's; what it may do and see is what is left of its own beside its maker's at the moment of the call.
import {
  apiKeysAtMost,
  type deleteApiKey,
  type insertApiKey,
  isFunctionForKeys,
  type listApiKeys,
  type ParsedInputFor,
  type rotateApiKey,
} from '@voltkeep/contract'
import { holdsAllOf, readHoldings } from '../../domain/access/holdings.ts'
import { lockCaller, lockManaged } from '../../domain/access/managing.ts'
import { isInOwnTree, lockOrganizationShared } from '../../domain/access/organization-tree.ts'
import { keepLastReach } from '../../domain/access/reaches.ts'
import type { Actor, Client } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { withinLimit } from '../../platform/database/connections/time-limit.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { amongNetworks } from '../../platform/process/networks.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { shownMenuName } from '../menus/index.ts'
import type { Permissions } from '../permissions/index.ts'
import * as queries from './api-keys.queries.ts'
import { hashOf, hintOf, isWellFormed, newSecret } from './secrets.ts'

export interface ApiKeyNeeds {
  db: Db
  log: Pick<Log, 'warn'>
  permissions: Pick<Permissions, 'permitNewKey' | 'entriesOf'>
}

export type ApiKeys = ReturnType<typeof createApiKeys>

export function createApiKeys({ db, log, permissions }: ApiKeyNeeds) {
  /** Of these the last use is being written: a thousand calls at once wait for no row. */
  const writing = new Set<number>()
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({ zh: 'API 密钥的使用时间未能记录', en: 'the time of use of API keys could not be recorded' }),
    ),
  )
  const turnedAway = createComplaints((key, count) =>
    log.warn(
      { ...(key as object), count },
      spoken({
        zh: 'API 密钥从不允许的网络使用，已拒绝',
        en: 'an API key was used from a network that it is not for, and refused',
      }),
    ),
  )

  const noteUse = (userId: number, address: string) => {
    if (writing.has(userId)) return
    writing.add(userId)
    queries
      .writeUse(db, userId, address)
      .catch(complain)
      .finally(() => writing.delete(userId))
  }

  async function findActor(hash: Buffer, client: Client) {
    const key = (await withinLimit(queries.findKey(db, hash), { db })) ?? refuse('tokenUnknown')
    if (key.isReplaced) refuse('keyReplaced')
    if (key.isExpired) refuse('keyExpired')
    if (!key.isEnabled || key.organizationId === null) return refuse('keyStopped')
    if (key.networks.length > 0 && !amongNetworks(key.networks)(client.address)) {
      turnedAway({ key: key.loginName, address: client.address })
      refuse('keyFromElsewhere')
    }
    const { userId, loginName, organizationId, makerId, functionCodes } = key
    const actor: Actor = {
      userId,
      loginName,
      organizationId,
      isSystem: false,
      mustChangePassword: false,
      makerId,
      functionCodes: new Set(functionCodes.filter(isFunctionForKeys)),
      tokenHash: hash,
      client,
    }
    return { actor, isUseDue: key.isUseDue }
  }

  return {
    /**
     * The key of the secret, as of now. Refuses `tokenUnknown` (50008), `keyReplaced`, `keyExpired`, `keyStopped` (401)
     * and `keyFromElsewhere` (403).
     */
    async authenticate(secret: string, client: Client): Promise<Actor> {
      if (!isWellFormed(secret)) refuse('tokenUnknown')
      const { actor, isUseDue } = await findActor(hashOf(secret), client)
      if (isUseDue) noteUse(actor.userId, client.address)
      return actor
    },

    /** The same during a call that goes on. */
    authenticateAgain: async ({ tokenHash, client }: Actor): Promise<Actor> =>
      (await findActor(tokenHash, client)).actor,

    async listApiKeys(actor: Actor, input: ParsedInputFor<typeof listApiKeys>) {
      const matching = queries.keysMatching(actor, input)
      const [records, total] = await Promise.all([
        queries.listKeys(db, matching, pageOf(input)),
        queries.countKeys(db, matching),
      ])
      const people = records.flatMap(({ id, makerId }) => [id, makerId])
      const holdings = await readHoldings(db, [actor.userId, ...people])
      const caller = holdings.get(actor.userId)
      const rows = records.map(({ makerId, ...record }) => {
        const [key, maker] = [holdings.get(record.id), holdings.get(makerId)]
        const isOwn = makerId === actor.userId
        const isManageable = isOwn || (!!caller && !!maker && holdsAllOf(caller, maker))
        const authorityEntities = isManageable && key ? permissions.entriesOf(key.authorities) : null
        return { ...record, authorityEntities, isOwn, isManageable }
      })
      return { rows, total }
    },

    /** Those that the caller has and that a key may have, in the order of the menu. */
    async listKeyFunctions(actor: Actor) {
      const codes = [...actor.functionCodes].filter(isFunctionForKeys)
      const found = await queries.listFunctions(db, codes)
      return found
        .toSorted(
          (a, b) => a.directoryOrder - b.directoryOrder || a.pageOrder - b.pageOrder || a.order - b.order,
        )
        .map((one) => ({ ...one, name: shownMenuName(one.name), page: shownMenuName(one.page) }))
    },

    /**
     * Returns the secret, which is kept nowhere. Refuses 403 `cannotGrant` for a function or a device more than the
     * caller has, 400 for a function that no key may have, an organization outside of the caller's and for entries that
     * name nothing, 409 `apiKeyNameTaken` and `tooManyApiKeys`.
     */
    async insertApiKey(actor: Actor, input: ParsedInputFor<typeof insertApiKey>) {
      const functionCodes = [...new Set(input.functionCodes)].sort()
      if (!functionCodes.every(isFunctionForKeys))
        refuseInput({ field: 'functionCodes', message: '含有不能授予 API 密钥的功能权限' })
      const { name, networks = [], validDays } = input
      const secret = newSecret()
      return db.transaction().execute(async (trx) => {
        const caller = await lockCaller(trx, actor)
        if (!functionCodes.every((code) => caller.functionCodes.includes(code))) refuse('cannotGrant')
        const organizationId =
          input.organizationId === undefined ? caller.organizationId : idNumber(input.organizationId)
        const organization = (await isInOwnTree(trx, caller, organizationId))
          ? await lockOrganizationShared(trx, organizationId)
          : undefined
        if (!organization) return refuseInput({ field: 'organizationId', message: '组织不存在' })
        if ((await queries.countKeysOf(trx, caller.userId)) >= apiKeysAtMost) refuse('tooManyApiKeys')
        const key = await queries.insertKey(trx, {
          ...{ name, functionCodes, networks, validDays, organizationId },
          makerId: caller.userId,
          loginName: loginNameOf(name, actor.loginName),
        })
        if (!key) throw new Refusal('apiKeyNameTaken', [{ field: 'name', message: '已有同名的 API 密钥' }])
        await queries.insertSecret(trx, key.id, hashOf(secret), hintOf(secret))
        const permitted = await permissions.permitNewKey(trx, caller, key.id, input.authorityEntities)
        const after = {
          ...{ name, functions: functionCodes, organization: organization.name, networks },
          ...{ expireTime: key.expireTime, ...permitted },
        }
        await recordOperation(trx, actor, { target: targetOf(name), changes: { after } })
        return { id: key.id, name, secret, expireTime: key.expireTime }
      })
    },

    /** Returns the new secret. Refuses `apiKeyNotFound`, also for one of somebody else. */
    async rotateApiKey(actor: Actor, input: ParsedInputFor<typeof rotateApiKey>) {
      const { id, overlapHours, validDays } = input
      const secret = newSecret()
      return db.transaction().execute(async (trx) => {
        const key = await queries.lockKey(trx, actor, idNumber(id))
        if (!key || key.makerId !== actor.userId) return refuse('apiKeyNotFound')
        await queries.endSecrets(trx, key.id, overlapHours)
        await queries.insertSecret(trx, key.id, hashOf(secret), hintOf(secret))
        const expireTime = await queries.renewKey(trx, key.id, validDays)
        await recordOperation(trx, actor, {
          target: targetOf(key.name),
          changes: { after: { overlapHours, expireTime } },
        })
        return { id: key.id, name: key.name, secret, expireTime }
      })
    },

    /**
     * The key is refused from the commit on, and what it has decided stops as of a user who was deleted. Refuses
     * `apiKeyNotFound`, and 403 `holdsMore` for one of a user who has more than the caller.
     */
    async deleteApiKey(actor: Actor, { id }: ParsedInputFor<typeof deleteApiKey>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const key = (await queries.lockKey(trx, actor, idNumber(id))) ?? refuse('apiKeyNotFound')
        if (key.makerId !== actor.userId) await lockManaged(trx, actor, key.makerId)
        await keepLastReach(trx, key.id)
        await plainQueries('app_user').delete(trx, key.id)
        await recordOperation(trx, actor, { target: `${targetOf(key.name)}（${key.loginName}）` })
      })
    },
  }
}

/** Names the key and its maker wherever a user is named. No login name has a blank. */
const loginNameOf = (name: string, maker: string) => `密钥 ${name}（${maker}）`

const targetOf = (name: string) => `API 密钥 ${name}`
