// Signing in by WeCom, DingTalk and Feishu, against imitations that speak as they do, well and badly.
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  finishSignIn,
  insertSignInProvider,
  listSignInProviders,
  login,
  readCurrentUser,
  startSignIn,
  updateSignInProvider,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { adminPassword, appOfTests } from '../../../test/app.ts'
import { createAuthority, skipsTls, trustAuthority } from '../../../test/certificates.ts'
import { type CompanyKindName, type Member, openCompanyProvider } from '../../../test/company-providers.ts'
import { endWithFile } from '../../../test/database.ts'
import { insertOrganization, insertRole, insertUser } from '../../../test/factories.ts'
import { companies } from './companies/index.ts'

const kinds: readonly CompanyKindName[] = ['wecom', 'dingtalk', 'feishu']
const began = { returnAddress: 'https://voltkeep.example.com/login', state: 's', verifier: 'v' }

test.each([
  ['wecom', 'https://login.work.weixin.qq.com/wwlogin/sso/login'],
  ['dingtalk', 'https://login.dingtalk.com/oauth2/auth'],
  ['feishu', 'https://accounts.feishu.cn/open-apis/authen/v1/authorize'],
] as const)('%s is in its public cloud unless another address is given', (kind, page) => {
  const company = { corpId: 'c', clientId: 'a', clientSecret: 's', address: null }
  expect(companies[kind].authorizeAddress(company, began).split('?')[0]).toBe(page)
})

