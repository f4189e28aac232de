// Signing in by the company's identity provider: providers and who may come, kept by administrators, and the two public
// calls by which a browser does it.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import { byId, id, idOut, list, nothingIn, oneOf, paging, text, timeOut, version } from './fields.ts'

/** Where the provider sends a browser back to, below the server's own address. */
export const signInReturnPath = '/login'

/** Matches any value of a claim. */
export const anyValue = '*'

const Rule = z.object({
  /** Of the identity: `groups`, `department`, `email` (counts only where it is verified). */
  claim: text('声明', 64),
  /** Its value, or one of its values; `*` for any. */
  value: text('取值', 200),
  roleIds: z.pipe(
    z.transform((value: unknown): unknown => value ?? []),
    list(id('角色'), '角色', 20).check(z.minLength(1, '请选择角色')),
  ),
  organizationId: id('组织', '请选择组织'),
})
export type SignInRule = z.output<typeof Rule>

const https = z
  .string({ error: '请输入颁发者地址' })
  .check(
    z.trim(),
    z.maxLength(500, '颁发者地址过长'),
    z.regex(/^https:\/\/[^\s/?#@][^\s?#]*$/, '颁发者地址应以 https:// 开头，不含参数'),
  )

export const signInProviderKinds = ['oidc', 'wecom', 'dingtalk', 'feishu'] as const
export type SignInProviderKind = (typeof signInProviderKinds)[number]

const form = {
  kind: z._default(z.enum(signInProviderKinds, { error: '类型无效' }), 'oidc'),
  name: text('名称', 30),
  /** Of OpenID Connect. */
  issuer: z.optional(https),
  /** Of WeCom, DingTalk and Feishu: the company's id there. */
  corpId: z.optional(text('企业 ID', 64).check(z.regex(/^[\w-]+$/, '企业 ID 由字母、数字、- 和 _ 组成'))),
  /** Of these: where the provider's servers are, unless in its public cloud. */
  address: z.optional(
    z
      .string({ error: '服务地址无效' })
      .check(
        z.trim(),
        z.maxLength(500, '服务地址过长'),
        z.regex(/^https:\/\/[^\s/?#@][^\s?#]*[^\s?#/]$/, '服务地址应以 https:// 开头，不含参数，结尾没有 /'),
      ),
  ),
  clientId: text('客户端 ID', 200),
  scopes: z._default(text('授权范围', 200), 'openid profile email'),
  rules: z
    .array(Rule, { error: '请添加允许登录的规则' })
    .check(z.minLength(1, '请添加允许登录的规则'), z.maxLength(50, '规则最多 50 条')),
  isEnabled: z._default(oneOf('启用', [0, 1]), 1),
}
/** What each kind cannot do without. */
const isComplete = z.check<{ kind?: unknown; issuer?: unknown; corpId?: unknown }>(
  ({ value, issues }) => {
    const { kind = 'oidc', issuer, corpId } = value
    const refuse = (field: string, message: string) =>
      issues.push({ code: 'custom', path: [field], message, input: undefined })
    if (kind === 'oidc' && issuer === undefined) refuse('issuer', '请输入颁发者地址')
    if (kind !== 'oidc' && corpId === undefined) refuse('corpId', '请输入企业 ID')
  },
  { when: () => true },
)
const clientSecret = z.optional(text('客户端密钥', 500))

export const SignInProviderRow = z.object({
  id: idOut,
  kind: z.enum(signInProviderKinds),
  name: z.string(),
  issuer: z.string(),
  corpId: z.nullable(z.string()),
  address: z.nullable(z.string()),
  clientId: z.string(),
  hasSecret: z.boolean(),
  scopes: z.string(),
  rules: z.array(
    z.object({
      claim: z.string(),
      value: z.string(),
      roleIds: z.array(idOut),
      organizationId: idOut,
    }),
  ),
  isEnabled: z.literal([0, 1]),
  /** To be registered at the provider. */
  returnAddress: z.string(),
  /** Of people who have come by it. */
  userCount: z.number(),
  createTime: timeOut,
  version: z.number(),
})
export type SignInProviderRow = z.output<typeof SignInProviderRow>

export const listSignInProviders = endpoint({
  method: ['POST', 'GET'],
  path: '/signInProvider/list',
  access: 'system',
  summary: '企业登录列表',
  input: z.object(paging),
  reply: page(SignInProviderRow),
})

export const insertSignInProvider = endpoint({
  ...adding,
  path: '/signInProvider/insert',
  access: 'system',
  summary: '新增企业登录',
  bodyLimitBytes: 131_072,
  input: z.object({ ...form, clientSecret }).check(isComplete),
})

/** Without `clientSecret` it stays, unless issuer or client change. */
export const updateSignInProvider = endpoint({
  ...changing,
  path: '/signInProvider/update/:id',
  access: 'system',
  summary: '修改企业登录',
  bodyLimitBytes: 131_072,
  input: z.object({ id: id('企业登录'), ...form, clientSecret, version }).check(isComplete),
})

export const deleteSignInProvider = endpoint({
  ...deleting,
  path: '/signInProvider/delete/:id',
  access: 'system',
  summary: '删除企业登录',
})

/** Those that the sign-in page offers. */
export const nameSignInProviders = endpoint({
  method: 'GET',
  path: '/signIn/providers',
  access: 'public',
  summary: '可用的企业登录',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, name: z.string() }))),
})

/** Answers the address to go to, and sets a cookie with which alone the sign-in can be finished. */
export const startSignIn = endpoint({
  method: 'POST',
  path: '/signIn/start/:id',
  access: 'public',
  summary: '发起企业登录',
  input: byId,
  reply: one(z.object({ url: z.string() })),
})

/** What the provider has added to the address of return. */
export const finishSignIn = endpoint({
  method: 'POST',
  path: '/signIn/finish',
  access: 'public',
  summary: '企业登录',
  input: z.object({
    state: text('state', 64),
    code: z.optional(text('code', 1_060)),
    iss: z.optional(text('iss', 160)),
    error: z.optional(text('error', 64)),
  }),
  reply: one(z.object({ token: z.string() })),
  isWrite: true,
})
