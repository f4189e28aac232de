import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { id, idOut, list, nothingIn, text } from './fields.ts'

// The reference lists that filters and forms choose from. Any signed-in user may read them; what
// they list is narrowed to what the caller may see (organizations, operators).

export interface OrganizationNode {
  id: string
  parentId: string
  name: string
  code: string
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
  get children() {
    return z.array(Organization)
  },
}) as unknown as z.ZodMiniType<OrganizationNode, OrganizationInput>

/** Organizations are the manufacturers of the filters: a tree, the caller's own at its root. */
export const listOrganizations = endpoint({
  method: 'POST',
  path: '/organization/all',
  access: 'signedIn',
  summary: '组织（厂商）树',
  input: nothingIn,
  reply: one(z.array(Organization)),
})

export const listOperators = endpoint({
  method: 'POST',
  path: '/operator/all',
  access: 'signedIn',
  summary: '运营商',
  input: z.object({ organId: z.optional(id('厂商')) }),
  reply: one(z.array(z.object({ id: idOut, name: z.string(), organizationId: idOut }))),
})

export const PartType = z.object({ code: z.string(), name: z.string() })

export const listEquipTypes = endpoint({
  method: 'POST',
  path: '/equipType/all',
  access: 'signedIn',
  summary: '设备类型及其型号、部件',
  input: nothingIn,
  reply: one(
    z.array(
      z.object({
        id: idOut,
        name: z.string(),
        code: z.string(),
        /** EQUIP_CLASSIFY: which family of devices the type belongs to. */
        classify: z.string(),
        equipModels: z.array(z.object({ id: idOut, name: z.string(), code: z.string() })),
        partTypes: z.array(PartType),
      }),
    ),
  ),
})

export const listModels = endpoint({
  method: ['GET', 'POST'],
  path: '/model/list',
  access: 'signedIn',
  summary: '设备型号',
  input: z.object({ equipTypeId: z.optional(id('设备类型')) }),
  reply: one(z.array(z.object({ id: idOut, name: z.string(), code: z.string(), equipTypeId: idOut }))),
})

export const listPartTypes = endpoint({
  method: 'GET',
  path: '/partType/list',
  access: 'signedIn',
  summary: '部件类型',
  input: z.object({ equipTypeId: z.optional(id('设备类型')) }),
  reply: one(z.array(PartType)),
})

export interface RegionNode {
  value: string
  label: string
  parentCode: string | null
  childrens: RegionNode[]
}
const Region: z.ZodMiniType<RegionNode> = z.object({
  value: z.string(),
  label: z.string(),
  parentCode: z.nullable(z.string()),
  get childrens() {
    return z.array(Region)
  },
}) as unknown as z.ZodMiniType<RegionNode>

export const listRegions = endpoint({
  method: 'POST',
  path: '/region/tree',
  access: 'signedIn',
  summary: '地区树',
  input: nothingIn,
  reply: one(z.array(Region)),
})

export const listRoles = endpoint({
  method: 'GET',
  path: '/role/all',
  access: 'signedIn',
  summary: '全部角色',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, name: z.string(), code: z.string() }))),
})

/** The spec's spelling. */
export const listRoleNames = endpoint({
  method: 'GET',
  path: '/role/selecAll',
  access: 'signedIn',
  summary: '角色名称',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, name: z.string() }))),
})

export const typeCodes = list(text('类型', 64), '类型', 100)
