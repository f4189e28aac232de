// User accounts: list, adding, changing, deleting, passwords.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import {
  byId,
  exactText,
  id,
  idOut,
  idsIn,
  list,
  paging,
  required,
  seededOut,
  sorting,
  text,
  timeOut,
  version,
} from './fields.ts'
import { chosenEntries } from './permissions.ts'
import { passwordOf } from './session.ts'

/** The role that nobody can assign, and the user who has it from the first start. */
export const systemRoleId = '1'
export const firstUserId = '1'

export const UserRow = z.object({
  id: idOut,
  userName: z.string(),
  loginName: z.string(),
  phone: z.nullable(z.string()),
  roleIds: z.array(idOut),
  /** In the order of `roleIds`. */
  roleNames: z.array(seededOut),
  organizationId: idOut,
  organizationName: seededOut,
  /** A code of the dictionary type USER_TYPE, and its name. */
  type: z.nullable(z.string()),
  typeName: z.nullable(seededOut),
  isEnabled: z.boolean(),
  /** Whether data permissions limit what the user sees. */
  hasPermissions: z.boolean(),
  /**
   * Whether the caller may change this user, who must not hold anything that the caller lacks. Never true for user 1.
   */
  isManageable: z.boolean(),
  isSelf: z.boolean(),
  createTime: timeOut,
  /** Time of the last activity; null where no sign-in is known. */
  lastSeenTime: z.nullable(timeOut),
  version: z.number(),
})
export type UserRow = z.output<typeof UserRow>

/** A boolean: true and false, 1 and 0, or these as text. */
const flag = (label: string) =>
  z.pipe(
    z.transform((value: unknown) =>
      value === 1 || value === '1' || value === 'true'
        ? true
        : value === 0 || value === '0' || value === 'false'
          ? false
          : value,
    ),
    z.boolean({ error: `${label}只能是 true 或 false` }),
  )

export const listUsers = endpoint({
  method: ['POST', 'GET'],
  path: '/user/list',
  access: 'user:list',
  summary: '用户列表',
  input: z.object({
    ...paging,
    ...sorting(['loginName']),
    /** Part of the user's name or of the login name. */
    name: z.optional(text('姓名', 64)),
    /** Part of it. */
    phone: z.optional(text('手机号', 20)),
    /** Any of them. */
    roleIds: z.optional(list(id('角色'), '角色', 100)),
    /** Includes the organizations below it. */
    organizationId: z.optional(id('组织')),
    isEnabled: z.optional(flag('启用状态')),
    ids: idsIn('用户'),
  }),
  reply: page(UserRow),
})

/**
 * Characters that cannot be confused except l, I and 1, or O and 0: Chinese characters, plain letters and digits, and
 * `._@-`. Full-width letters become plain ones. Older names are not changed.
 */
const LoginName = exactText('登录名', 64).check(
  z.normalize('NFKC'),
  z.regex(
    /^[._@-]*[A-Za-z0-9\p{Unified_Ideograph}][A-Za-z0-9\p{Unified_Ideograph}._@-]*$/u,
    '登录名只能由汉字、字母、数字和 . _ @ - 组成',
  ),
)

const phoneMessage = '请输入正确的手机号'

const userForm = {
  userName: text('姓名', 64),
  phone: z.string(required(phoneMessage)).check(z.trim(), z.regex(/^\d{11}$/, phoneMessage)),
  roleIds: z.pipe(
    z.transform((value: unknown): unknown => value ?? []),
    list(id('角色'), '角色', 100).check(z.minLength(1, '请选择角色')),
  ),
  type: text('用户类型', 64, '请选择用户类型'),
  /** Absent: the caller's own organization; in an update, unchanged. */
  organizationId: z.optional(id('组织')),
  isEnabled: z.optional(flag('启用状态')),
}

/** The fields of the form. The login name cannot be changed; the password is only for a new user. */
export const UserForm = z.object(userForm)

export const insertUser = endpoint({
  ...adding,
  path: '/user/insert',
  access: 'user:insert',
  summary: '新增用户',
  bodyLimitBytes: 262_144,
  input: z.object({
    loginName: LoginName,
    password: passwordOf('请输入密码'),
    ...userForm,
    /** If true, every other call is refused until the password has been changed. */
    mustChangePassword: z.optional(flag('首次登录修改密码')),
    /**
     * Data permissions, in effect from the first sign-in. To set them, the caller also needs the function that
     * assigns them. Absent: those of the caller.
     */
    authorityEntities: z.optional(chosenEntries),
  }),
  narrows: ['authorityEntities'],
})

/** All fields of the form, or `isEnabled` alone, which is the switch in the list. */
const userChange = z
  .object({
    id: id('用户'),
    userName: z.optional(userForm.userName),
    phone: z.optional(userForm.phone),
    roleIds: z.optional(userForm.roleIds),
    type: z.optional(userForm.type),
    organizationId: userForm.organizationId,
    isEnabled: userForm.isEnabled,
    version,
  })
  .check((payload) => {
    const { userName, phone, roleIds, type, organizationId, isEnabled } = payload.value
    const given = { userName, phone, roleIds, type }
    const isSwitch =
      isEnabled !== undefined && [...Object.values(given), organizationId].every((one) => one === undefined)
    if (isSwitch) return
    for (const [field, value] of Object.entries(given)) {
      if (value !== undefined) continue
      const { error } = userForm[field as keyof typeof given].safeParse(undefined)
      const message = error?.issues[0]?.message ?? ''
      payload.issues.push({ code: 'custom', message, path: [field], input: value })
    }
  })

export const updateUser = endpoint({
  ...changing,
  path: '/user/update/:id',
  access: 'user:update',
  summary: '修改用户',
  input: userChange,
})

/** `updateUser` with the id in the body. */
export const updateUserOfBody = endpoint({
  ...changing,
  path: '/user/update',
  access: 'user:update',
  summary: '修改用户',
  input: userChange,
})

export const deleteUser = endpoint({
  ...deleting,
  path: '/user/delete/:id',
  access: 'user:delete',
  summary: '删除用户',
})

/** `deleteUser` at the path of an update. */
export const deleteUserByUpdate = endpoint({
  ...deleting,
  method: 'DELETE',
  path: '/user/update/:id',
  access: 'user:delete',
  summary: '删除用户',
})

/** Gives the user role 1, which permits everything. The form never offers it. */
export const grantSystem = endpoint({
  ...changing,
  path: '/user/system/grant/:id',
  access: 'system',
  summary: '设为系统管理员',
  input: byId,
})

/** Takes role 1 from the user, who keeps the other roles. */
export const revokeSystem = endpoint({
  ...changing,
  path: '/user/system/revoke/:id',
  access: 'system',
  summary: '取消系统管理员',
  input: byId,
})

/** A password generated by the server, returned only in this answer. It must be changed at the next sign-in. */
export const OneTimePassword = z.object({ id: idOut, loginName: z.string(), password: z.string() })
export type OneTimePassword = z.output<typeof OneTimePassword>

export const resetUserPassword = endpoint({
  method: 'POST',
  path: '/user/password/:id',
  access: 'user:password',
  summary: '重置用户密码',
  input: byId,
  reply: one(OneTimePassword),
  isWrite: true,
})
