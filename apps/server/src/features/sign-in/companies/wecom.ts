// WeCom (企业微信): an app of the company's own. Every answer has HTTP 200; `errcode` says what it is.
import { ProviderAway } from '../provider-away.ts'
import { keepTokens } from './app-tokens.ts'
import { ask, claimsOf, identifier, ProviderRefusal, type Said, Stranger } from './asking.ts'
import { type Company, type CompanyKind, withQuery } from './company.ts'

const hosts = { pages: 'https://login.work.weixin.qq.com', calls: 'https://qyapi.weixin.qq.com' }
const callsOf = ({ address }: Company) => address ?? hosts.calls

/** The token is unknown, or not valid any more. */
const tokenCodes = new Set<unknown>([40_014, 42_001])
/** The app may not see this member in the directory. */
const unseenCode = 60_011
const busyCode = -1
/** Of a member: active. */
const active = 1

async function call(company: Company, path: string, query: Record<string, string>): Promise<Said> {
  const { said } = await ask(path, `${callsOf(company)}/cgi-bin/${path}`, { query })
  if (said.errcode === busyCode) throw new ProviderAway(`${path}: busy`)
  if (said.errcode !== 0) throw new ProviderRefusal(path, said.errcode, said.errmsg)
  return said
}

const tokens = keepTokens(async (company) => {
  const { corpId: corpid, clientSecret: corpsecret } = company
  const said = await call(company, 'gettoken', { corpid, corpsecret })
  return { text: identifier('gettoken', said.access_token), lifeSeconds: Number(said.expires_in) || 0 }
})

async function callAsApp(company: Company, path: string, query: Record<string, string>): Promise<Said> {
  const asApp = async () => call(company, path, { access_token: await tokens.of(company), ...query })
  try {
    return await asApp()
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || !tokenCodes.has(error.code)) throw error
    tokens.forget(company)
    return await asApp()
  }
}

export const wecom: CompanyKind = {
  authorizeAddress: (company, { returnAddress, state }) =>
    withQuery(`${company.address ?? hosts.pages}/wwlogin/sso/login`, {
      login_type: 'CorpApp',
      appid: company.corpId,
      agentid: company.clientId,
      redirect_uri: returnAddress,
      state,
    }),

  async finish(company, code, _began, isEnough) {
    const member = await callAsApp(company, 'auth/getuserinfo', { code })
    // Who is not of the company has an id for this app in place of one in the company.
    if (member.userid === undefined && (member.openid !== undefined || member.external_userid !== undefined))
      throw new Stranger('not a member of the company')
    const userid = identifier('auth/getuserinfo', member.userid)
    const claims = { userid, preferred_username: userid }
    if (isEnough(claims)) return { subject: userid, claims }
    const user = await callAsApp(company, 'user/get', { userid }).catch((error: unknown) => {
      if (error instanceof ProviderRefusal && error.code === unseenCode) return null
      throw error
    })
    if (user === null) return { subject: userid, claims }
    if (user.userid !== userid)
      throw new ProviderRefusal('user/get', 'other', 'the answer is of another user')
    if (user.status !== undefined && user.status !== active) throw new Stranger('not an active member')
    const { name, department, position } = user
    return { subject: userid, claims: claimsOf({ ...claims, name, department, position }) }
  },
}
