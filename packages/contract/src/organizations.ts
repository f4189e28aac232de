// Organizations: the tree of manufacturers and those below them, and what belongs to each.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { asText, id, idOut, nothingIn, orderNum, text, version } from './fields.ts'

export interface OrganizationNode {
  id: string
  /** '0' at the top level, and for the caller's own organization. */
  parentId: string
  name: string
  code: string
  orderNum: number
  version: number
  children: OrganizationNode[]
}
interface OrganizationInput extends Omit<OrganizationNode, 'id' | 'parentId' | 'children'> {
  id: string | number
  parentId: string | number
  children: OrganizationInput[]
}
const Organization: z.ZodMiniType<OrganizationNode, OrganizationInput> = z.object({
  id: idOut,
  parentId: idOut,
  name: z.string(),
  code: z.string(),
  orderNum: z.number(),
  version: z.number(),
  get children() {
    return z.array(Organization)
  },
}) as unknown as z.ZodMiniType<OrganizationNode, OrganizationInput>

/** The organizations as a tree with the caller's own at its root. Filters call them manufacturers. */
export const listOrganizations = endpoint({
  method: 'POST',
  path: '/organization/all',
  access: 'signedIn',
  summary: '组织（厂商）树',
  input: nothingIn,
  reply: one(z.array(Organization)),
})

export const OrganizationTally = z.object({
  id: idOut,
  operators: z.number(),
  /** Null for a caller who may not see users. */
  users: z.nullable(z.number()),
  devices: z.number(),
  online: z.number(),
  /** Active alarms that stand, and those that are kept quiet. */
  alarms: z.number(),
  shelved: z.number(),
})
export type OrganizationTally = z.output<typeof OrganizationTally>

/**
 * What belongs to each organization itself, as far as the caller may see it: without those under it. An organization
 * without any of it may be missing.
 */
export const countOrganizations = endpoint({
  method: 'POST',
  path: '/organization/counts',
  access: 'signedIn',
  summary: '组织下的用户、设备和告警数',
  input: nothingIn,
  reply: one(z.array(OrganizationTally)),
})

/** The parent in a tree: an id, or '0' for the top level. */
const parentId = z.pipe(
  z.transform(asText),
  z.string({ error: '上级组织无效' }).check(z.regex(/^(0|[1-9]\d{0,17})$/, '上级组织无效')),
)

export const insertOrganization = endpoint({
  ...adding,
  path: '/organization/insert',
  access: 'organization:insert',
  summary: '新增组织',
  input: z.object({
    /** '0' or absent: top level, which only a SYSTEM user may choose. */
    parentId: z.optional(parentId),
    name: text('组织名称', 64),
    code: text('组织编码', 64),
    orderNum: z._default(orderNum, 0),
  }),
})

export const updateOrganization = endpoint({
  ...changing,
  path: '/organization/update',
  access: 'organization:update',
  summary: '修改组织',
  input: z.object({
    id: id('组织'),
    /** Another parent moves the organization with everything below it. Absent: unchanged. */
    parentId: z.optional(parentId),
    name: text('组织名称', 64),
    code: text('组织编码', 64),
    /** Absent: unchanged. */
    orderNum: z.optional(orderNum),
    version,
  }),
})

/** Only for an organization without children, operators and users. */
export const deleteOrganization = endpoint({
  ...deleting,
  path: '/organization/delete/:id',
  access: 'organization:delete',
  summary: '删除组织',
})
