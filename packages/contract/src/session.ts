// Signing in and out, the caller and their menus, their password.
import * as z from 'zod/mini'
import { changing } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { idOut, nothingIn, required, seededOut, timeOut } from './fields.ts'
import { type MenuNode, MenuTree } from './menus.ts'

export const login = endpoint({
  method: 'POST',
  path: '/user/login',
  access: 'public',
  summary: '登录',
  input: z.object({
    loginname: z
      .string(required('请输入登录名'))
      .check(z.trim(), z.minLength(1, '请输入登录名'), z.maxLength(64, '登录名过长')),
    password: z
      .string(required('请输入密码'))
      .check(z.minLength(1, '请输入密码'), z.maxLength(128, '密码过长')),
  }),
  reply: one(z.object({ token: z.string() })),
  isWrite: true,
})

/** The form in which login names are compared: without case, and with full-width letters converted. */
export const foldLoginName = (name: string): string => name.trim().normalize('NFKC').toLowerCase()

export const logout = endpoint({
  ...changing,
  path: '/user/logout',
  access: 'signedIn',
  summary: '退出登录',
  input: nothingIn,
})

export const CurrentUser = z.object({
  id: idOut,
  userName: z.string(),
  loginName: z.string(),
  organizationId: idOut,
  organizationName: seededOut,
  /** The user's roles; a user with a role of code SYSTEM is a SYSTEM user. */
  resultVOS: z.array(z.object({ id: idOut, name: z.string(), code: z.string() })),
  /** The menus that the user may see; entries of type F carry the function codes of a page. */
  tree: MenuTree,
  /** Every function code that the user has. */
  functionCodes: z.array(z.string()),
  /** If true, every other call is refused until the password has been changed. */
  mustChangePassword: z.boolean(),
  /** Values by key; `preferences.ts` has the schema of each. */
  preferences: z.record(z.string(), z.unknown()),
  /** The server's local time when it answers; relative times are computed from it. */
  serverTime: z.optional(timeOut),
})
export type CurrentUser = z.output<typeof CurrentUser>
export type { MenuNode }

export const readCurrentUser = endpoint({
  method: 'GET',
  path: '/user/info',
  access: 'signedIn',
  summary: '当前用户信息',
  input: nothingIn,
  reply: one(CurrentUser),
})

/** Kinds of data permission entries: operator, equipment type, region. */
export const authorityTypes = ['O', 'ET', 'R'] as const

export const AuthorityEntity = z.object({
  authorityType: z.enum(authorityTypes),
  type: z.enum(authorityTypes),
  value: z.array(z.string()),
})

export const readJurisdiction = endpoint({
  method: 'POST',
  path: '/user/jurisdiction',
  access: 'signedIn',
  summary: '当前用户的数据权限与功能权限',
  input: nothingIn,
  reply: one(
    z.object({
      /** SYSTEM users see every device; entries do not limit them. */
      isSystem: z.boolean(),
      authorityEntities: z.array(AuthorityEntity),
      functionCodes: z.array(z.string()),
    }),
  ),
})

const passwordMessage = '长度在6到20个字之间'
const passwordKinds = [/[A-Z]/, /[a-z]/, /\d/, /[^A-Za-z0-9]/]

/** 6 to 20 characters of at least two kinds: uppercase, lowercase, digit, special. */
/*@__NO_SIDE_EFFECTS__*/
export function passwordOf(missing: string) {
  return z.string(required(missing)).check(
    z.minLength(6, passwordMessage),
    z.maxLength(20, passwordMessage),
    z.refine(
      (value) => passwordKinds.filter((kind) => kind.test(value)).length >= 2,
      '密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!',
    ),
  )
}

export const Password = passwordOf('请输入新密码')

export const changePassword = endpoint({
  ...changing,
  path: '/user/update/password',
  access: 'signedIn',
  summary: '修改密码',
  input: z.object({
    oldPassword: z
      .string(required('请输入原密码'))
      .check(z.minLength(1, '请输入原密码'), z.maxLength(128, '密码过长')),
    newPassword: Password,
  }),
})

export const listPhoneUsers = endpoint({
  method: 'GET',
  path: '/user/mobile/list',
  access: 'user:list',
  summary: '有手机号的用户',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, userName: z.string(), phone: z.string() }))),
})

export const readNewestAppAddress = endpoint({
  method: 'GET',
  path: '/app/newest/addr',
  access: 'public',
  summary: '最新移动应用下载地址',
  input: nothingIn,
  reply: one(z.object({ url: z.string() })),
})

/** The form of the dialog, which adds a confirmation to the fields of the call. */
export const ChangePasswordForm = z
  .object({
    oldPassword: z.string(required('请输入原密码')).check(z.minLength(1, '请输入原密码')),
    newPassword: Password,
    confirmPassword: z.string(required('请再次输入新密码')).check(z.minLength(1, '请再次输入新密码')),
  })
  .check(
    z.refine((form) => form.newPassword === form.confirmPassword, {
      error: '两次密码输入不一致',
      path: ['confirmPassword'],
    }),
  )
