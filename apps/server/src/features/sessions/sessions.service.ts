import { createHash, randomBytes } from 'node:crypto'
import type { CurrentUser, InputOf, ParsedInputFor } from '@voltkeep/contract'
import { authorityTypes, type changePassword, type login } from '@voltkeep/contract'
import type { Actor, Client } from '../../platform/access/actor.ts'
import { hashPassword, verifyPassword } from '../../platform/access/passwords.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { withinLimit } from '../../platform/database/time-limit.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse, refuseInput } from '../../platform/refusal.ts'
import type { Menus } from '../menus/index.ts'
import type { Roles } from '../roles/index.ts'
import { deleteOldAttempts } from './attempts.queries.ts'
import { asAttempt, networkOf } from './attempts.service.ts'
import { createOnlineSessions } from './online.service.ts'
import * as queries from './sessions.queries.ts'

export interface SessionNeeds {
  db: Db
  menus: Pick<Menus, 'readTreeOf'>
  roles: Pick<Roles, 'listRolesOf'>
}

export type Sessions = ReturnType<typeof createSessionService>

export function createSessionService({ db, menus, roles }: SessionNeeds) {
  const findActor = async (tokenHash: Buffer, client: Client): Promise<{ actor: Actor; isDue: boolean }> => {
    const session = await withinLimit(queries.findSession(db, tokenHash))
    if (!session || session.isSignedOut) return refuse('tokenUnknown')
    const { userId, isEnded, isEnabled, isExpired, isDue, functionCodes, ...user } = session
    if (isEnded || userId === null || !isEnabled) return refuse('sessionEnded')
    if (isExpired) return refuse('sessionExpired')
    const { loginName, organizationId, isSystem, mustChangePassword } = user
    return {
      actor: {
        userId,
        loginName,
        organizationId,
        isSystem,
        mustChangePassword,
        functionCodes: new Set(functionCodes),
        tokenHash,
        client,
      },
      isDue,
    }
  }

  return {
    ...createOnlineSessions(db),

    /** Answers a fresh token. A wrong name, a wrong password and a disabled user are told the same. */
    async login(
      { loginname, password }: ParsedInputFor<typeof login>,
      client: Client,
    ): Promise<{ token: string }> {
      let credentials: queries.Credentials | undefined
      const isRight = await asAttempt(
        db,
        { name: loginname, address: networkOf(client.address) },
        async () => {
          credentials = await queries.findCredentials(db, loginname)
          return verifyPassword(credentials?.passwordHash ?? null, password)
        },
      )
      if (!isRight || !credentials) return refuse('wrongCredentials')
      const token = randomBytes(32).toString('base64url')
      const found = credentials
      await db.transaction().execute(async (trx) => {
        if (!(await queries.insertSession(trx, hashOf(token), found, client))) refuse('wrongCredentials')
        await recordOperation(trx, { ...found, client }, { target: `用户 ${found.loginName}` })
      })
      return { token }
    },

    async logout(actor: Actor): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await queries.signOutSession(trx, actor.tokenHash)
        await recordOperation(trx, actor, { target: `用户 ${actor.loginName}` })
      })
    },

    /** Who holds the token, as of now, or the refusal that says why nobody does. */
    async authenticate(token: string, client: Client): Promise<Actor> {
      const { actor, isDue } = await findActor(hashOf(token), client)
      // At most once a minute: a write for every read would cost more than the read.
      if (isDue) await queries.prolongSession(db, actor.tokenHash)
      return actor
    },

    /** The same for a call that goes on: what its caller may do by now, or the refusal. Prolongs nothing. */
    async authenticateAgain({ tokenHash, client }: Actor): Promise<Actor> {
      return (await findActor(tokenHash, client)).actor
    },

    async readCurrentUser(actor: Actor): Promise<InputOf<typeof CurrentUser>> {
      const user = (await queries.readUser(db, actor.userId)) ?? refuse('sessionEnded')
      const [resultVOS, tree] = await Promise.all([roles.listRolesOf(actor), menus.readTreeOf(actor)])
      return {
        ...user,
        resultVOS,
        tree,
        functionCodes: sorted(actor.functionCodes),
        mustChangePassword: actor.mustChangePassword,
        serverTime: new Date(),
      }
    },

    async readJurisdiction(actor: Actor) {
      const rows = await queries.listAuthorities(db, actor.userId)
      return {
        isSystem: actor.isSystem,
        functionCodes: sorted(actor.functionCodes),
        authorityEntities: authorityTypes.flatMap((type) => {
          const value = rows.filter((row) => row.authorityType === type).map((row) => row.value)
          return value.length === 0 ? [] : [{ authorityType: type, type, value }]
        }),
      }
    },

    /** Ends the user's other sessions (50012); the one that made the change goes on. */
    async changePassword(
      actor: Actor,
      { oldPassword, newPassword }: ParsedInputFor<typeof changePassword>,
    ): Promise<void> {
      const oldHash = await queries.readPasswordHash(db, actor.userId)
      // Counted like sign-ins, yet apart from them: who found an open browser must not be able to guess,
      // nor to lock the owner out. No login name begins with a blank.
      const key = { name: ` password of user ${actor.userId}`, address: ` session of user ${actor.userId}` }
      const isRight = await asAttempt(db, key, () => verifyPassword(oldHash, oldPassword))
      if (!isRight || oldHash === null) throw wrongOldPassword()
      if (newPassword === oldPassword) {
        refuseInput({ field: 'newPassword', message: '新密码不能与原密码相同' })
      }
      const newHash = await hashPassword(newPassword)
      await db.transaction().execute(async (trx) => {
        // Of two changes at once the second finds another password than the one it checked.
        if (!(await queries.replacePassword(trx, actor.userId, oldHash, newHash))) throw wrongOldPassword()
        await queries.endSessions(trx, actor.userId, actor.tokenHash)
        await recordOperation(trx, actor, { target: `用户 ${actor.loginName}` })
      })
    },

    /** For whoever disables a user or takes his password: every session of his answers 50012 from the commit on. */
    endSessionsOf: (trx: Trx, userId: number): Promise<void> => queries.endSessions(trx, userId, null),

    /** Housekeeping. */
    async forgetOldSessions(): Promise<void> {
      await queries.deleteOldSessions(db)
      await deleteOldAttempts(db)
    },
  }
}

const wrongOldPassword = () =>
  new Refusal('wrongOldPassword', [{ field: 'oldPassword', message: '原密码错误' }])

/** SHA-256 suffices: the token is 256 random bits, and there is nothing to guess. */
const hashOf = (token: string) => createHash('sha256').update(token).digest()

const sorted = (codes: ReadonlySet<string>) => [...codes].sort()
