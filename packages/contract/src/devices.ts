import * as z from 'zod/mini'
import { endpoint, nothing, one, page } from './endpoint.ts'
import { byId, id, idOut, list, oneOf, paging, required, text, timeOut } from './fields.ts'

/** 1 activated, 2 not delivered, 3 commissioning. */
export const businessStatuses = [1, 2, 3] as const
export const businessStatusNames = { 1: '已激活', 2: '未投放', 3: '调试中' } as const

export const DeviceCode = z
  .string(required('设备编号不能为空'))
  .check(z.trim(), z.regex(/^[A-Za-z0-9]{1,32}$/, '设备编号只能是1到32位字母或数字'))

export const DeviceRow = z.object({
  id: idOut,
  code: z.string(),
  name: z.nullable(z.string()),
  isOnline: z.literal([0, 1]),
  /** When it last came or went. */
  onlineChangedTime: z.nullable(timeOut),
  organizationId: idOut,
  organizationName: z.string(),
  operatorId: idOut,
  operatorName: z.string(),
  equipTypeId: idOut,
  equipTypeName: z.string(),
  equipClassify: z.string(),
  equipModelId: idOut,
  equipModelName: z.string(),
  regionCode: z.string(),
  /** From the country down: 中国 / 广东省 / 深圳市 / 南山区. */
  regionName: z.string(),
  address: z.nullable(z.string()),
  businessStatus: z.literal(businessStatuses),
  /** Active alarms, and the gravest level among them. */
  alarmCount: z.number(),
  worstAlarmLevel: z.nullable(z.number()),
  /** Last report of any kind. */
  updateTime: z.nullable(timeOut),
  createTime: timeOut,
})
export type DeviceRow = z.output<typeof DeviceRow>

export const deviceFilters = {
  organizationId: z.optional(id('厂商')),
  operatorId: z.optional(id('运营商')),
  equipTypeId: z.optional(id('设备类型')),
  equipModelId: z.optional(id('设备型号')),
  equipClassify: z.optional(text('设备类别', 64)),
  /** Business statuses. */
  statuses: z.optional(list(oneOf('业务状态', businessStatuses), '业务状态', 3)),
  isOnline: z.optional(oneOf('在线状态', [0, 1])),
  /** Device codes, one or several, comma-joined; one alone also finds codes that begin with it. */
  code: z.optional(list(text('设备编号', 32), '设备编号', 500)),
  regionCode: z.optional(text('地区', 12)),
  address: z.optional(text('地址', 200)),
  /** Only devices with an active alarm. */
  hasAlarm: z.optional(oneOf('有无告警', [0, 1])),
}

export const listDevices = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/list',
  access: 'equip:list',
  summary: '设备列表',
  input: z.object({ ...paging, ...deviceFilters }),
  reply: page(DeviceRow),
})

const VersionRow = z.object({
  partType: z.string(),
  partTypeName: z.string(),
  /** Which of several parts of the kind, e.g. the bin's number. */
  addrId: z.string(),
  version: z.string(),
  hwVersion: z.nullable(z.string()),
  reportTime: timeOut,
})

const ParameterRow = z.object({
  id: z.string(),
  name: z.string(),
  value: z.string(),
  reportTime: timeOut,
})

export const DeviceDetail = z.extend(DeviceRow, {
  /** Address it last connected from. */
  connectedFrom: z.nullable(z.string()),
  /** How far its clock is ahead of the server's, ms; null where not yet known. */
  clockOffsetMs: z.nullable(z.number()),
  /** The last status report: free keys and scalar values. */
  status: z.array(z.object({ key: z.string(), value: z.string() })),
  statusTime: z.nullable(timeOut),
  equipSoftwareVersions: z.array(VersionRow),
  parameters: z.array(ParameterRow),
})
export type DeviceDetail = z.output<typeof DeviceDetail>

export const readDevice = endpoint({
  method: 'GET',
  path: '/equip/detail/:id',
  access: 'equip:list',
  summary: '设备详情',
  input: byId,
  reply: one(DeviceDetail),
})

const deviceForm = {
  name: z.optional(text('设备名称', 64)),
  operatorId: id('运营商'),
  equipModelId: id('设备型号'),
  regionCode: text('地区', 12, '地区不能为空'),
  address: z.optional(text('地址', 200)),
}

/** The secret is made here and shown this once. */
const DeviceSecret = z.object({
  id: idOut,
  code: z.string(),
  secret: z.string(),
  /** Where the server that answers takes messages itself; null where they come by another broker. */
  mqttPort: z.nullable(z.number()),
})

export const insertDevice = endpoint({
  method: 'POST',
  path: '/equip/insert',
  access: 'equip:insert',
  summary: '新增设备',
  input: z.object({
    code: DeviceCode,
    ...deviceForm,
    businessStatus: z._default(oneOf('业务状态', businessStatuses), 2),
  }),
  reply: one(DeviceSecret),
  isWrite: true,
  done: '创建成功',
})

export const updateDevice = endpoint({
  method: 'POST',
  path: '/equip/update/:id',
  access: 'equip:update',
  summary: '修改设备',
  input: z.object({
    id: id('设备'),
    ...deviceForm,
    /** Left as it is where absent. */
    businessStatus: z.optional(oneOf('业务状态', businessStatuses)),
  }),
  reply: nothing(),
  isWrite: true,
})

export const renewDeviceSecret = endpoint({
  method: 'POST',
  path: '/equip/secret/:id',
  access: 'equip:secret',
  summary: '重置设备密钥',
  input: byId,
  reply: one(DeviceSecret),
  isWrite: true,
})

export const deleteDevice = endpoint({
  method: 'POST',
  path: '/equip/delete/:id',
  access: 'equip:delete',
  summary: '删除设备',
  input: byId,
  reply: nothing(),
  isWrite: true,
})
