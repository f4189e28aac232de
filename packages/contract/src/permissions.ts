// Data permissions: which operators, equipment types and regions limit a user's view.
import * as z from 'zod/mini'
import { changing } from './commonCalls.ts'
import { endpoint, nothing, one } from './endpoint.ts'
import { asText, id, idOut, list, required, saidOut, text, version } from './fields.ts'
import { AuthorityEntity, authorityTypes } from './session.ts'

/** The maximum number of regions per user; a region includes all regions below it. */
export const mostRegions = 3

/** Of all kinds together: more operators and equipment types than a large installation has. */
const mostValues = 15_000

export const nothingChosenMessage = '设备类型、运营商、地区至少选1个'

const kind = z.enum(authorityTypes, { error: '权限类型只能是 O、ET、R' })
const chosen = z.pipe(z.transform(asText), text('权限值', 32, '权限值不能为空'))

/** One kind of entry with all ids chosen. The kind is in either of the two fields, or in both. */
const Entry = z
  .object({
    authorityType: z.optional(kind),
    type: z.optional(kind),
    value: z._default(list(chosen, '权限值', mostValues), []),
  })
  .check(
    z.refine(({ authorityType, type }) => (authorityType ?? type) !== undefined, {
      error: '权限类型不能为空',
      path: ['authorityType'],
    }),
    z.refine(({ authorityType, type }) => !authorityType || !type || authorityType === type, {
      error: '权限类型不一致',
      path: ['type'],
    }),
  )

const entries = z.array(Entry, required(nothingChosenMessage)).check(
  z.maxLength(100, '权限最多 100 项'),
  z.refine(
    (all) => all.reduce((sum, { value }) => sum + value.length, 0) <= mostValues,
    `权限值最多 ${mostValues} 个`,
  ),
  z.refine(
    (all) => new Set(all.flatMap((one) => (kindOf(one) === 'R' ? one.value : []))).size <= mostRegions,
    `地区最多选择${mostRegions}个`,
  ),
)

/** The entries of a save: at least one value of any kind. */
export const chosenEntries = entries.check(
  z.refine((all) => all.some(({ value }) => value.length > 0), nothingChosenMessage),
)

function kindOf({ authorityType, type }: { authorityType?: string | undefined; type?: string | undefined }) {
  return authorityType ?? type
}

export const readPermissions = endpoint({
  method: 'GET',
  path: '/permission/select/:userId',
  access: 'permission:select',
  summary: '查看数据权限',
  input: z.object({ userId: id('用户') }),
  reply: one(
    z.object({
      userId: idOut,
      /** Those within the caller's own reach. */
      authorityEntities: z.array(AuthorityEntity),
      /** How many more the user has; saving keeps them. */
      beyondCount: z.number(),
      /** SYSTEM users see every device; entries do not limit them. */
      isSystem: z.boolean(),
      /** The user's own organization. */
      version: z.number(),
    }),
  ),
})

export const updatePermissions = endpoint({
  ...changing,
  path: '/permission/update',
  access: 'permission:update',
  summary: '分配数据权限',
  bodyLimitBytes: 262_144,
  input: z.object({
    userId: id('用户'),
    authorityEntities: chosenEntries,
    version,
  }),
})

export const deletePermissions = endpoint({
  method: ['POST', 'DELETE'],
  path: '/permission/delete/:userId',
  access: 'permission:delete',
  summary: '重置数据权限',
  input: z.object({ userId: id('用户') }),
  reply: nothing(),
  isWrite: true,
})

/** The user whose view is computed: an existing one by id, or a new one of an organization. */
const viewer = z.object({
  userId: z.optional(id('用户')),
  organizationId: z.optional(id('组织')),
  /** The entries to try. Absent: the saved ones; for a new user, the defaults of a new user. */
  authorityEntities: z.optional(entries),
})

const isOneUser = z.refine<z.output<typeof viewer>>(
  ({ userId, organizationId }) => (userId === undefined) !== (organizationId === undefined),
  { error: '用户和组织须且只能指定一个', path: ['userId'] },
)

export const previewPermissions = endpoint({
  method: 'POST',
  path: '/permission/preview',
  access: 'permission:select',
  summary: '数据权限预览',
  bodyLimitBytes: 262_144,
  input: viewer.check(isOneUser),
  /** Counts among the devices that the caller may see. */
  reply: one(z.object({ count: z.number(), total: z.number() })),
})

/** The checks that decide whether a user sees a device. For a SYSTEM user there is only `system`. */
export const permissionChecks = ['system', 'organization', 'operator', 'equipType', 'region'] as const

export const explainPermissions = endpoint({
  method: 'POST',
  path: '/permission/explain',
  access: 'permission:select',
  summary: '数据权限说明',
  bodyLimitBytes: 262_144,
  input: z.extend(viewer, { code: text('设备编号', 32) }).check(isOneUser),
  reply: one(
    z.object({
      code: z.string(),
      isVisible: z.boolean(),
      checks: z.array(z.object({ by: z.enum(permissionChecks), isPassed: z.boolean(), reason: saidOut })),
    }),
  ),
})
export type PermissionExplanation = z.output<(typeof explainPermissions)['reply']['schema']>
