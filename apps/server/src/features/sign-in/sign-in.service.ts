// A person comes by the company's provider: known by issuer and subject, admitted by a rule, and given its roles and its
// organization, each time anew.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type finishSignIn,
  insertUser,
  type Language,
  type ParsedInputFor,
  signInReturnPath,
  type startSignIn,
} from '@voltkeep/contract'
import * as z from 'zod/mini'
import { hashPassword, randomPassword } from '../../domain/access/accounts/passwords.ts'
import type { Client as Caller } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { networkOf } from '../../platform/process/networks.ts'
import type { Sealer } from '../../platform/process/sealing.ts'
import { spoken } from '../../platform/process/sentences.ts'
import type { Sessions } from '../sessions/index.ts'
import { companies, Stranger } from './companies/index.ts'
import { beginAt, finishAt, type Person } from './oidc.ts'
import { ProviderAway } from './provider-away.ts'
import { findProvider, type KeptRule, type ProviderRecord } from './providers.queries.ts'
import { secretPurpose } from './providers.service.ts'
import { type Claims, ruleFor } from './rules.rules.ts'
import * as queries from './sign-in.queries.ts'

export interface SignInNeeds {
  db: Db
  log: Pick<Log, 'warn'>
  sealer: Sealer
  ownAddress: () => string
  sessions: Pick<Sessions, 'beginSession' | 'limited'>
}

/** Of a stranger's call. */
interface TurnOfCall {
  leaveTurn(): void
  takeTurn(): Promise<void>
}

export type SignIn = ReturnType<typeof createSignIn>

/** How long a browser is known that has begun a sign-in. */
export const browserSeconds = queries.requestMinutes * 60

const forgetsEveryMs = 1_000

const hashOf = (text: string) => createHash('sha256').update(text).digest()

export function createSignIn({ db, log, sealer, ownAddress, sessions }: SignInNeeds) {
  const complain = createComplaints((failure, count) =>
    log.warn(
      { ...(failure as object), count },
      spoken({ zh: '企业登录失败', en: 'a sign-in by an identity provider failed' }),
    ),
  )
  const returnAddress = () => ownAddress() + signInReturnPath

  function secretOf({ clientSecret }: ProviderRecord): string | null {
    const secret = clientSecret === null ? null : sealer.open(clientSecret, secretPurpose)
    if (clientSecret !== null && secret === null)
      throw new ProviderAway('the secret was sealed with another key')
    return secret
  }

  async function begin(provider: ProviderRecord) {
    const { kind, issuer, clientId, scopes } = provider
    const clientSecret = secretOf(provider)
    if (kind === 'oidc') return beginAt({ issuer, clientId, clientSecret }, scopes, returnAddress())
    const began = { returnAddress: returnAddress(), state: randomText(), verifier: randomText() }
    const url = companies[kind].authorizeAddress(companyOf(provider, clientSecret), began)
    return { url, state: began.state, nonce: '', verifier: began.verifier }
  }

  async function finish(
    provider: ProviderRecord,
    input: ParsedInputFor<typeof finishSignIn>,
    request: queries.SignInRequest,
    isEnough: (claims: Claims) => boolean,
  ): Promise<Person> {
    const { kind, issuer, clientId } = provider
    const clientSecret = secretOf(provider)
    if (kind === 'oidc') {
      const returned = new URL(returnAddress())
      for (const name of ['state', 'code', 'iss', 'error'] as const)
        if (input[name] !== undefined) returned.searchParams.set(name, input[name])
      return finishAt(
        { issuer, clientId, clientSecret },
        returned,
        { ...request, state: input.state },
        isEnough,
      )
    }
    if (input.error !== undefined || input.code === undefined) throw new Error('came back without a code')
    const began = { returnAddress: returnAddress(), verifier: request.verifier }
    const company = companyOf(provider, clientSecret)
    return { issuer, ...(await companies[kind].finish(company, input.code, began, isEnough)) }
  }

  async function enabledProvider(id: number): Promise<ProviderRecord> {
    const provider = await sessions.limited(() => findProvider(db, id))
    return provider?.isEnabled ? provider : refuse('signInProviderNotFound')
  }

  let forgotMs = Number.NEGATIVE_INFINITY
  async function forgetRequests(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - forgotMs < forgetsEveryMs) return
    forgotMs = nowMs
    await queries.forgetRequests(db)
  }

  /** What the library says is for the log; who signs in learns that it failed. */
  const failed = (provider: ProviderRecord, err: unknown): never => {
    complain({ err, provider: provider.name })
    if (err instanceof Stranger) return refuse('signInNotAdmitted')
    return refuse(err instanceof ProviderAway ? 'signInProviderAway' : 'signInFailed')
  }

  return {
    nameSignInProviders: () => queries.nameEnabled(db),

    /**
     * Refuses `signInProviderNotFound` and 503 `signInProviderAway`. Whoever calls is a stranger: each statement is one of
     * the few of signing in, and the call has no turn only while the provider may be asked.
     */
    async startSignIn(
      { id }: ParsedInputFor<typeof startSignIn>,
      { address }: Pick<Caller, 'address'>,
      cookie: string | undefined,
      { leaveTurn, takeTurn }: TurnOfCall,
    ) {
      const provider = await enabledProvider(idNumber(id))
      leaveTurn()
      const begun = await Promise.resolve()
        .then(() => begin(provider))
        .catch((error: unknown) => failed(provider, error))
      await takeTurn()
      // Several tabs of a browser share it.
      const browser =
        cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : randomBytes(32).toString('base64url')
      const { nonce, verifier } = begun
      const request = { providerId: provider.id, browserHash: hashOf(browser), nonce, verifier }
      await sessions.limited(async () => {
        await forgetRequests()
        await queries.insertRequest(db, hashOf(begun.state), request, networkOf(address))
      })
      return { url: begun.url, browser }
    },

    /**
     * Begins a session. Refuses 400 `signInFailed` for whatever is not as it must be, 403 `signInNotAdmitted` for whom no
     * rule lets in or whose account is disabled, and 503 `signInProviderAway`.
     */
    async finishSignIn(
      input: ParsedInputFor<typeof finishSignIn>,
      caller: Caller,
      cookie: string | undefined,
      { leaveTurn }: Pick<TurnOfCall, 'leaveTurn'>,
    ): Promise<{ token: string; language: Language }> {
      const request = await sessions.limited(() => queries.takeRequest(db, hashOf(input.state)))
      // Another browser has begun it: somebody's own sign-in would be finished in a stranger's.
      if (!request || !timingSafeEqual(request.browserHash, hashOf(cookie ?? '')))
        return refuse('signInFailed')
      const provider = await enabledProvider(request.providerId)
      leaveTurn()
      const { rules } = provider
      const isEnough = (claims: Claims) => rules.every(({ claim }) => Object.hasOwn(claims, claim))
      const person = await Promise.resolve()
        .then(() => finish(provider, input, request, isEnough))
        .catch((error: unknown) => failed(provider, error))
      const rule = ruleFor(rules, person.claims)
      if (!rule) {
        complain({ provider: provider.name, subject: person.subject, reason: 'no rule' })
        return refuse('signInNotAdmitted')
      }
      // Hashing takes long, so it is done before anything is locked. Nobody knows the password.
      const passwordHash = await hashPassword(randomPassword())
      const userId = await db
        .transaction()
        .execute((trx) => admit(trx, { person, rule, provider, passwordHash, caller }))
      return sessions.beginSession(userId, caller)
    },
  }
}

