// Versions by device, by part and by board, and the share of the fleet that is up to date.
import * as z from 'zod/mini'
import { deviceFilters } from './devices.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { partTypeCode } from './equipTypes.ts'
import { id, idOut, paging, text, timeOut } from './fields.ts'

const PartVersion = z.object({
  partType: z.string(),
  partTypeName: z.string(),
  /** Which of several parts of this kind, e.g. the number of a compartment. */
  addrId: z.string(),
  version: z.string(),
})
export type PartVersion = z.output<typeof PartVersion>

export const VersionedDevice = z.object({
  id: idOut,
  code: z.string(),
  isOnline: z.literal([0, 1]),
  /** Null: it was never connected. */
  onlineChangedTime: z.nullable(timeOut),
  operatorName: z.string(),
  equipTypeId: idOut,
  equipTypeName: z.string(),
  equipModelName: z.string(),
  regionName: z.string(),
  /** Time of the last report of any kind. */
  updateTime: z.nullable(timeOut),
  /** Parts in the order of their list, numbered ones in the order of numbers. */
  equipSoftwareVersions: z.array(PartVersion),
})
export type VersionedDevice = z.output<typeof VersionedDevice>

/** A part type, and a version of it: exactly, as the part reports it. */
const partFilters = {
  partType: z.optional(partTypeCode()),
  version: z.optional(text('版本', 64)),
}

/** Each row has all parts of its device, whatever part the list is narrowed by. */
export const listDeviceVersions = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/version/list',
  access: 'equipVersion:list',
  summary: '设备版本列表',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...deviceFilters, ...partFilters }),
  reply: page(VersionedDevice),
})

/** Devices that report a part of this kind; each row has the parts of this kind alone. */
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
 * Devices with a part on this board: a part that reports this board, or one that reports none in a model that has the
 * board there.
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

/** One device with all that it reports of its parts. */
export const readDeviceVersions = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/version/detail',
  access: 'equipVersion:list',
  summary: '设备版本详情',
  input: z.object({ equipId: id('设备') }),
  reply: one(z.extend(VersionedDevice, { equipSoftwareVersions: z.array(PartRow) })),
})

/** Parts of one kind in a device. */
export const PartVersions = z.object({
  partType: z.string(),
  partTypeName: z.string(),
  /** How many there are. */
  count: z.number(),
  /** Newest first; a version that is no dotted number comes last. */
  versions: z.array(z.object({ version: z.string(), count: z.number(), addrIds: z.array(z.string()) })),
  parts: z.array(PartRow),
  /** The newest release for parts of this kind in this device; null where there is none. */
  newest: z.nullable(
    z.object({
      softwareVersionId: idOut,
      version: z.string(),
      pcbCode: z.string(),
      fileName: z.string(),
      fileSize: z.number(),
    }),
  ),
  /** Parts that have an older version than the newest release for them. */
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

/** The upgrade rate of one kind of part of one type of devices. */
const UpgradeRateRow = z.object({
  equipTypeId: idOut,
  equipTypeName: z.string(),
  partType: z.string(),
  partTypeName: z.string(),
  /** The newest release for any of them. */
  version: z.string(),
  /** Activated devices with such a part that a release is for. */
  deviceCount: z.number(),
  /** Those of them whose parts of this kind all have the newest release for them, or a newer version. */
  newestCount: z.number(),
  /** The share in percent, with one decimal, rounded down: 100 is all of them. */
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
