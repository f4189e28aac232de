// Regions: the tree from the country down, and what stands in each.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { nothingIn, orderNum, required, text, version } from './fields.ts'

export interface RegionNode {
  /** The region's id in all calls. */
  code: string
  name: string
  /** Code and name again, with the field names of a cascader; the label in the language of the reader. */
  value: string
  label: string
  parentCode: string | null
  orderNum: number
  version: number
  childrens: RegionNode[]
}
const Region: z.ZodMiniType<RegionNode> = z.object({
  code: z.string(),
  name: z.string(),
  value: z.string(),
  label: z.string(),
  parentCode: z.nullable(z.string()),
  orderNum: z.number(),
  version: z.number(),
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

export const RegionTally = z.object({
  code: z.string(),
  devices: z.number(),
  online: z.number(),
  /** Active alarms that stand, and those that are kept quiet. */
  alarms: z.number(),
  shelved: z.number(),
})
export type RegionTally = z.output<typeof RegionTally>

/** The caller's devices in each region itself, without those below it; regions without any are missing. */
export const countRegions = endpoint({
  method: 'POST',
  path: '/region/counts',
  access: 'signedIn',
  summary: '各地区的设备和告警数',
  input: nothingIn,
  reply: one(z.array(RegionTally)),
})

/** `all` is the root of all regions; other codes may be longer than those of the national standard. */
export const RegionCode = z
  .string(required('请输入地区编码'))
  .check(z.trim(), z.regex(/^[A-Za-z0-9]{1,12}$/, '地区编码只能是 1 到 12 位字母或数字'))

export const insertRegion = endpoint({
  ...adding,
  path: '/region/insert',
  access: 'region:insert',
  summary: '新增地区',
  input: z.object({
    code: RegionCode,
    name: text('地区名称', 64),
    /** Absent: top level. */
    parentCode: z.optional(RegionCode),
    /** Absent: after its siblings. */
    orderNum: z.optional(orderNum),
  }),
})

export const updateRegion = endpoint({
  ...changing,
  path: '/region/update',
  access: 'region:update',
  summary: '修改地区',
  input: z
    .object({
      /** The region's code, in either field. It cannot be changed, because data permissions name it. */
      id: z.optional(RegionCode),
      code: z.optional(RegionCode),
      name: text('地区名称', 64),
      /** Another parent moves the region with everything below it. Absent: unchanged. */
      parentCode: z.optional(RegionCode),
      /** Absent: unchanged. */
      orderNum: z.optional(orderNum),
      version,
    })
    .check(
      z.refine(({ id, code }) => (id ?? code) !== undefined, { error: '请输入地区编码', path: ['code'] }),
      z.refine(({ id, code }) => id === undefined || code === undefined || id === code, {
        error: '地区编码不能修改',
        path: ['code'],
      }),
    ),
})

/** Only for a region without children, devices and data permissions. */
export const deleteRegion = endpoint({
  ...deleting,
  path: '/region/delete/:id',
  access: 'region:delete',
  summary: '删除地区',
  input: z.object({ id: RegionCode }),
})
