// Feishu (飞书), and Lark by its address: OAuth 2.0 with PKCE; `code` says what an answer is, whatever HTTP's status.

import { createHash } from 'node:crypto'
import { ProviderAway } from '../provider-away.ts'
import { keepTokens } from './app-tokens.ts'
import { ask, claimsOf, identifier, objectOf, ProviderRefusal, type Said, Stranger } from './asking.ts'
import { type Company, type CompanyKind, withQuery } from './company.ts'

const hosts = { pages: 'https://accounts.feishu.cn', calls: 'https://open.feishu.cn' }

const tokenCodes = new Set<unknown>([99_991_663, 99_991_664, 99_991_668])
/** The app may not see this member in the directory. */
const unseenCodes = new Set<unknown>([41_050, 40_004, 99_991_672])
/** The provider's own errors. */
const busyCodes = new Set<unknown>([20_050, 20_072, 1_551, 55_001])

async function call({ address }: Company, path: string, content: Parameters<typeof ask>[2]): Promise<Said> {
  const { said } = await ask(path, `${address ?? hosts.calls}/open-apis/${path}`, content)
  if (busyCodes.has(said.code)) throw new ProviderAway(`${path}: ${String(said.code)}`)
  if (said.code !== 0) throw new ProviderRefusal(path, said.code, said.msg ?? said.error_description)
  return said
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

const tokens = keepTokens(async (company) => {
  const path = 'auth/v3/tenant_access_token/internal'
  const { clientId: app_id, clientSecret: app_secret } = company
  const said = await call(company, path, { body: { app_id, app_secret } })
  return { text: identifier(path, said.tenant_access_token), lifeSeconds: Number(said.expire) || 0 }
})

/** What the company's directory has of a member; null where the app may not see it. */
async function memberOf(company: Company, unionId: string): Promise<Said | null> {
  const path = `contact/v3/users/${encodeURIComponent(unionId)}`
  const query = { user_id_type: 'union_id', department_id_type: 'open_department_id' }
  const asApp = async () => call(company, path, { query, ...bearer(await tokens.of(company)) })
  try {
    const { data } = await asApp().catch((error: unknown) => {
      if (!(error instanceof ProviderRefusal) || !tokenCodes.has(error.code)) throw error
      tokens.forget(company)
      return asApp()
    })
    return objectOf(objectOf(data).user)
  } catch (error) {
    if (error instanceof ProviderRefusal && unseenCodes.has(error.code)) return null
    throw error
  }
}

export const feishu: CompanyKind = {
  authorizeAddress: ({ address, clientId }, { returnAddress, state, verifier }) =>
    withQuery(`${address ?? hosts.pages}/open-apis/authen/v1/authorize`, {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: returnAddress,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),

  async finish(company, code, { returnAddress, verifier }, isEnough) {
    const token = await call(company, 'authen/v2/oauth/token', {
      body: {
        grant_type: 'authorization_code',
        client_id: company.clientId,
        client_secret: company.clientSecret,
        code,
        redirect_uri: returnAddress,
        code_verifier: verifier,
      },
    })
    const { data } = await call(
      company,
      'authen/v1/user_info',
      bearer(identifier('authen/v2/oauth/token', token.access_token)),
    )
    const {
      tenant_key: tenantKey,
      union_id: unionId,
      user_id: userid,
      open_id: openid,
      name,
    } = objectOf(data)
    if (identifier('authen/v1/user_info', tenantKey) !== company.corpId)
      throw new Stranger('of another company')
    const unionid = identifier('authen/v1/user_info', unionId)
    const claims = claimsOf({ userid, openid, unionid, name, preferred_username: userid })
    if (isEnough(claims)) return { subject: unionid, claims }
    const member = await memberOf(company, unionid)
    if (member === null) return { subject: unionid, claims }
    if (member.union_id !== unionid)
      throw new ProviderRefusal('contact/v3/users', 'other', 'the answer is of another user')
    const status = objectOf(member.status)
    if (status.is_frozen === true || status.is_resigned === true) throw new Stranger('not an active member')
    const { department_ids: department, job_title: position } = member
    return { subject: unionid, claims: claimsOf({ ...claims, department, position }) }
  },
}
