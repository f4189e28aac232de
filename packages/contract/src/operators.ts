import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import { id, idOut, idsIn, paging, seededOut, text, timeOut, version } from './fields.ts'

/** The operators whose devices the caller may see. */
export const listOperators = endpoint({
  method: 'POST',
  path: '/operator/all',
  access: 'signedIn',
  summary: '运营商',
  input: z.object({ organId: z.optional(id('厂商')) }),
  reply: one(z.array(z.object({ id: idOut, name: seededOut, organizationId: idOut }))),
})

export const OperatorRow = z.object({
  id: idOut,
  name: z.string(),
  code: z.string(),
  organizationId: idOut,
  organizationName: seededOut,
  /** Number of its devices that the caller may see. */
  deviceCount: z.number(),
  createTime: timeOut,
  version: z.number(),
})
export type OperatorRow = z.output<typeof OperatorRow>

export const searchOperators = endpoint({
  method: ['POST', 'GET'],
  path: '/operator/list',
  access: 'operator:list',
  summary: '运营商列表',
  input: z.object({
    ...paging,
    /** Part of it. */
    name: z.optional(text('运营商名称', 64)),
    /** Part of it. */
    code: z.optional(text('运营商编码', 64)),
    /** Includes the organizations below it. */
    organizationId: z.optional(id('组织')),
    ids: idsIn('运营商'),
  }),
  reply: page(OperatorRow),
})

const operatorForm = {
  name: text('运营商名称', 64),
  code: text('运营商编码', 64),
  organizationId: id('所属组织', '请选择所属组织'),
}

export const insertOperator = endpoint({
  ...adding,
  path: '/operator/insert',
  access: 'operator:insert',
  summary: '新增运营商',
  input: z.object(operatorForm),
})

export const updateOperator = endpoint({
  ...changing,
  path: '/operator/update',
  access: 'operator:update',
  summary: '修改运营商',
  input: z.object({ id: id('运营商'), ...operatorForm, version }),
})

/** Only for an operator without devices and without data permissions that name it. */
export const deleteOperator = endpoint({
  ...deleting,
  path: '/operator/delete/:id',
  access: 'operator:delete',
  summary: '删除运营商',
})
