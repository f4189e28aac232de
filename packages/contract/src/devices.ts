// The registry of devices: list, details, adding, changing, deleting, secrets.
import * as z from 'zod/mini'
import { changing, deleting } from './commonCalls.ts'
import { SpokenProtocol } from './deviceAbilities.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import {
  byId,
  deviceCodes,
  deviceKeyword,
  id,
  idOut,
  idsIn,
  integer,
  list,
  oneOf,
  paging,
  required,
  seededOut,
  sorting,
  text,
  timeOut,
  version,
} from './fields.ts'
import { type LiveNoun, liveRows } from './live.ts'
import { deviceProtocols } from './protocols.ts'

/** 1 activated, 2 not delivered, 3 commissioning. */
export const businessStatuses = [1, 2, 3] as const
export const businessStatusNames = { 1: '已激活', 2: '未交付', 3: '调试中' } as const

export const DeviceCode = z
  .string(required('请输入设备编号'))
  .check(z.trim(), z.regex(/^[A-Za-z0-9]{1,32}$/, '设备编号只能是 1 到 32 位字母或数字'))

/**
 * Offline times in hours for the filter. Devices beyond `longOfflineHours` need attention: the home page counts them.
 */
export const longOfflineHours = 1
export const offlineHours = [longOfflineHours, 24, 72, 168] as const

/** Why the server throttles a device (限流). */
export const throttleReasons = {
  messages: '报文过多，按上限接收',
  bytes: '数据量过大，按上限接收',
  refusals: '被拒绝的报文过多，连接已断开，暂不允许接入',
  alarms: '当前告警数已达上限，新的告警不再接收',
  codes: '未知编码数已达上限，新的未知编码不再接收',
} as const
export type ThrottleReason = keyof typeof throttleReasons

export const DeviceRow = z.object({
  id: idOut,
  code: z.string(),
  name: z.nullable(z.string()),
  isOnline: z.literal([0, 1]),
  /** When the device last came online or went offline. */
  onlineChangedTime: z.nullable(timeOut),
  organizationId: idOut,
  organizationName: seededOut,
  operatorId: idOut,
  operatorName: seededOut,
  equipTypeId: idOut,
  equipTypeName: seededOut,
  equipClassify: z.string(),
  equipModelId: idOut,
  equipModelName: seededOut,
  regionCode: z.string(),
  /** From the country down: 中国 / 广东省 / 深圳市 / 南山区. */
  regionName: seededOut,
  address: z.nullable(z.string()),
  businessStatus: z.literal(businessStatuses),
  protocol: z.enum(deviceProtocols),
  /** Since when and why the device is throttled; null while it is not. */
  throttledSince: z.nullable(timeOut),
  throttleReason: z.nullable(z.enum(Object.keys(throttleReasons) as [ThrottleReason, ...ThrottleReason[]])),
  /** Number of active alarms that stand, the most severe level among them, and the number of those kept quiet. */
  alarmCount: z.number(),
  worstAlarmLevel: z.nullable(z.number()),
  shelvedCount: z.number(),
  /** Compartments with a full battery, and those that are neither faulty nor disabled; null where none is reported. */
  fullCount: z.nullable(z.number()),
  usableCount: z.nullable(z.number()),
  /** Time of the last report of any kind. */
  updateTime: z.nullable(timeOut),
  createTime: timeOut,
  version: z.number(),
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
  /** 1 online. 0 offline: was connected, but is not now. 2 never connected, which is neither. */
  isOnline: z.optional(oneOf('在线状态', [0, 1, 2])),
  /** Offline for more than this many hours. */
  offlineHours: z.optional(oneOf('离线时长', offlineHours)),
  /** Whether the device was ever connected. */
  hasConnected: z.optional(oneOf('接入状态', [0, 1])),
  /** Codes in any case. One that is not a complete code matches as a part of codes. */
  code: z.optional(deviceCodes),
  /** Parts of code, name and address: any of the codes, and all of the other words. */
  keyword: z.optional(deviceKeyword),
  regionCode: z.optional(text('地区', 12)),
  address: z.optional(text('地址', 200)),
  /** Only devices with an active alarm that is not kept quiet. */
  hasAlarm: z.optional(oneOf('有无告警', [0, 1])),
  /** Only devices that report compartments, and fewer than this many with a full battery. */
  fullFewerThan: z.optional(integer('满电数', 1, 65)),
  ids: idsIn('设备'),
}

const protocol = z.enum(deviceProtocols, { error: `接入协议只能是 ${deviceProtocols.join('、')}` })

/** Of their list and its file. Where devices are chosen for a task, its kind decides about the protocol. */
export const deviceListFilters = { ...deviceFilters, protocol: z.optional(protocol) }

export const listDevices = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/list',
  access: 'equip:list',
  summary: '设备列表',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...deviceListFilters, ...sorting(['code']) }),
  reply: page(DeviceRow),
})

