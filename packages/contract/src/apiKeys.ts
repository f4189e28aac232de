// Keys of other systems: made by a user, no wider than that user, sent as `Authorization: Bearer vk_…`.
import * as z from 'zod/mini'
import { agreeApproval, refuseApproval } from './approvals.ts'
import { deleting } from './commonCalls.ts'
import { type Endpoint, endpoint, functionCodesOf, one, page } from './endpoint.ts'
import { id, idOut, integer, list, nothingIn, paging, seededOut, text, timeOut } from './fields.ts'
import { saveLanguage } from './languages.ts'
import { deleteNotifyContact, listNotifyContacts, saveNotifyContact } from './notifyContacts.ts'
import { chosenEntries } from './permissions.ts'
import { savePreference } from './preferences.ts'
import { deleteSavedFilter, insertSavedFilter, listSavedFilters, updateSavedFilter } from './savedFilters.ts'
import { AuthorityEntity, changePassword, logout } from './session.ts'

/** What every key begins with. */
export const apiKeyPrefix = 'vk_'

/** Of one user. */
export const apiKeysAtMost = 100
export const validDaysAtMost = 365
/** How long the former secret of a rotated key works on. */
export const overlapHoursAtMost = 168

/** Nouns about people and what they may do: a key reads them at most. */
const nounsOfPeople: readonly string[] = [
  'user',
  'role',
  'menu',
  'permission',
  'session',
  'apiKey',
  'handover',
]
const isRead = (code: string) => /:(list|page|select)$/.test(code)

/** Whether a key may have the function. */
export const isFunctionForKeys = (code: string): boolean =>
  isRead(code) || !nounsOfPeople.includes(code.split(':')[0] ?? '')

/** Calls that say something of a person, or need one. */
const personalCalls: readonly unknown[] = [
  logout,
  changePassword,
  listSavedFilters,
  insertSavedFilter,
  updateSavedFilter,
  deleteSavedFilter,
  listNotifyContacts,
  saveNotifyContact,
  deleteNotifyContact,
  savePreference,
  saveLanguage,
  agreeApproval,
  refuseApproval,
]

/** Whether a key may make the call, if it has the function. */
export function isCallForKeys(call: Endpoint): boolean {
  const codes = functionCodesOf(call)
  return !personalCalls.includes(call) && (codes.length === 0 || codes.some(isFunctionForKeys))
}

/** `stopped`: its maker may not sign in, or went to another organization. */
export const apiKeyStates = ['active', 'expired', 'stopped'] as const
export type ApiKeyState = (typeof apiKeyStates)[number]

export const ApiKeyRow = z.object({
  id: idOut,
  name: z.string(),
  state: z.enum(apiKeyStates),
  makerName: z.string(),
  organizationName: seededOut,
  /** Those that were chosen; of these the key has what its maker has. */
  functionCodes: z.array(z.string()),
  /** Null where the caller may not know them; none: everything in the organization that the maker sees. */
  authorityEntities: z.nullable(z.array(AuthorityEntity)),
  /** From which it may be used; empty: from any. */
  networks: z.array(z.string()),
  /** One; during a rotation two, the newer first. `hint`: the last letters. */
  secrets: z.array(z.object({ hint: z.string(), createTime: timeOut, endTime: z.nullable(timeOut) })),
  createTime: timeOut,
  expireTime: timeOut,
  /** To the minute. */
  lastUsedTime: z.nullable(timeOut),
  lastUsedAddress: z.nullable(z.string()),
  /** Made by the caller, who alone rotates it. */
  isOwn: z.boolean(),
  /** Whether the caller may delete it: own ones, and those of users whom the caller manages. */
  isManageable: z.boolean(),
})
export type ApiKeyRow = z.output<typeof ApiKeyRow>

export const listApiKeys = endpoint({
  method: ['POST', 'GET'],
  path: '/apiKey/list',
  access: 'apiKey:list',
  summary: 'API 密钥列表',
  input: z.object({
    ...paging,
    /** Part of the name of the key or of its maker. */
    name: z.optional(text('名称', 64)),
    state: z.optional(z.enum(apiKeyStates, { error: '状态无效' })),
  }),
  reply: page(ApiKeyRow),
})

/** Shown in this answer and never again. */
export const ApiKeySecret = z.object({ id: idOut, name: z.string(), secret: z.string(), expireTime: timeOut })
export type ApiKeySecret = z.output<typeof ApiKeySecret>

const network = z.string({ error: '网段应为 IP 地址或 CIDR' }).check(
  z.trim(),
  z.refine((value) => isNetwork(value), '网段应为 IP 地址或 CIDR，例如 10.0.0.0/8'),
)

const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const isNetwork = (value: string) => z.safeParse(address, value).success

const validDays = integer('有效天数', 1, validDaysAtMost)

export const insertApiKey = endpoint({
  method: 'POST',
  path: '/apiKey/insert',
  access: 'apiKey:insert',
  summary: '新增 API 密钥',
  bodyLimitBytes: 262_144,
  input: z.object({
    name: text('名称', 40),
    functionCodes: z.pipe(
      z.transform((value: unknown): unknown => value ?? []),
      list(text('功能权限', 64), '功能权限', 300).check(z.minLength(1, '请选择功能权限')),
    ),
    /** Absent: the caller's own. */
    organizationId: z.optional(id('组织')),
    /** Absent: those of the caller. */
    authorityEntities: z.optional(chosenEntries),
    networks: z.optional(list(network, '网段', 20).check(z.minLength(1, '请输入网段'))),
    validDays: z._default(validDays, 90),
  }),
  reply: one(ApiKeySecret),
  isWrite: true,
  done: '创建成功',
  narrows: ['authorityEntities', 'networks'],
})

/** Makes a new secret; the former one works on for a while. */
export const rotateApiKey = endpoint({
  method: 'POST',
  path: '/apiKey/rotate/:id',
  access: 'apiKey:rotate',
  summary: '轮换 API 密钥',
  input: z.object({
    id: id('密钥'),
    overlapHours: z._default(integer('原密钥保留小时数', 0, overlapHoursAtMost), 24),
    /** Absent: it expires when it would have. */
    validDays: z.optional(validDays),
  }),
  reply: one(ApiKeySecret),
  isWrite: true,
})

/** It stops working at once, and so does what it has decided. */
export const deleteApiKey = endpoint({
  ...deleting,
  path: '/apiKey/delete/:id',
  access: 'apiKey:delete',
  summary: '吊销 API 密钥',
})

/** The functions that the caller may give a key, by page. */
export const listKeyFunctions = endpoint({
  method: 'GET',
  path: '/apiKey/functions',
  access: 'apiKey:list',
  summary: '可授予 API 密钥的功能权限',
  input: nothingIn,
  reply: one(z.array(z.object({ code: z.string(), name: z.string(), page: z.string() }))),
})
