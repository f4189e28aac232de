// DingTalk (钉钉): its newer calls refuse by HTTP's status and a word, its older ones by `errcode` with HTTP 200.
import { ProviderAway } from '../provider-away.ts'
import { keepTokens } from './app-tokens.ts'
import { ask, claimsOf, identifier, objectOf, ProviderRefusal, type Said, Stranger } from './asking.ts'
import { type Company, type CompanyKind, withQuery } from './company.ts'

const hosts = {
  pages: 'https://login.dingtalk.com',
  calls: 'https://api.dingtalk.com',
  olderCalls: 'https://oapi.dingtalk.com',
}

/** Nobody of the company has this id. */
const unknownCode = 60_121
const tokenCodes = new Set<unknown>([40_014, 42_001, 88])
const busyCode = -1
/** Of `contact_type`: 1 is an outside contact. */
const employee = 0

async function call(
  { address }: Company,
  path: string,
  content: { headers?: Record<string, string>; body?: object },
): Promise<Said> {
  const { status, said } = await ask(path, `${address ?? hosts.calls}/v1.0/${path}`, content)
  if (status !== 200 || said.code !== undefined)
    throw new ProviderRefusal(path, said.code ?? status, said.message)
  return said
}

const tokens = keepTokens(async (company) => {
  const { clientId: appKey, clientSecret: appSecret } = company
  const said = await call(company, 'oauth2/accessToken', { body: { appKey, appSecret } })
  return { text: identifier('oauth2/accessToken', said.accessToken), lifeSeconds: Number(said.expireIn) || 0 }
})

async function callAsApp(company: Company, path: string, body: object): Promise<Said> {
  const asApp = async () => {
    const query = { access_token: await tokens.of(company) }
    const { said } = await ask(path, `${company.address ?? hosts.olderCalls}/${path}`, { query, body })
    if (said.errcode === busyCode) throw new ProviderAway(`${path}: busy`)
    if (said.errcode !== 0) throw new ProviderRefusal(path, said.errcode, said.errmsg)
    return objectOf(said.result)
  }
  try {
    return await asApp()
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || !tokenCodes.has(error.code)) throw error
    tokens.forget(company)
    return await asApp()
  }
}

export const dingtalk: CompanyKind = {
  authorizeAddress: ({ address, corpId, clientId }, { returnAddress, state }) =>
    withQuery(`${address ?? hosts.pages}/oauth2/auth`, {
      client_id: clientId,
      response_type: 'code',
      scope: 'openid corpid',
      corpId,
      prompt: 'consent',
      redirect_uri: returnAddress,
      state,
    }),

  async finish(company, code, _began, isEnough) {
    const { corpId, clientId, clientSecret } = company
    const token = await call(company, 'oauth2/userAccessToken', {
      body: { clientId, clientSecret, code, grantType: 'authorization_code' },
    })
    // The company that the person has chosen at the provider.
    if (token.corpId !== undefined && token.corpId !== corpId) throw new Stranger('came for another company')
    const me = await call(company, 'contact/users/me', {
      headers: { 'x-acs-dingtalk-access-token': identifier('oauth2/userAccessToken', token.accessToken) },
    })
    const unionid = identifier('contact/users/me', me.unionId)
    // A choice is no membership: whoever is not in the app's own company is unknown there.
    const member = await callAsApp(company, 'topapi/user/getbyunionid', { unionid }).catch(
      (error: unknown) => {
        if (error instanceof ProviderRefusal && error.code === unknownCode)
          throw new Stranger('nobody of the company')
        throw error
      },
    )
    if (member.contact_type !== employee) throw new Stranger('an outside contact')
    const userid = identifier('topapi/user/getbyunionid', member.userid)
    const claims = claimsOf({ userid, unionid, name: me.nick, preferred_username: userid })
    if (isEnough(claims)) return { subject: unionid, claims }
    const user = await callAsApp(company, 'topapi/v2/user/get', { userid })
    if (user.unionid !== unionid)
      throw new ProviderRefusal('topapi/v2/user/get', 'other', 'the answer is of another user')
    if (user.active === false) throw new Stranger('not an active member')
    const { name, dept_id_list: department, title: position } = user
    return { subject: unionid, claims: claimsOf({ ...claims, name, department, position }) }
  },
}