describe.skipIf(skipsTls)('signing in by a company', async () => {
  if (skipsTls) return
  const authority = createAuthority(mkdtempSync(join(tmpdir(), 'voltkeep-companies-')))
  trustAuthority(authority)
  const pair = authority.issue('localhost')
  const app = await appOfTests({ PUBLIC_URL: 'https://voltkeep.example.com' })
  const admin = await app.asAdmin()
  const organizationId = String(await insertOrganization(app.db))
  const roleId = String(await insertRole(app.db, { functionCodes: ['equip:list'] }))
  const leadRoleId = String(await insertRole(app.db, { functionCodes: ['alarm:page'] }))

  const worlds = await Promise.all(
    kinds.map(async (kind) => {
      const provider = await openCompanyProvider(kind, pair, {
        corpId: `corp-${kind}`,
        clientId: `1000${kind}`,
        clientSecret: `secret-of-the-app-of-${kind}`,
      })
      endWithFile(() => provider.close())
      const form = {
        kind,
        name: `由 ${kind}`,
        address: provider.url,
        ...provider.app,
        rules: [
          { claim: 'department', value: '77', roleIds: [leadRoleId], organizationId },
          { claim: 'department', value: '12', roleIds: [roleId], organizationId },
        ],
      }
      const made = await app.call(insertSignInProvider, form, admin)
      expect([made.code, made.message]).toEqual([200, '创建成功'])
      return { kind, provider, form, id: made.data.id }
    }),
  )
  let count = 0
  const member = (more: Partial<Member> = {}): Member => {
    count += 1
    return {
      userid: `user${count}`,
      unionid: `union${count}`,
      name: `员工${count}`,
      departments: [1, 12],
      ...more,
    }
  }

  /** A browser: it keeps its cookie. */
  function browser() {
    let cookie = ''
    const send = async (path: string, body: object) => {
      const answer = await app.request(`/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      })
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return answer
    }
    return {
      async start(id: string) {
        const answer = await send(startSignIn.path.replace(':id', id), {})
        expect(answer.code).toBe(200)
        return (answer.data as { url: string }).url
      },
      finish: (input: object) => send(finishSignIn.path, input),
    }
  }
  const refused = { status: 400, refusal: 'signInFailed' }
  const notAdmitted = { status: 403, refusal: 'signInNotAdmitted' }
  const counts = async () =>
    (
      await sql<{ sessions: number; users: number }>`
        SELECT (SELECT count(*)::int FROM user_session) AS sessions, (SELECT count(*)::int FROM app_user) AS users`.execute(
        app.db,
      )
    ).rows[0]

  describe.each(worlds)('$kind', ({ kind, provider, id, form }) => {
    const signIn = async (who: Member) => {
      const own = browser()
      return own.finish(provider.authorize(await own.start(id), who))
    }
    const me = async ({ data }: { data: unknown }) =>
      (await app.call(readCurrentUser, {}, (data as { token: string } | null)?.token ?? '')).data

    test('makes a user of a member once, with the roles of the first rule that matches', async () => {
      const who = member()
      const first = await signIn(who)
      expect(first.code).toBe(200)
      expect(await me(first)).toMatchObject({
        userName: who.name,
        loginName: who.userid,
        organizationId,
        functionCodes: ['equip:list'],
      })
      const before = await counts()
      const again = await signIn({ ...who, name: '改名', departments: [77] })
      expect(await me(again)).toMatchObject({ id: (await me(first)).id, functionCodes: ['alarm:page'] })
      expect((await counts())?.users).toBe(before?.users)
      const { rows } = await sql<{ issuer: string; subject: string }>`
        SELECT issuer, subject FROM sign_in_identity i JOIN app_user u ON u.id = i.user_id
        WHERE u.login_name = ${who.userid}`.execute(app.db)
      const subject = kind === 'wecom' ? who.userid : who.unionid
      expect(rows).toEqual([{ issuer: `${kind}:${provider.app.corpId}`, subject }])
    })

    test('takes over no account of that name, and has no address of mail to go by', async () => {
      const who = member()
      const local = await insertUser(app.db, { loginName: who.userid })
      const came = await me(await signIn(who))
      expect(came.id).not.toBe(String(local.id))
      expect(came.loginName).toMatch(new RegExp(`^${who.userid}\\.[0-9a-f]{6}$`))
      const mail = { claim: 'email', value: 'a@b.cn', roleIds: [roleId], organizationId }
      const byMail = { ...form, name: `邮箱 ${kind}`, rules: [mail] }
      const made = await app.call(insertSignInProvider, byMail, admin)
      const own = browser()
      const back = provider.authorize(await own.start(made.data.id), member())
      expect(await own.finish(back)).toMatchObject(notAdmitted)
    })

    test.each<[string, Partial<Member>]>([
      ['of another company', { isForeign: true }],
      ['an outside contact', kind === 'feishu' ? { isForeign: true } : { isOutside: true }],
      ['somebody who has left', { hasLeft: true }],
      ['of no department that a rule names', { departments: [5] }],
    ])('lets nobody in who is %s', async (_, more) => {
      const before = await counts()
      expect(await signIn(member(more))).toMatchObject(notAdmitted)
      expect(await counts()).toEqual(before)
    })

    test('is finished once, by the browser that began it, with its own state and code', async () => {
      const before = await counts()
      const [mine, theirs] = [browser(), browser()]
      const back = provider.authorize(await mine.start(id), member())
      await theirs.start(id)
      const asked = provider.asked.length
      expect(await theirs.finish(back)).toMatchObject(refused)
      expect(await mine.finish(back)).toMatchObject(refused)
      expect(await mine.finish({ state: randomUUID(), code: randomUUID() })).toMatchObject(refused)
      expect(provider.asked.length).toBe(asked)
      // A code that was used, one that nobody gave, none, and a word of refusal.
      const used = provider.authorize(await mine.start(id), member())
      expect((await mine.finish(used)).code).toBe(200)
      expect(await mine.finish(used)).toMatchObject(refused)
      const { state } = provider.authorize(await mine.start(id), member())
      expect(await mine.finish({ state, code: used.code })).toMatchObject(refused)
      const next = async () => provider.authorize(await mine.start(id), member())
      expect(await mine.finish({ state: (await next()).state })).toMatchObject(refused)
      expect(await mine.finish({ ...(await next()), error: 'access_denied' })).toMatchObject(refused)
      expect((await counts())?.sessions).toBe((before?.sessions ?? 0) + 1)
    })

    if (kind === 'feishu')
      test('a code is of no use to another sign-in: it is bound to its verifier', async () => {
        const mine = browser()
        const first = provider.authorize(await mine.start(id), member())
        const second = provider.authorize(await mine.start(id), member())
        expect(await mine.finish({ state: second.state, code: first.code })).toMatchObject(refused)
      })

    test('asks for a token of its app anew where the provider knows the former no more', async () => {
      expect((await signIn(member())).code).toBe(200)
      provider.forgetTokens()
      expect((await signIn(member())).code).toBe(200)
    })

    const identity = {
      wecom: 'auth/getuserinfo',
      dingtalk: 'contact/users/me',
      feishu: 'authen/v1/user_info',
    }[kind]
    const codeOf = {
      wecom: [200, { errcode: 40_029, errmsg: 'invalid code', userid: 'boss' }],
      dingtalk: [200, { code: 'InvalidAuthentication', message: 'no', unionId: 'boss' }],
      feishu: [200, { code: 20_005, msg: 'no', data: { union_id: 'boss', tenant_key: provider.app.corpId } }],
    }[kind] as [number, object]
    test.each<[string, [number, object], object]>([
      ['a refusal with HTTP 200', codeOf, refused],
      ['nothing', [200, {}], refused],
      [
        'somebody without a name',
        [200, { errcode: 0, code: kind === 'feishu' ? 0 : undefined, data: {} }],
        refused,
      ],
      [
        'an id that is no text',
        [
          200,
          {
            errcode: 0,
            userid: 7,
            unionId: 7,
            ...(kind === 'feishu' && { code: 0, data: { tenant_key: provider.app.corpId, union_id: 7 } }),
          },
        ],
        refused,
      ],
      ['that it is out of order', [502, {}], { status: 503, refusal: 'signInProviderAway' }],
      ['no object', [200, ['boss']], { status: 503, refusal: 'signInProviderAway' }],
    ])('begins no session where it answers %s', async (_, answer, expected) => {
      const before = await counts()
      provider.bent.set(identity, answer)
      const came = await signIn(member())
      provider.bent.clear()
      expect(came).toMatchObject(expected)
      expect(came.text).not.toMatch(/boss|40029|secret/)
      expect(await counts()).toEqual(before)
    })

    test('with a wrong secret lets nobody in, and the log says neither secret nor code', async () => {
      const wrong = 'wrong-secret-that-is-long'
      const made = await app.call(
        insertSignInProvider,
        { ...form, name: `错误 ${kind}`, clientSecret: wrong },
        admin,
      )
      const own = browser()
      const back = provider.authorize(await own.start(made.data.id), member())
      expect(await own.finish(back)).toMatchObject(refused)
      const log = app.logged.join('\n')
      expect(log).not.toContain(wrong)
      expect(log).not.toContain(provider.app.clientSecret)
      expect(log).not.toContain(back.code)
    })
  })

  test('leaves passwords as they are', async () => {
    expect((await app.call(login, { loginname: 'admin', password: adminPassword })).code).toBe(200)
  })

  describe('a provider', () => {
    const [{ form, id }] = worlds as [(typeof worlds)[number]]

    test('needs what its kind needs', async () => {
      const fieldsOf = async (more: object) => {
        const { code, data } = await app.call(insertSignInProvider, { ...form, name: '缺', ...more }, admin)
        return [code, (data as unknown as { field: string }[] | null)?.[0]?.field]
      }
      expect(await fieldsOf({ corpId: undefined })).toEqual([400, 'corpId'])
      expect(await fieldsOf({ clientSecret: undefined })).toEqual([400, 'clientSecret'])
      expect(await fieldsOf({ corpId: 'a:b' })).toEqual([400, 'corpId'])
      expect(await fieldsOf({ address: 'http://inside' })).toEqual([400, 'address'])
      expect(await fieldsOf({ kind: 'oidc' })).toEqual([400, 'issuer'])
      expect(await fieldsOf({ kind: 'github' })).toEqual([400, 'kind'])
    })

    test('takes its secret to no other company, app or address, and stays of its kind', async () => {
      const { data } = await app.call(listSignInProviders, { pageSize: 100 }, admin)
      const version = data.find((row) => row.id === id)?.version
      const { clientSecret: _, ...kept } = form
      const change = async (more: object) => {
        const input = { ...kept, id, version, ...more }
        const answer = await app.call(updateSignInProvider, input, admin)
        return [answer.code, (answer.data as unknown as { field: string }[] | null)?.[0]?.field]
      }
      for (const more of [
        { corpId: 'other' },
        { clientId: '1' },
        { address: 'https://elsewhere.example.com' },
      ])
        expect(await change(more)).toEqual([400, 'clientSecret'])
      expect(await change({ kind: 'feishu' })).toEqual([400, 'kind'])
      expect(await change({ name: '改了名' })).toEqual([200, undefined])
    })
  })
})
