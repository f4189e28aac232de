// Signing in and out, who a token belongs to, and changing the own password.
import { createHash, randomBytes } from 'node:crypto'
import type { CurrentUser, InputOf, Language, ParsedInputFor } from '@voltkeep/contract'
import { authorityTypes, type changePassword, foldLoginName, type login } from '@voltkeep/contract'
import { hashPassword, verifyPassword } from '../../domain/access/accounts/passwords.ts'
import type { Actor, Client } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { withinLimit } from '../../platform/database/connections/time-limit.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { networkOf } from '../../platform/process/networks.ts'
import { type ApiKeys, isApiKey } from '../api-keys/index.ts'
import type { Menus } from '../menus/index.ts'
import type { Preferences } from '../preferences/index.ts'
import type { Roles } from '../roles/index.ts'
import { deleteOldAttempts } from './attempts.queries.ts'
import type { Attempts } from './attempts.service.ts'
import type { Browsers } from './browsers.service.ts'
import { createOnlineSessions } from './online.service.ts'
import * as queries from './sessions.queries.ts'
import type { Uses } from './uses.service.ts'

export interface SessionNeeds {
  db: Db
  menus: Pick<Menus, 'readTreeOf'>
  roles: Pick<Roles, 'listRolesOf'>
  preferences: Pick<Preferences, 'readPreferencesOf'>
  attempts: Attempts
  browsers: Browsers
  uses: Uses
  apiKeys: Pick<ApiKeys, 'authenticate' | 'authenticateAgain'>
  /** Of one user; one more ends the one that was used longest ago. */
  sessionsAtMost: number
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  db,
  menus,
  roles,
  preferences,
  attempts,
  browsers,
  uses,
  apiKeys,
  sessionsAtMost,
}: SessionNeeds) {
  const findActor = async (tokenHash: Buffer, client: Client): Promise<Actor> => {
    const session = await withinLimit(queries.findSession(db, tokenHash), { db })
    if (!session || session.isSignedOut) return refuse('tokenUnknown')
    const { userId, isEnded, isEnabled, isExpired, functionCodes, ...user } = session
    if (isEnded || userId === null || !isEnabled) return refuse('sessionEnded')
    if (isExpired) return refuse('sessionExpired')
    const { loginName, organizationId, isSystem, mustChangePassword } = user
    return {
      userId,
      loginName,
      organizationId,
      isSystem,
      mustChangePassword,
      makerId: null,
      functionCodes: new Set(functionCodes),
      tokenHash,
      client,
    }
  }

  /** The id of a browser with which the user of this name has signed in before. */
  const knownBrowser = async (cookie: string | undefined, loginName: string) => {
    const claim = await browsers.read(cookie)
    if (!claim) return undefined
    const owner = await withinLimit(
      attempts.limited(() => queries.findCredentials(db, loginName), {
        goesFirst: browsers.goesFirst(claim),
      }),
      { db },
    )
    return (await browsers.isKnown(claim, owner)) ? claim.id : undefined
  }

  /** Returns the token. Beyond the most sessions of a user the one used longest ago ends. */
  async function begin(found: queries.Credentials, client: Client): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    // Which session was used longest ago is decided by what is known, not by what happens to be written.
    await attempts.limited(() => uses.write())
    await attempts.limited(() =>
      db.transaction().execute(async (trx) => {
        if (!(await queries.insertSession(trx, hashOf(token), found, client))) refuse('wrongCredentials')
        await queries.endOldestSessions(trx, found.userId, {
          most: sessionsAtMost,
          exceptTokenHash: hashOf(token),
        })
        await recordOperation(trx, { ...found, client }, { target: `用户 ${found.loginName}` })
      }),
    )
    return token
  }

  return {
    ...createOnlineSessions(db),

    /** Uses a connection for a query of signing in, of which a limited number run at once. */
    limited: attempts.limited,

    /**
     * Returns a new token, and the cookie by which the browser is known from now on; `cookie` is the one that it has.
     * Refuses 400 `wrongCredentials`, the same for a wrong name, a wrong password and a disabled user, and 429 as
     * `asAttempt` does. A browser that has signed in as this user before is counted apart from strangers, who can
     * therefore not lock the user out of it. Beyond the most sessions of a user the one used longest ago ends.
     */
    async login(
      { loginname, password }: ParsedInputFor<typeof login>,
      client: Client,
      cookie: string | undefined,
      signal?: AbortSignal,
    ): Promise<{ token: string; browser: string; language: Language }> {
      const browserId = await knownBrowser(cookie, loginname)
      const name = foldLoginName(loginname)
      const key = browserId
        ? { name, address: ` browser ${browserId}` }
        : { name, address: networkOf(client.address) }
      let credentials: queries.Credentials | undefined
      const isRight = await attempts.asAttempt(
        key,
        async () => {
          credentials = await attempts.limited(() => queries.findCredentials(db, loginname))
          return verifyPassword(credentials?.passwordHash ?? null, password)
        },
        { isAlone: browserId !== undefined, ...(signal && { signal }) },
      )
      if (!isRight || !credentials) return refuse('wrongCredentials')
      const token = await begin(credentials, client)
      const { language } = credentials
      return { token, browser: await browsers.issue(credentials, browserId), language }
    },

    /** A session of a user whom somebody else has recognized. Refuses `signInNotAdmitted` for one who is disabled. */
    async beginSession(userId: number, client: Client): Promise<{ token: string; language: Language }> {
      const found = await attempts.limited(() => queries.findCredentialsOf(db, userId))
      if (!found) return refuse('signInNotAdmitted')
      return { token: await begin(found, client), language: found.language }
    },

    async logout(actor: Actor): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await queries.signOutSession(trx, actor.tokenHash)
        await recordOperation(trx, actor, { target: `用户 ${actor.loginName}` })
      })
    },

    /**
     * The user of the token, or the API key, as of now. Refuses `tokenUnknown` (50008), `sessionEnded` (50012) or
     * `sessionExpired` (50014), and what is refused of a key.
     */
    async authenticate(token: string, client: Client): Promise<Actor> {
      if (isApiKey(token)) return apiKeys.authenticate(token, client)
      const actor = await findActor(hashOf(token), client)
      uses.note(actor.tokenHash)
      return actor
    },

    /** The same during a call that goes on, e.g. a stream; does not prolong the session. */
    async authenticateAgain(actor: Actor): Promise<Actor> {
      if (actor.makerId !== null) return apiKeys.authenticateAgain(actor)
      return findActor(actor.tokenHash, actor.client)
    },

    /** Refuses `sessionEnded` where the user has been deleted. */
    async readCurrentUser(actor: Actor): Promise<InputOf<typeof CurrentUser>> {
      const user = (await queries.readUser(db, actor.userId)) ?? refuse('sessionEnded')
      const [resultVOS, tree, liked] = await Promise.all([
        roles.listRolesOf(actor),
        menus.readTreeOf(actor),
        preferences.readPreferencesOf(actor),
      ])
      return {
        ...user,
        resultVOS,
        tree,
        functionCodes: sorted(actor.functionCodes),
        mustChangePassword: actor.mustChangePassword,
        preferences: liked,
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

    /**
     * Ends the user's other sessions (50012) and keeps the one that makes the change. Every known browser is forgotten,
     * except the one that gets the answered cookie. Refuses 400 `wrongOldPassword`, 400 for a new password like the old
     * one, and 429 `tooManyTries`.
     */
    async changePassword(
      actor: Actor,
      { oldPassword, newPassword }: ParsedInputFor<typeof changePassword>,
    ): Promise<{ browser: string }> {
      const oldHash = await queries.readPasswordHash(db, actor.userId)
      // Counted like sign-ins but apart from them: an unattended browser must serve neither to guess the password
      // nor to lock its owner out. No login name begins with a blank.
      const key = { name: ` password of user ${actor.userId}`, address: ` session of user ${actor.userId}` }
      const check = () => verifyPassword(oldHash, oldPassword)
      const isRight = await attempts.asAttempt(key, check, { isAlone: true })
      if (!isRight || oldHash === null) throw wrongOldPassword()
      if (newPassword === oldPassword) {
        refuseInput({ field: 'newPassword', message: '新密码不能与原密码相同' })
      }
      const newHash = await hashPassword(newPassword)
      await db.transaction().execute(async (trx) => {
        // Of two changes at the same time the second finds another password than it checked.
        if (!(await queries.replacePassword(trx, actor.userId, oldHash, newHash))) throw wrongOldPassword()
        await queries.endSessions(trx, actor.userId, actor.tokenHash)
        await recordOperation(trx, actor, { target: `用户 ${actor.loginName}` })
      })
      return { browser: await browsers.issue({ userId: actor.userId, passwordHash: newHash }) }
    },

    /** Every session of the user answers 50012 from the commit on. */
    endSessionsOf: (trx: Trx, userId: number): Promise<void> => queries.endSessions(trx, userId, null),

    /** Deletes sessions and sign-in attempts that are no longer needed. */
    async forgetOldSessions(): Promise<void> {
      await queries.deleteOldSessions(db)
      await deleteOldAttempts(db)
    },
  }
}

const wrongOldPassword = () =>
  new Refusal('wrongOldPassword', [{ field: 'oldPassword', message: '原密码错误' }])

/** SHA-256 suffices, since the token is 256 random bits and cannot be guessed. */
const hashOf = (token: string) => createHash('sha256').update(token).digest()

const sorted = (codes: ReadonlySet<string>) => [...codes].sort()
