/**
 * Imitations of WeCom, DingTalk and Feishu as their documents have them: parameters of the address that a browser goes to,
 * codes that are good once, tokens of apps and of people, and refusals by their own codes, mostly with HTTP 200.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Pair, readPair } from './certificates.ts'

export type CompanyKindName = 'wecom' | 'dingtalk' | 'feishu'

/** Somebody who signs in there. */
export interface Member {
  userid: string
  unionid: string
  name: string
  departments: (string | number)[]
  /** Of another company, who has got a code for this app all the same. */
  isForeign?: boolean
  /** Known to the company, and not of it. */
  isOutside?: boolean
  hasLeft?: boolean
}

interface App {
  corpId: string
  clientId: string
  clientSecret: string
}

interface Code {
  member: Member
  redirectUri: string
  challenge: string
}

type Answer = [status: number, body: object]
type Asked = {
  path: string
  query: URLSearchParams
  body: Record<string, unknown>
  headers: Record<string, unknown>
}

const otherCorp = 'otherCorp9'

export async function openCompanyProvider(kind: CompanyKindName, pair: Pair, app: App) {
  const codes = new Map<string, Code>()
  const appTokens = new Set<string>()
  const people = new Map<string, Member>()
  const members = new Map<string, Member>()
  const asked: string[] = []
  /** By the end of a path: what it answers in place of what is right. */
  const bent = new Map<string, Answer>()

  const take = (code: unknown) => {
    const found = codes.get(String(code))
    codes.delete(String(code))
    return found
  }
  const appToken = () => {
    const token = randomUUID()
    appTokens.add(token)
    return token
  }

  function wecom({ path, query }: Asked): Answer {
    const ok = (body: object): Answer => [200, { errcode: 0, errmsg: 'ok', ...body }]
    const no = (errcode: number, errmsg: string): Answer => [
      200,
      { errcode, errmsg: `${errmsg}, hint: [1764]` },
    ]
    if (path === '/cgi-bin/gettoken') {
      if (query.get('corpid') !== app.corpId) return no(40_013, 'invalid corpid')
      if (query.get('corpsecret') !== app.clientSecret) return no(40_001, 'invalid credential')
      return ok({ access_token: appToken(), expires_in: 7_200 })
    }
    if (!appTokens.has(query.get('access_token') ?? '')) return no(40_014, 'invalid access_token')
    if (path === '/cgi-bin/auth/getuserinfo') {
      const member = take(query.get('code'))?.member
      if (!member) return no(40_029, 'invalid code')
      if (member.isForeign || member.isOutside)
        return ok({ openid: `o_${member.userid}`, external_userid: `wm_${member.userid}` })
      return ok({ userid: member.userid, user_ticket: randomUUID(), expires_in: 1_800 })
    }
    if (path === '/cgi-bin/user/get') {
      const member = members.get(query.get('userid') ?? '')
      if (!member) return no(60_111, 'userid not found')
      const { userid, name, departments: department, hasLeft } = member
      return ok({ userid, name, department, position: '运维', status: hasLeft ? 5 : 1, enable: 1 })
    }
    return [404, {}]
  }

  function dingtalk({ path, query, body, headers }: Asked): Answer {
    const no = (code: string, message: string): Answer => [400, { code, requestid: randomUUID(), message }]
    const isApp = body.clientId === app.clientId && body.clientSecret === app.clientSecret
    if (path === '/v1.0/oauth2/userAccessToken') {
      if (!isApp) return no('invalidClientSecret', '无效的clientSecret')
      if (body.grantType !== 'authorization_code') return no('invalidParameter.grantType', '无效的grantType')
      const member = take(body.code)?.member
      if (!member) return no('invalidParameter.authCode.notFound', '不存在的临时授权码')
      const accessToken = randomUUID()
      people.set(accessToken, member)
      const corpId = member.isForeign ? otherCorp : app.corpId
      return [200, { expireIn: 7_200, accessToken, refreshToken: randomUUID(), corpId }]
    }
    if (path === '/v1.0/contact/users/me') {
      const member = people.get(String(headers['x-acs-dingtalk-access-token']))
      if (!member) return no('InvalidAuthentication', '不合法的access_token')
      const { unionid: unionId, name: nick } = member
      return [
        200,
        { nick, unionId, openId: `o${unionId}`, mobile: '13800000000', stateCode: '86', email: 'a@b.cn' },
      ]
    }
    if (path === '/v1.0/oauth2/accessToken') {
      if (body.appKey !== app.clientId || body.appSecret !== app.clientSecret)
        return no('invalidClientIdOrSecret', '无效的clientId或者clientSecret')
      return [200, { accessToken: appToken(), expireIn: 7_200 }]
    }
    const ok = (result: object): Answer => [
      200,
      { errcode: 0, errmsg: 'ok', result, request_id: randomUUID() },
    ]
    const older = (errcode: number, errmsg: string): Answer => [
      200,
      { errcode, errmsg, request_id: randomUUID() },
    ]
    if (!appTokens.has(query.get('access_token') ?? '')) return older(40_014, '不合法的access_token')
    if (path === '/topapi/user/getbyunionid') {
      const member = [...members.values()].find(({ unionid }) => unionid === body.unionid)
      if (!member || member.isForeign) return older(60_121, '找不到该用户')
      return ok({ contact_type: member.isOutside ? 1 : 0, userid: member.userid })
    }
    if (path === '/topapi/v2/user/get') {
      const member = members.get(String(body.userid))
      if (!member) return older(60_121, '找不到该用户')
      const { userid, unionid, name, departments, hasLeft } = member
      return ok({
        userid,
        unionid,
        name,
        dept_id_list: departments,
        title: '运维',
        active: !hasLeft,
        boss: false,
      })
    }
    return [404, {}]
  }

  function feishu({ path, query, body, headers }: Asked): Answer {
    const ok = (data: object): Answer => [200, { code: 0, msg: 'success', data }]
    if (path === '/open-apis/authen/v2/oauth/token') {
      const no = (code: number, error: string): Answer => [
        400,
        { code, error, error_description: `${error}.` },
      ]
      if (body.client_id !== app.clientId || body.client_secret !== app.clientSecret)
        return no(20_002, 'invalid_client')
      const code = take(body.code)
      if (!code) return no(20_003, 'invalid_grant')
      if (code.redirectUri !== body.redirect_uri) return no(20_071, 'invalid_grant')
      const challenge = createHash('sha256').update(String(body.code_verifier)).digest('base64url')
      if (code.challenge !== challenge) return no(20_049, 'invalid_grant')
      const token = randomUUID()
      people.set(token, code.member)
      return [
        200,
        { code: 0, access_token: token, expires_in: 7_200, token_type: 'Bearer', scope: 'auth:user.id:read' },
      ]
    }
    if (path === '/open-apis/auth/v3/tenant_access_token/internal') {
      if (body.app_id !== app.clientId || body.app_secret !== app.clientSecret)
        return [200, { code: 10_014, msg: 'app secret invalid' }]
      return [200, { code: 0, msg: 'ok', tenant_access_token: appToken(), expire: 7_200 }]
    }
    const token = String(headers.authorization).replace(/^Bearer /, '')
    if (path === '/open-apis/authen/v1/user_info') {
      const member = people.get(token)
      if (!member) return [401, { code: 20_005, msg: 'The user access token passed is invalid.' }]
      const { userid: user_id, unionid: union_id, name, isForeign } = member
      const tenant_key = isForeign ? otherCorp : app.corpId
      return ok({
        user_id,
        union_id,
        open_id: `ou_${union_id}`,
        name,
        en_name: name,
        tenant_key,
        email: 'a@b.cn',
      })
    }
    if (!appTokens.has(token))
      return [400, { code: 99_991_663, msg: 'Invalid access token for authorization.' }]
    const id = /^\/open-apis\/contact\/v3\/users\/([^/]+)$/.exec(path)?.[1]
    const member = [...members.values()].find(({ unionid }) => unionid === id)
    if (query.get('user_id_type') !== 'union_id' || !member)
      return [400, { code: 41_050, msg: 'no user authority error' }]
    const { userid, unionid, departments, hasLeft } = member
    return ok({
      user: {
        ...{ user_id: userid, union_id: unionid, department_ids: departments, job_title: '运维' },
        status: { is_frozen: false, is_resigned: hasLeft === true, is_activated: true },
      },
    })
  }

  const answers = { wecom, dingtalk, feishu }[kind]
  const server = createServer({ ...readPair(pair), keepAlive: false }, async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'https://localhost')
    asked.push(path)
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const bending = [...bent].find(([end]) => path.endsWith(end))?.[1]
    const [status, said] = bending ?? answers({ path, query, body, headers: request.headers })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** What is wrong with the address that a browser was sent to; these are what the providers' pages refuse. */
  function readAuthorize(url: string): { state: string; redirectUri: string; challenge: string } {
    const { pathname, searchParams } = new URL(url)
    const is = (wanted: Record<string, string>) => {
      for (const [name, value] of Object.entries(wanted))
        if (searchParams.get(name) !== value) throw new Error(`${name}: ${searchParams.get(name)}`)
    }
    const paths = {
      wecom: '/wwlogin/sso/login',
      dingtalk: '/oauth2/auth',
      feishu: '/open-apis/authen/v1/authorize',
    }
    if (pathname !== paths[kind]) throw new Error(pathname)
    if (kind === 'wecom') is({ login_type: 'CorpApp', appid: app.corpId, agentid: app.clientId })
    if (kind === 'dingtalk')
      is({ client_id: app.clientId, response_type: 'code', prompt: 'consent', scope: 'openid corpid' })
    if (kind === 'feishu')
      is({ client_id: app.clientId, response_type: 'code', code_challenge_method: 'S256' })
    return {
      state: searchParams.get('state') ?? '',
      redirectUri: searchParams.get('redirect_uri') ?? '',
      challenge: searchParams.get('code_challenge') ?? '',
    }
  }

  return {
    kind,
    app,
    asked,
    bent,
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    /** Somebody signs in: what the browser brings back. */
    authorize(url: string, member: Member): { state: string; code: string } {
      const { state, redirectUri, challenge } = readAuthorize(url)
      const code = randomUUID()
      codes.set(code, { member, redirectUri, challenge })
      members.set(member.userid, member)
      return { state, code }
    },
    /** As after their end: the provider has forgotten all tokens of apps. */
    forgetTokens: () => appTokens.clear(),
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
