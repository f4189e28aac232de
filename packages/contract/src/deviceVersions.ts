// Versions by device, by part and by board, and the share of the fleet that is up to date.
import * as z from 'zod/mini'
import { exporting } from './commonCalls.ts'
import { deviceFilters } from './devices.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { id, idOut, paging, partTypeCode, seededOut, text, timeOut } from './fields.ts'

const PartVersion = z.object({
  partType: z.string(),
  partTypeName: seededOut,
  /** The address among several parts of this type, e.g. the number of a compartment. */
  addrId: z.string(),
  version: z.string(),
})
export type PartVersion = z.output<typeof PartVersion>

export const VersionedDevice = z.object({
  id: idOut,
  code: z.string(),
  isOnline: z.literal([0, 1]),
  /** Null: never connected. */
  onlineChangedTime: z.nullable(timeOut),
  operatorName: seededOut,
  equipTypeId: idOut,
  equipTypeName: seededOut,
  equipModelName: seededOut,
  regionName: seededOut,
  /** Time of the last report of any kind. */
  updateTime: z.nullable(timeOut),
  /** Sorted by the list of part types, then by number. */
  equipSoftwareVersions: z.array(PartVersion),
})
export type VersionedDevice = z.output<typeof VersionedDevice>

/** A part type, and an exact version of it as reported. */
const partFilters = {
  partType: z.optional(partTypeCode()),
  version: z.optional(text('版本', 64)),
}

/** Each row has all parts of its device, whatever the part filter is. */
export const listDeviceVersions = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/version/list',
  access: 'equipVersion:list',
  summary: '设备版本列表',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...deviceFilters, ...partFilters }),
  reply: page(VersionedDevice),
})

/**
 * The devices of the list whose parts do not match the newest release for them: those with an older version, one row for
 * each device, part type, version and release. With a part filter: of these parts only.
 */
export const exportUnmatchedVersions = endpoint({
  ...exporting,
  method: ['GET', 'POST'],
  path: '/equip/version/notMatch/export',
  access: 'equipVersion:export',
  summary: '导出版本不符的设备',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...deviceFilters, ...partFilters }),
})

/** Devices that report a part of this type; each row has only these parts. */
export const listDevicesByPartType = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/version/query/by/partType',
  access: 'equipVersion:list',
  summary: '按部件查询设备版本',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...deviceFilters, ...partFilters, partType: partTypeCode() }),
  reply: page(VersionedDevice),
})

/**
 * Devices with a part on this board: a part that reports this board, or one that reports none in a model that the
 * board is built into.
 */
export const listDevicesByBoard = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/version/query/by/pcb',
  access: 'equipVersion:list',
  summary: '按板卡查询设备版本',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ...paging,
    ...deviceFilters,
    pcbCode: text('板卡编号', 32, '板卡编号不能为空'),
    version: partFilters.version,
  }),
  reply: page(VersionedDevice),
})

const PartRow = z.extend(PartVersion, {
  hwVersion: z.nullable(z.string()),
  /** The board that the part reports; null where it reports none. */
  pcbCode: z.nullable(z.string()),
  reportTime: timeOut,
})

/** One device with everything that its parts report. */
export const readDeviceVersions = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/version/detail',
  access: 'equipVersion:list',
  summary: '设备版本详情',
  input: z.object({ equipId: id('设备') }),
  reply: one(z.extend(VersionedDevice, { equipSoftwareVersions: z.array(PartRow) })),
})

/** The parts of one type in a device. */
export const PartVersions = z.object({
  partType: z.string(),
  partTypeName: seededOut,
  /** The number of these parts. */
  count: z.number(),
  /** Newest first; versions that are not dotted numbers come last. */
  versions: z.array(z.object({ version: z.string(), count: z.number(), addrIds: z.array(z.string()) })),
  parts: z.array(PartRow),
  /** The newest release for parts of this type in this device; null if there is none. */
  newest: z.nullable(
    z.object({
      softwareVersionId: idOut,
      version: z.string(),
      pcbCode: z.string(),
      fileName: z.string(),
      fileSize: z.number(),
    }),
  ),
  /** The number of parts with an older version than the newest release for them. */
  outdatedCount: z.number(),
})
export type PartVersions = z.output<typeof PartVersions>

export const readPartVersions = endpoint({
  method: ['GET', 'POST'],
  path: '/softwareVersion/equip/version/info',
  access: 'equipVersion:list',
  summary: '设备各部件版本',
  input: z.object({ equipId: id('设备') }),
  reply: one(z.array(PartVersions)),
})

/** The upgrade rate of a part type in an equipment type. */
const UpgradeRateRow = z.object({
  equipTypeId: idOut,
  equipTypeName: seededOut,
  partType: z.string(),
  partTypeName: seededOut,
  /** The newest release for any of these parts. */
  version: z.string(),
  /** Activated devices with such a part, if there is a release for it. */
  deviceCount: z.number(),
  /** Of these, devices whose parts of this type all have the newest release for them, or a newer version. */
  newestCount: z.number(),
  /** The share in percent with one decimal, rounded down, so that 100 means all. */
  rate: z.number(),
})

export const readUpgradeRate = endpoint({
  method: ['GET', 'POST'],
  path: '/slb/equip/upgrade/rate',
  access: 'equipVersion:list',
  summary: '升级率',
  input: z.object({
    organizationId: deviceFilters.organizationId,
    operatorId: deviceFilters.operatorId,
    equipTypeId: deviceFilters.equipTypeId,
    equipModelId: deviceFilters.equipModelId,
    regionCode: deviceFilters.regionCode,
    partType: partFilters.partType,
  }),
  reply: one(z.array(UpgradeRateRow)),
})
