// Circuit boards: which part of which devices a package is for.
import * as z from 'zod/mini'
import { deleting } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import {
  id,
  idOut,
  idsIn,
  list,
  paging,
  partTypeCode,
  required,
  seededOut,
  text,
  timeOut,
  version,
} from './fields.ts'

const codeLimit = 32

/** A board's code, as in file names of packages and in reports of devices. */
const pcbCode = z
  .string(required('板卡编号不能为空'))
  .check(
    z.trim(),
    z.minLength(1, '板卡编号不能为空'),
    z.maxLength(codeLimit, `板卡编号长度不能超过${codeLimit}个字符`),
    z.regex(/^[A-Za-z0-9_-]*$/, '板卡编号只能是字母、数字、下划线和短横线'),
  )

export const BoardRow = z.object({
  id: idOut,
  pcbCode: z.string(),
  pcbName: z.string(),
  /** The type and its models as text: `换电柜` or `换电柜：8仓换电柜、12仓换电柜`. */
  applyTo: z.string(),
  partType: z.string(),
  partTypeName: seededOut,
  equipTypeId: idOut,
  equipTypeName: seededOut,
  /** The models that the board is built into; none means all models of the type. */
  equipModelIds: z.array(idOut),
  createTime: timeOut,
  version: z.number(),
})
export type BoardRow = z.output<typeof BoardRow>

export const listBoards = endpoint({
  method: ['GET', 'POST'],
  path: '/pcb/list',
  access: 'pcb:list',
  summary: '板卡列表',
  input: z.object({
    ...paging,
    /** Ids of boards, for rows that are on the screen already. */
    ids: idsIn('板卡'),
    /** Part of the code or of the name. */
    keyword: z.optional(text('板卡编号或名称', 64)),
    /** Part of the code. */
    pcbCode: z.optional(text('板卡编号', codeLimit)),
    equipTypeId: z.optional(id('设备类型')),
    partType: z.optional(partTypeCode()),
  }),
  reply: page(BoardRow),
})

/** Adds a board; with an id, changes that one. */
export const saveBoard = endpoint({
  method: 'POST',
  path: '/pcb/save',
  access: 'pcb:save',
  summary: '保存板卡',
  input: z.object({
    id: z.optional(id('板卡')),
    pcbCode,
    pcbName: text('板卡名称', 64, '板卡名称不能为空'),
    partType: partTypeCode('部件不能为空'),
    equipTypeId: id('设备类型'),
    equipModelIds: z._default(list(id('设备型号'), '设备型号', 200), []),
    version,
  }),
  reply: one(z.object({ id: idOut })),
  isWrite: true,
  done: '保存成功',
  doneNew: '创建成功',
})

/** Only for a board without packages. */
export const deleteBoard = endpoint({
  ...deleting,
  path: '/pcb/delete/:id',
  access: 'pcb:delete',
  summary: '删除板卡',
})
