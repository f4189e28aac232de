import * as z from 'zod/mini'
import { adding, deleting } from './commonCalls.ts'
import { endpoint, page } from './endpoint.ts'
import { id, idOut, paging, partTypeCode, required, seededOut, text, timeOut } from './fields.ts'

/** A required text, with the specification's message for one that is too long. */
const limited = (label: string, most: number, message: string) =>
  z
    .string(required(`${label}不能为空`))
    .check(z.trim(), z.minLength(1, `${label}不能为空`), z.maxLength(most, message))

export const HwVersionRow = z.object({
  id: idOut,
  /** Id of the equipment type. */
  equipType: idOut,
  equipTypeName: seededOut,
  equipModelId: idOut,
  equipModelName: seededOut,
  partType: z.string(),
  partTypeName: seededOut,
  versionName: z.string(),
  versionCode: z.string(),
  versionNote: z.nullable(z.string()),
  createTime: timeOut,
})
export type HwVersionRow = z.output<typeof HwVersionRow>

export const listHwVersions = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/hwVersion/page/list',
  access: 'hwVersion:list',
  summary: '硬件版本列表',
  input: z.object({
    ...paging,
    equipTypeId: z.optional(id('设备类型')),
    /** The same filter by the name of the form's field. */
    equipType: z.optional(id('设备类型')),
    equipModelId: z.optional(id('设备型号')),
    partType: z.optional(partTypeCode()),
    /** Part of the name or of the code. */
    versionName: z.optional(text('版本名称', 20)),
  }),
  reply: page(HwVersionRow),
})

/** The specification's spelling of the path. */
export const insertHwVersion = endpoint({
  ...adding,
  path: '/equip/hwVersion/cearte',
  access: 'hwVersion:insert',
  summary: '新增硬件版本',
  input: z.object({
    equipType: id('设备类型'),
    equipModelId: id('设备型号'),
    partType: partTypeCode('部件不能为空'),
    versionName: limited('版本名称', 20, '版本名称长度不能超过20个字符'),
    versionCode: limited('版本号', 10, '版本号长度不能超过10个字符'),
    versionNote: z.optional(text('版本说明', 200)),
  }),
})

export const deleteHwVersion = endpoint({
  ...deleting,
  path: '/equip/hwVersion/delete/:id',
  access: 'hwVersion:delete',
  summary: '删除硬件版本',
})
