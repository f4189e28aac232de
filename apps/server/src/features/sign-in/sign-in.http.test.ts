// Signing in by a provider, against one that speaks OpenID Connect over TLS, well and badly.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  finishSignIn,
  insertSignInProvider,
  listSignInProviders,
  listUsers,
  login,
  nameSignInProviders,
  readCurrentUser,
  signInReturnPath,
  startSignIn,
  updateSignInProvider,
  updateUser,
} from '@voltkeep/contract'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { adminPassword, appOfTests } from '../../../test/app.ts'
import { createAuthority, skipsTls, trustAuthority } from '../../../test/certificates.ts'
import { endWithFile } from '../../../test/database.ts'
import { insertOrganization, insertRole, insertUser } from '../../../test/factories.ts'
import {
  clientId,
  clientSecret,
  type MakeToken,
  openIdentityProvider,
} from '../../../test/identity-provider.ts'
import type { Client } from '../../platform/calls/actor.ts'
import { ruleFor } from './rules.rules.ts'
import { createSignIn } from './sign-in.service.ts'

describe.skipIf(skipsTls)('signing in by a provider', async () => {
  if (skipsTls) return
  const authority = createAuthority(mkdtempSync(join(tmpdir(), 'voltkeep-oidc-')))
  trustAuthority(authority)
  const pair = authority.issue('localhost')
  const [idp, otherIdp] = [await openIdentityProvider(pair), await openIdentityProvider(pair)]
  endWithFile(async () => {
    await idp.close()
    await otherIdp.close()
  })
  const app = await appOfTests({ PUBLIC_URL: 'https://voltkeep.example.com' })
  const admin = await app.asAdmin()
  const organizationId = String(await insertOrganization(app.db))
  const otherOrganizationId = String(await insertOrganization(app.db))
  const roleId = String(await insertRole(app.db, { functionCodes: ['equip:list'] }))
  const otherRoleId = String(await insertRole(app.db, { functionCodes: ['alarm:page'] }))
  const formOf = ({ issuer }: { issuer: string }, name: string) => ({
    name,
    issuer,
    clientId,
    clientSecret,
    rules: [
      { claim: 'groups', value: 'leads', roleIds: [otherRoleId], organizationId: otherOrganizationId },
      { claim: 'groups', value: 'ops', roleIds: [roleId], organizationId },
    ],
  })
  const providerId = (await app.call(insertSignInProvider, formOf(idp, '公司账号'), admin)).data.id
  const otherProviderId = (await app.call(insertSignInProvider, formOf(otherIdp, '合作方'), admin)).data.id

  /** A browser: it keeps its cookie. */
  function browser() {
    let cookie = ''
    const send = async (path: string, body: object) => {
      const answer = await app.request(`/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      })
      const set = answer.headers.get('set-cookie')
      if (set) cookie = set.split(';')[0] ?? ''
      return answer
    }
    return {
      start: async (id = providerId) => {
        const { code, data } = await send(startSignIn.path.replace(':id', id), {})
        expect(code).toBe(200)
        return (data as { url: string }).url
      },
      finish: (input: object) => send(finishSignIn.path, input),
      dropCookie: () => {
        cookie = ''
      },
    }
  }
  const signIn = async (claims: JWTPayload, { at = idp, id = providerId } = {}) => {
    const own = browser()
    return own.finish(at.authorize(await own.start(id), claims))
  }
  const tokenOf = ({ data }: { data: unknown }) => (data as { token: string } | null)?.token ?? ''
  const sessions = async () =>
    (await sql<{ n: number }>`SELECT count(*)::int AS n FROM user_session`.execute(app.db)).rows[0]?.n
  const users = async () =>
    (await sql<{ n: number }>`SELECT count(*)::int AS n FROM app_user`.execute(app.db)).rows[0]?.n

  test('asks with code, PKCE, state and nonce, and with no two the same', async () => {
    expect((await app.call(nameSignInProviders, {})).data).toEqual(
      [
        { id: otherProviderId, name: '合作方' },
        { id: providerId, name: '公司账号' },
      ].toSorted((a, b) => a.name.localeCompare(b.name)),
    )
    const own = browser()
    const [first, second] = [new URL(await own.start()), new URL(await own.start())]
    expect(Object.fromEntries(first.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: `https://voltkeep.example.com${signInReturnPath}`,
      code_challenge_method: 'S256',
      scope: 'openid profile email',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.searchParams.get(name)?.length).toBeGreaterThanOrEqual(43)
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name))
    }
  })

  test('makes a user with the roles and the organization of the first rule that matches, once', async () => {
    const claims = { sub: 'wang', name: '王工', preferred_username: 'wang.g', groups: ['all', 'ops'] }
    const first = await signIn(claims)
    expect(first.code).toBe(200)
    const me = (await app.call(readCurrentUser, {}, tokenOf(first))).data
    expect(me).toMatchObject({
      userName: '王工',
      loginName: 'wang.g',
      organizationId,
      functionCodes: ['equip:list'],
      mustChangePassword: false,
    })
    const before = await users()
    const again = await signIn({ ...claims, name: '另一个名字' })
    expect((await app.call(readCurrentUser, {}, tokenOf(again))).data.id).toBe(me.id)
    expect(await users()).toBe(before)
    const { rows } = await sql<{ target: string }>`
      SELECT target FROM operation_log WHERE user_id = ${Number(me.id)} ORDER BY id`.execute(app.db)
    expect(rows[0]?.target).toBe('用户 wang.g（公司账号）')
  })

  test('two at once of one person make one user', async () => {
    const claims = { sub: 'twins', groups: 'ops' }
    const before = (await users()) ?? 0
    const answers = await Promise.all([signIn(claims), signIn(claims), signIn(claims)])
    expect(answers.map(({ code }) => code)).toEqual([200, 200, 200])
    expect(await users()).toBe(before + 1)
  })

  test('gives what the rules give now, and nothing where none matches any more', async () => {
    const first = await signIn({ sub: 'moves', groups: ['ops'] })
    const id = (await app.call(readCurrentUser, {}, tokenOf(first))).data.id
    const promoted = await signIn({ sub: 'moves', groups: ['leads'] })
    expect((await app.call(readCurrentUser, {}, tokenOf(promoted))).data).toMatchObject({
      id,
      organizationId: otherOrganizationId,
      functionCodes: ['alarm:page'],
    })
    expect(await signIn({ sub: 'moves', groups: ['guests'] })).toMatchObject({
      status: 403,
      refusal: 'signInNotAdmitted',
    })
    const { data } = await app.call(listUsers, { ids: [id] }, admin)
    await app.call(updateUser, { id, isEnabled: false, version: data[0]?.version }, admin)
    expect(await signIn({ sub: 'moves', groups: ['ops'] })).toMatchObject({ refusal: 'signInNotAdmitted' })
  })

  test('is never by a name or a mail address: neither takes over an account', async () => {
    const local = await insertUser(app.db, { loginName: 'li.ming' })
    const claims = {
      sub: 'stranger',
      groups: ['ops'],
      preferred_username: 'LI.MING',
      email: 'li.ming',
      email_verified: true,
    }
    const me = (await app.call(readCurrentUser, {}, tokenOf(await signIn(claims)))).data
    expect(me.id).not.toBe(String(local.id))
    expect(me.loginName).toMatch(/^LI\.MING\.[0-9a-f]{6}$/)
    const asAdmin = { sub: 'stranger2', groups: ['ops'], preferred_username: 'admin' }
    const second = (await app.call(readCurrentUser, {}, tokenOf(await signIn(asAdmin)))).data
    expect(second.loginName).toMatch(/^admin\./)
    // The same subject at another provider is somebody else.
    const elsewhere = await signIn({ sub: 'wang', groups: ['ops'] }, { at: otherIdp, id: otherProviderId })
    expect((await app.call(readCurrentUser, {}, tokenOf(elsewhere))).data.loginName).not.toBe('wang.g')
  })

  test('asks the provider for what the token does not say', async () => {
    idp.bent.userinfo = { sub: 'thin', groups: ['ops'] }
    expect((await signIn({ sub: 'thin' })).code).toBe(200)
    idp.bent.userinfo = { sub: 'somebody else', groups: ['ops'] }
    expect(await signIn({ sub: 'thin' })).toMatchObject({ refusal: 'signInFailed' })
    idp.bent.userinfo = null
  })

  test('counts a mail address only where it is verified', () => {
    const rules = [{ claim: 'email', value: 'a@b.cn', roleIds: [1], organizationId: 1 }]
    expect(ruleFor(rules, { email: 'a@b.cn', email_verified: true })).toBe(rules[0])
    for (const email_verified of [false, undefined, 'true', 1])
      expect(ruleFor(rules, { email: 'a@b.cn', email_verified })).toBeUndefined()
    expect(ruleFor([{ claim: '__proto__', value: '*', roleIds: [1], organizationId: 1 }], {})).toBeUndefined()
  })

  const claims = { sub: 'hostile', groups: ['ops'] }
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ownKey = (header: Record<string, unknown>) => (said: JWTPayload) =>
    new SignJWT(said).setProtectedHeader({ alg: 'RS256', kid: 'own', ...header }).sign(own.privateKey)
  const without = (said: JWTPayload, name: string) =>
    Object.fromEntries(Object.entries(said).filter(([key]) => key !== name))
  const nowS = () => Math.floor(Date.now() / 1000)
  const hostile: [string, MakeToken][] = [
    ['none', () => undefined],
    ['not signed (alg none)', (said) => `${encoded({ alg: 'none' })}.${encoded(said)}.`],
    [
      'said to be signed, without a signature',
      (said) => `${encoded({ alg: 'RS256', kid: 'own' })}.${encoded(said)}.`,
    ],
    [
      'signed with the client’s secret',
      (said) => new SignJWT(said).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret)),
    ],
    [
      'signed with the public key as a secret',
      (said) =>
        new SignJWT(said)
          .setProtectedHeader({ alg: 'HS256', kid: 'own' })
          .sign(Buffer.from(idp.publicKey.export({ type: 'spki', format: 'pem' }))),
    ],
    ['signed with another key of that name', ownKey({})],
    ['signed with a key that nobody knows', ownKey({ kid: 'foreign' })],
    ['that brings its own key', async (said) => ownKey({ jwk: await exportJWK(own.publicKey) })(said)],
    [
      'changed after it was signed',
      async (said, sign) => {
        const [head, , signature] = (await sign(said)).split('.')
        return `${head}.${encoded({ ...said, groups: ['leads'] })}.${signature}`
      },
    ],
    ['of another issuer', (said, sign) => sign({ ...said, iss: otherIdp.issuer })],
    ['of an issuer with a slash more', (said, sign) => sign({ ...said, iss: `${idp.issuer}/` })],
    ['without an issuer', (said, sign) => sign(without(said, 'iss'))],
    ['for another client', (said, sign) => sign({ ...said, aud: 'other' })],
    ['for others', (said, sign) => sign({ ...said, aud: ['other', 'another'] })],
    [
      'for several, and made for another',
      (said, sign) => sign({ ...said, aud: [clientId, 'other'], azp: 'other' }),
    ],
    ['without an audience', (said, sign) => sign(without(said, 'aud'))],
    ['that has expired', (said, sign) => sign({ ...said, iat: nowS() - 900, exp: nowS() - 120 })],
    ['without an end', (said, sign) => sign(without(said, 'exp'))],
    ['without a beginning', (said, sign) => sign(without(said, 'iat'))],
    ['that is not valid yet', (said, sign) => sign({ ...said, nbf: nowS() + 600 })],
    ['without a nonce', (said, sign) => sign(without(said, 'nonce'))],
    ['with another nonce', (said, sign) => sign({ ...said, nonce: randomUUID() })],
    ['without a subject', (said, sign) => sign(without(said, 'sub'))],
    ['with an empty subject', (said, sign) => sign({ ...said, sub: '' })],
    ['with a subject that is no text', (said, sign) => sign({ ...said, sub: 7 as unknown as string })],
    ['that is no token', () => 'x.y.z'],
  ]

  test.each(hostile)('begins no session by a token %s', async (_, token) => {
    const before = [await sessions(), await users()]
    idp.bent.token = token
    const answer = await signIn(claims)
    idp.bent.token = null
    expect(answer).toMatchObject({ status: 400, refusal: 'signInFailed', data: null })
    expect([await sessions(), await users()]).toEqual(before)
  })

  test('and begins one by the token that nobody has bent', async () => {
    expect((await signIn(claims)).code).toBe(200)
  })

  describe('is finished', () => {
    const refused = { status: 400, refusal: 'signInFailed' }

    test('once, and by the browser that began it', async () => {
      const mine = browser()
      const back = idp.authorize(await mine.start(), claims)
      // Somebody else's browser is led to the address of return: it would be signed in as the stranger.
      const theirs = browser()
      await theirs.start()
      const asked = idp.tokensAsked
      expect(await theirs.finish(back)).toMatchObject(refused)
      expect(await mine.finish(back)).toMatchObject(refused)
      expect(idp.tokensAsked).toBe(asked)
      const again = idp.authorize(await mine.start(), claims)
      expect((await mine.finish(again)).code).toBe(200)
      expect(await mine.finish(again)).toMatchObject(refused)
    })

    test('not without its cookie, nor with a state, a code or an issuer of another one', async () => {
      const mine = browser()
      const back = async () => idp.authorize(await mine.start(), claims)
      const one = await back()
      mine.dropCookie()
      expect(await mine.finish(one)).toMatchObject(refused)
      expect(await mine.finish({ ...(await back()), state: randomUUID() })).toMatchObject(refused)
      expect(await mine.finish({ ...(await back()), code: randomUUID() })).toMatchObject(refused)
      // A code that was bound to another verifier.
      const [first, second] = [await back(), await back()]
      expect(await mine.finish({ ...first, code: second.code })).toMatchObject(refused)
      expect(await mine.finish({ ...(await back()), iss: otherIdp.issuer })).toMatchObject(refused)
      const { iss: _, ...silent } = await back()
      expect(await mine.finish(silent)).toMatchObject(refused)
      expect(await mine.finish({ ...(await back()), error: 'access_denied' })).toMatchObject(refused)
    })

    test('not after ten minutes, and not once the provider is switched off', async () => {
      const mine = browser()
      const late = idp.authorize(await mine.start(), claims)
      await sql`UPDATE sign_in_request SET created_at = created_at - interval '11 minutes'`.execute(app.db)
      expect(await mine.finish(late)).toMatchObject(refused)
      const back = otherIdp.authorize(await mine.start(otherProviderId), claims)
      await sql`UPDATE sign_in_provider SET is_enabled = false WHERE id = ${Number(otherProviderId)}`.execute(
        app.db,
      )
      expect(await mine.finish(back)).toMatchObject({ refusal: 'signInProviderNotFound' })
    })
  })

  test('is begun and finished whatever number a stranger has begun: who has most under way gives way', async () => {
    const [early, late] = [browser(), browser()]
    const before = idp.authorize(await early.start(), { sub: 'early', groups: ['ops'] })
    await sql`
      INSERT INTO sign_in_request (state_hash, provider_id, browser_hash, nonce, verifier, network)
      SELECT sha256(n::text::bytea), ${Number(providerId)}, 'x', 'x', 'x', '2001:db8:0:' || to_hex(n) || '::/64'
      FROM generate_series(1, 10000) n`.execute(app.db)
    // It is looked at once a second.
    await delay(1_000)
    const after = idp.authorize(await late.start(), { sub: 'late', groups: ['ops'] })
    const { rows } = await sql<{ isOurs: boolean; n: number }>`
      SELECT network NOT LIKE '2001:db8:0:%' AS "isOurs", count(*)::int AS n FROM sign_in_request GROUP BY 1 ORDER BY n`.execute(
      app.db,
    )
    expect(rows).toEqual([
      { isOurs: true, n: 2 },
      { isOurs: false, n: 9_999 },
    ])
    expect(await early.finish(before)).toMatchObject({ code: 200 })
    expect(await late.finish(after)).toMatchObject({ code: 200 })
    await sql`DELETE FROM sign_in_request`.execute(app.db)
  })

  const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? ''
  /** The service, which writes down what it does. */
  function observed() {
    const did: string[] = []
    const service = createSignIn({
      db: app.db,
      log: { warn: () => {} },
      sealer: { seal: (text) => text, open: () => clientSecret, mark: (text) => text },
      ownAddress: () => 'https://voltkeep.example.com',
      sessions: {
        beginSession: async () => ({ token: '', language: 'zh' }),
        limited: (work) => {
          did.push('query')
          return work()
        },
      },
    })
    const turn = { leaveTurn: () => void did.push('leave'), takeTurn: async () => void did.push('take') }
    return { did, service, turn }
  }
  const caller: Client = {
    address: '203.0.113.7',
    userAgent: null,
    requestId: 'r',
    call: '/signIn',
    summary: '',
  }

  test('is begun and finished by a stranger in a turn and within the queries of signing in, except while the provider is asked', async () => {
    const { did, service, turn } = observed()
    const { url } = await service.startSignIn({ id: providerId }, caller, undefined, turn)
    expect(did.splice(0)).toEqual(['query', 'leave', 'take', 'query'])
    const finish = { state: stateOf(url), code: 'x' }
    await expect(service.finishSignIn(finish, caller, 'other', turn)).rejects.toMatchObject({
      refusal: 'signInFailed',
    })
    expect(did).toEqual(['query'])
  })

  test('is looked through once a second, however many begin, and the sites that have most give way alike', async () => {
    await sql`DELETE FROM sign_in_request`.execute(app.db)
    await sql`
      INSERT INTO sign_in_request (state_hash, provider_id, browser_hash, nonce, verifier, network)
      SELECT sha256(n::text::bytea), ${Number(providerId)}, 'x', 'x', 'x',
        CASE WHEN n <= 6000 THEN 'a' WHEN n <= 11500 THEN 'b' ELSE 'c' END
      FROM generate_series(1, 12000) n`.execute(app.db)
    const count = async () =>
      (
        await sql<{ network: string; n: number }>`
          SELECT network, count(*)::int AS n FROM sign_in_request GROUP BY 1 ORDER BY 1 DESC`.execute(app.db)
      ).rows.map(({ network, n }) => [network, n])
    const { service, turn } = observed()
    const begin = () => service.startSignIn({ id: providerId }, caller, undefined, turn)
    await begin()
    const after = [
      ['c', 500],
      ['b', 4_750],
      ['a', 4_750],
    ]
    expect(await count()).toEqual([...after, ['203.0.113.7', 1]])
    for (let n = 0; n < 5; n += 1) await begin()
    expect(await count()).toEqual([...after, ['203.0.113.7', 6]])
    await sql`DELETE FROM sign_in_request`.execute(app.db)
  })

  test('leaves passwords as they are: with the provider away an administrator signs in', async () => {
    const away = await openIdentityProvider(pair)
    const { data } = await app.call(insertSignInProvider, formOf(away, '离线'), admin)
    away.bent.isAway = true
    const answer = await app.call(startSignIn, { id: data.id })
    expect(answer).toMatchObject({ status: 503, refusal: 'signInProviderAway' })
    expect((await app.call(login, { loginname: 'admin', password: adminPassword })).code).toBe(200)
    await away.close()
  })

  describe('a provider', () => {
    test('gives no role that is SYSTEM, and is kept by SYSTEM users alone', async () => {
      const form = formOf(idp, '越权')
      const asSystem = { ...form, rules: [{ claim: 'groups', value: '*', roleIds: ['1'], organizationId }] }
      expect(await app.call(insertSignInProvider, asSystem, admin)).toMatchObject({
        code: 400,
        data: [{ field: 'rules.0.roleIds' }],
      })
      const { token } = await app.asUser({ functionCodes: ['equip:list'] })
      expect(await app.call(insertSignInProvider, form, token)).toMatchObject({ refusal: 'notPermitted' })
      expect(
        await app.call(insertSignInProvider, { ...form, issuer: 'http://localhost' }, admin),
      ).toMatchObject({
        code: 400,
        data: [{ field: 'issuer' }],
      })
    })

    test('never shows its secret, and takes it to no other issuer', async () => {
      const list = await app.call(listSignInProviders, {}, admin)
      expect(list.text).not.toContain(clientSecret)
      const kept = await app.db.selectFrom('sign_in_provider').select('client_secret').execute()
      expect(JSON.stringify(kept)).not.toContain(clientSecret)
      const own = list.data.find(({ id }) => id === providerId)
      expect(own).toMatchObject({ hasSecret: true, returnAddress: 'https://voltkeep.example.com/login' })
      const { clientSecret: _, ...form } = formOf(otherIdp, '公司账号')
      const moved = await app.call(
        updateSignInProvider,
        { ...form, id: providerId, version: own?.version },
        admin,
      )
      expect(moved).toMatchObject({ code: 400, data: [{ field: 'clientSecret' }] })
    })
  })
})