const randomText = () => randomBytes(32).toString('base64url')

const companyOf = ({ corpId, clientId, address }: ProviderRecord, clientSecret: string | null) => ({
  corpId: corpId ?? '',
  clientId,
  clientSecret: clientSecret ?? '',
  address,
})

interface Admission {
  person: Person
  rule: KeptRule
  provider: ProviderRecord
  passwordHash: string
  caller: Caller
}

/** The person's user: a new one, or the known one with what the rule gives now. */
async function admit(trx: Trx, { person, rule, provider, passwordHash, caller }: Admission): Promise<number> {
  const { issuer, subject, claims } = person
  const roles = await queries.existingRoles(trx, rule.roleIds)
  const organization = await queries.organizationName(trx, rule.organizationId)
  if (roles.length === 0 || organization === undefined) return refuse('signInNotAdmitted')
  const roleIds = roles.map(({ id }) => id)
  const shown = { organization, roles: roles.map(({ name }) => name) }
  const known = await queries.lockPerson(trx, issuer, subject)
  if (known) {
    if (!known.isEnabled) return refuse('signInNotAdmitted')
    const isSameRoles = known.isSystem || roleIds.join() === known.roleIds.join()
    const isMoved = known.organizationId !== rule.organizationId
    if (isSameRoles && !isMoved) return known.userId
    if (isMoved) await queries.moveUser(trx, known.userId, rule.organizationId)
    await queries.writeRoles(trx, known.userId, roleIds)
    await recordOperation(
      trx,
      { ...known, client: caller },
      { target: `用户 ${known.loginName}（${provider.name}）`, changes: { after: shown } },
    )
    return known.userId
  }
  const loginName = await freeLoginName(trx, claims)
  const userName = nameOf(claims) ?? loginName
  const { organizationId } = rule
  const user = { loginName, userName, passwordHash, organizationId, roleIds }
  const userId = await queries.insertPerson(trx, { issuer, subject }, user)
  // Somebody has taken the name at this moment: the next try finds another one.
  if (userId === undefined) return refuse('signInFailed')
  await recordOperation(
    trx,
    { userId, loginName, organizationId, isSystem: false, client: caller },
    {
      target: `用户 ${loginName}（${provider.name}）`,
      changes: { after: { loginName, userName, ...shown } },
    },
  )
  return userId
}

const loginNameRule = insertUser.input.shape.loginName
const userNameRule = insertUser.input.shape.userName

const parsed = <Output>(schema: z.ZodMiniType<Output>, value: unknown): Output | undefined => {
  const result = z.safeParse(schema, value)
  return result.success ? result.data : undefined
}

const nameOf = ({ name, preferred_username: username }: Claims) =>
  parsed(userNameRule as unknown as z.ZodMiniType<string>, name) ??
  parsed(userNameRule as unknown as z.ZodMiniType<string>, username)

/** The name at the provider, where it is one and nobody has it; never that of somebody else's account. */
async function freeLoginName(trx: Trx, { preferred_username: wanted }: Claims): Promise<string> {
  const rule = loginNameRule as unknown as z.ZodMiniType<string>
  const base = (parsed(rule, wanted) ?? 'sso').slice(0, 50)
  if (base !== 'sso' && !(await queries.isLoginNameTaken(trx, base))) return base
  for (;;) {
    const name = `${base}.${randomBytes(3).toString('hex')}`
    if (!(await queries.isLoginNameTaken(trx, name))) return name
  }
}