/** Devices that connect, disconnect, are edited, or whose alarms change. */
export const liveDevices = liveRows('devices', listDevices)

/** Devices that reported parameters: a separate noun, because rows of the list show no parameters. */
export const liveDeviceParameters = {
  noun: 'deviceParameters',
  access: listDevices.access,
} as const satisfies LiveNoun

const VersionRow = z.object({
  partType: z.string(),
  partTypeName: seededOut,
  /** The address among several parts of this type, e.g. the number of a compartment. */
  addrId: z.string(),
  version: z.string(),
  hwVersion: z.nullable(z.string()),
  /** The board that the part reports. */
  pcbCode: z.nullable(z.string()),
  reportTime: timeOut,
})

const ParameterRow = z.object({
  id: z.string(),
  name: z.string(),
  value: z.string(),
  reportTime: timeOut,
})

export const DeviceDetail = z.extend(DeviceRow, {
  /** What it calls itself in its maker's topics and at its sign-in, where that is not its code. */
  protocolIdentity: z.nullable(z.string()),
  /** The protocol that it speaks, and what cannot be told in it. */
  speaks: SpokenProtocol,
  /** The address that the device last connected from. */
  connectedFrom: z.nullable(z.string()),
  /** The offset of the device's clock against the server's, in ms, positive if it is ahead; null if unknown. */
  clockOffsetMs: z.nullable(z.number()),
  /** The last status report; the device chooses the keys, and the values are scalars. */
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
  operatorId: id('运营商', '请选择运营商'),
  equipModelId: id('设备型号', '请选择设备型号'),
  regionCode: text('地区', 12, '请选择地区'),
  address: z.optional(text('地址', 200)),
  /** Of a device of another maker, which calls itself so. Absent: unchanged; the device's code: none. */
  protocolIdentity: z.optional(
    text('接入标识', 64).check(
      z.regex(/^[!-~]*$/, '接入标识只能是可见的英文字符'),
      z.regex(/^[^/+#]*$/, '接入标识不能含 /、+、#'),
    ),
  ),
}

/** The secret is generated by the server and returned only in this answer. */
const DeviceSecret = z.object({
  id: idOut,
  code: z.string(),
  secret: z.string(),
  protocol: z.enum(deviceProtocols),
  /** The MQTT port of the answering server; null where devices connect to an external broker. */
  mqttPort: z.nullable(z.number()),
  /** The port of MQTT over TLS; null without TLS. */
  mqttTlsPort: z.nullable(z.number()),
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
    protocol: z._default(protocol, 'mqtt'),
  }),
  reply: one(DeviceSecret),
  isWrite: true,
  done: '创建成功',
})

export const updateDevice = endpoint({
  ...changing,
  path: '/equip/update/:id',
  access: 'equip:update',
  summary: '修改设备',
  input: z.object({
    id: id('设备'),
    ...deviceForm,
    /** Absent: unchanged. */
    businessStatus: z.optional(oneOf('业务状态', businessStatuses)),
    /** Absent: unchanged. */
    protocol: z.optional(protocol),
    version,
  }),
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
  ...deleting,
  path: '/equip/delete/:id',
  access: 'equip:delete',
  summary: '删除设备',
})
