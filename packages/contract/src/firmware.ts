/**
 * Packages for upgrades. The console shows them as firmware packages (`/firmware`) and as software versions
 * (`/softwareVersion`): the same rows with the same ids, with separate function codes.
 */
import * as z from 'zod/mini'
import { adding, changing, deleting, uploading } from './commonCalls.ts'
import { endpoint, keptFile, listBodyBytes, one, page } from './endpoint.ts'
import {
  id,
  idOut,
  idsIn,
  integer,
  keptUpload,
  oneOf,
  paging,
  partTypeCode,
  required,
  seededOut,
  text,
  timeOut,
  withoutInvisible,
} from './fields.ts'

export const packageFileLimitBytes = 200 * 1024 * 1024

/** The convention for file names, shown in refusals and in the form. */
export const packageNameConvention =
  '<板卡编号>_<部件>_V<主版本>.<次版本>[_HW<硬件版本>][_M<MCU编号>]_<R|T>.<扩展名>'
export const packageNameExample = 'MB100_EC_MASTER_V1.4_R.bin'

/** The languages of release notes. */
export const remarkLanguages = ['zh', 'en', 'de', 'fr'] as const
export type RemarkLanguage = (typeof remarkLanguages)[number]

const remarkLimit = 2000
const description = z
  .string(required('版本说明不能为空'))
  .check(
    z.overwrite(withoutInvisible),
    z.trim(),
    z.minLength(1, '版本说明不能为空'),
    z.maxLength(remarkLimit, `版本说明长度不能超过${remarkLimit}个字符`),
  )
export const PackageRemark = z.object({ zh: description, en: description, de: description, fr: description })
export type PackageRemark = z.output<typeof PackageRemark>

/**
 * An object, or its JSON text. If missing, it is treated as an object without languages, so that each one is
 * reported.
 */
const remark = z.pipe(
  z.transform((value: unknown) => {
    if (value === undefined) return {}
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value) as unknown
    } catch {
      return value
    }
  }),
  z.object(PackageRemark.shape, { error: '版本说明格式有误' }),
)

const flag = (label: string) => z.optional(oneOf(label, [0, 1]))

export const PackageRow = z.object({
  id: idOut,
  fileName: z.string(),
  /** Identifies the stored file. */
  filePath: z.string(),
  fileSize: z.number(),
  md5: z.string(),
  sha256: z.string(),
  /** The path of the download for signed-in users, under this server's address. */
  fileUrl: z.string(),
  downloadUrl: z.string(),
  pcbCode: z.string(),
  pcbName: z.string(),
  /** Of the board's row: another one may be for other models. */
  pcbVersion: z.number(),
  applyTo: z.string(),
  equipTypeId: idOut,
  equipTypeName: seededOut,
  partType: z.string(),
  partTypeName: seededOut,
  /** `<major>.<minor>` */
  version: z.string(),
  /** Null: for every hardware version. */
  hwVersion: z.nullable(z.string()),
  mcuNum: z.nullable(z.number()),
  /** A release; false for a test version. */
  isRelease: z.boolean(),
  fgRelease: z.literal([0, 1]),
  isAutoUpgrade: z.boolean(),
  /** JSON text with the keys zh, en, de and fr. */
  remark: z.string(),
  createBy: z.string(),
  createTime: timeOut,
  /** Who supplied the present file, and when. */
  uploadBy: z.string(),
  uploadTime: timeOut,
  /** Who switched automatic upgrades on; null while they are off. */
  autoUpgradeBy: z.nullable(z.string()),
  autoUpgradeTime: z.nullable(timeOut),
  /** Who agreed to that, where it reaches more devices than one person decides about. */
  autoUpgradeApprovedBy: z.nullable(z.string()),
  /**
   * Why the package is not offered although automatic upgrades are on: one of its people is gone, or a second person has
   * to agree.
   */
  autoUpgradeStop: z.nullable(z.string()),
  /** It waits for a second person. */
  isAutoUpgradeHeld: z.boolean(),
  /** Devices are left out that who agreed does not reach. */
  isAutoNarrowed: z.boolean(),
  /** When the alarm gate stopped an upgrade with this file; null where it has not, or has let one pass since. */
  gateFailedTime: z.nullable(timeOut),
  /** The version of the row for an update; `version` is the package's own. */
  lockVersion: z.number(),
})
export type PackageRow = z.output<typeof PackageRow>

const packageFilter = z.object({
  ...paging,
  /** Ids of packages, for rows that are on the screen already. */
  ids: idsIn('固件'),
  equipTypeId: z.optional(id('设备类型')),
  partType: z.optional(partTypeCode()),
  /** A prefix of `<major>.<minor>`. */
  version: z.optional(text('软件版本', 32)),
  /** Part of the board's code. */
  pcbCode: z.optional(text('板卡编号', 32)),
  isRelease: flag('版本类型'),
  isAutoUpgrade: flag('自动升级'),
})

const uploadForm = z.object({
  file: keptUpload(),
  /** `create` for a new package, `update` to replace the file of an existing one. */
  type: z._default(z.enum(['create', 'update'], { error: '上传类型只能是 create、update' }), 'create'),
  /** With `update`: the package whose file is replaced. */
  versionId: z.optional(id('固件')),
})

const UploadedPackage = z.object({
  ...z.pick(PackageRow, {
    fileName: true,
    filePath: true,
    md5: true,
    sha256: true,
    fileSize: true,
    fileUrl: true,
    pcbCode: true,
    pcbName: true,
    pcbVersion: true,
    applyTo: true,
    equipTypeId: true,
    equipTypeName: true,
    partType: true,
    partTypeName: true,
    version: true,
    hwVersion: true,
    mcuNum: true,
    fgRelease: true,
  }).shape,
})
/** An uploaded file with the fields read from it. */
export type UploadedPackage = z.output<typeof UploadedPackage>

/**
 * A client sends the fields read from the file back unchanged. They are refused if they differ from the file, so that
 * a client cannot declare another identity.
 */
const fileFields = {
  filePath: text('文件', 200, '请上传文件'),
  pcbCode: text('板卡编号', 32, '板卡编号不能为空'),
  partType: partTypeCode('固件类型不能为空'),
  version: text('软件版本', 32, '软件版本不能为空'),
  fileName: z.optional(text('文件名', 200)),
  md5: z.optional(text('MD5', 64)),
  sha256: z.optional(text('SHA-256', 64)),
  fileSize: z.optional(integer('文件大小', 0, packageFileLimitBytes)),
  equipTypeId: z.optional(id('设备类型')),
  /** Of the upload's answer: a board that was changed since then is a conflict. */
  pcbVersion: z.optional(integer('板卡数据版本', 1, 2_147_483_647)),
  hwVersion: z.optional(text('硬件版本', 32)),
  mcuNum: z.optional(integer('MCU 编号', 0, 999)),
  isRelease: flag('版本类型'),
  fgRelease: flag('版本类型'),
}

const packageForm = {
  ...fileFields,
  remark,
  isAutoUpgrade: z._default(oneOf('自动升级', [0, 1]), 0),
}

const insertForm = z.object(packageForm)
const updateForm = z.object({
  id: id('固件'),
  ...packageForm,
  lockVersion: z.optional(integer('版本', 1, 2_147_483_647)),
})
/** A package as a form is about to save it: its file, and the package that is changed. */
const reachForm = z.object({ filePath: fileFields.filePath, id: z.optional(id('固件')) })
const AutomaticReach = z.object({
  /** In the scope of everybody whose decision it would be; each is upgraded once it is online. */
  devices: z.number(),
  /** So many need a second person's consent. */
  needsConsent: z.boolean(),
})

/** A package, by either of the two field names. */
const named = z.object({ versionId: z.optional(id('固件')), id: z.optional(id('固件')) }).check(
  z.refine(({ versionId, id: other }) => versionId !== undefined || other !== undefined, {
    error: '固件不能为空',
    path: ['versionId'],
  }),
)

/** The upgrade as sent to a device; a command adds its task and the parts to change. */
export const UpgradeJson = z.object({
  partType: z.string(),
  pcbCode: z.string(),
  version: z.string(),
  hwVersion: z.optional(z.string()),
  mcuNum: z.optional(z.number()),
  fileName: z.string(),
  /** Valid for a day without a token. */
  url: z.string(),
  sizeBytes: z.number(),
  md5: z.string(),
  sha256: z.string(),
})
export type UpgradeJson = z.output<typeof UpgradeJson>

// ── What both pages call ─────────────────────────────────────────────────────────────────────

const listingPackages = { method: ['POST', 'GET'], input: packageFilter, reply: page(PackageRow) } as const
const uploadingPackage = {
  ...uploading,
  fileLimitBytes: packageFileLimitBytes,
  input: uploadForm,
  reply: one(UploadedPackage),
} as const
/** The package is saved; its automatic upgrades wait for a second person. */
const automaticWaits = { automaticApprovalId: z.optional(idOut) }
const addingPackage = {
  ...adding,
  reply: one(z.object({ id: idOut, ...automaticWaits })),
  bodyLimitBytes: listBodyBytes,
  input: insertForm,
} as const
/** Descriptions and automatic upgrade, or the file for another one of the same board, part and version. */
const changingPackage = {
  ...changing,
  reply: one(z.object(automaticWaits)),
  bodyLimitBytes: listBodyBytes,
  input: updateForm,
} as const
/** How many devices report an older version, and would be upgraded if the caller switched automatic upgrades on. */
const countingReach = { method: 'POST', input: reachForm, reply: one(AutomaticReach) } as const
const readingJson = { method: 'GET', input: named, reply: one(UpgradeJson) } as const

// ── Firmware packages ────────────────────────────────────────────────────────────────────────

export const listFirmware = endpoint({
  ...listingPackages,
  path: '/firmware/list',
  access: 'firmware:list',
  summary: '固件列表',
})

export const uploadFirmware = endpoint({
  ...uploadingPackage,
  path: '/firmware/upload',
  access: 'firmware:upload',
  summary: '上传固件',
})

export const insertFirmware = endpoint({
  ...addingPackage,
  path: '/firmware/insert',
  access: 'firmware:insert',
  summary: '新增固件',
})

export const updateFirmware = endpoint({
  ...changingPackage,
  path: '/firmware/update/:id',
  access: 'firmware:update',
  summary: '修改固件',
})

export const deleteFirmware = endpoint({
  ...deleting,
  method: ['POST', 'DELETE'],
  path: '/firmware/delete',
  access: 'firmware:delete',
  summary: '删除固件',
  input: named,
})

export const readFirmwareJson = endpoint({
  ...readingJson,
  path: '/firmware/json',
  access: 'firmware:list',
  summary: '固件升级 JSON',
})

export const countFirmwareReach = endpoint({
  ...countingReach,
  path: '/firmware/reach',
  access: 'firmware:list',
  summary: '自动升级设备数',
})

/** Returns the file; a file without a package only to the user who uploaded it. */
export const downloadFirmware = endpoint({
  method: 'GET',
  path: '/firmware/download',
  access: 'firmware:list',
  summary: '下载固件',
  input: z.object({ filePath: text('文件', 200) }),
  reply: keptFile(),
})

// ── Software versions ────────────────────────────────────────────────────────────────────────

export const listSoftwareVersions = endpoint({
  ...listingPackages,
  path: '/softwareVersion/list',
  access: 'softwareVersion:list',
  summary: '软件版本列表',
})

export const uploadSoftwareVersion = endpoint({
  ...uploadingPackage,
  path: '/softwareVersion/upload',
  access: 'softwareVersion:upload',
  summary: '上传软件版本',
})

export const insertSoftwareVersion = endpoint({
  ...addingPackage,
  path: '/softwareVersion/insert',
  access: 'softwareVersion:insert',
  summary: '新增软件版本',
})

export const updateSoftwareVersion = endpoint({
  ...changingPackage,
  path: '/softwareVersion/update/:id',
  access: 'softwareVersion:update',
  summary: '修改软件版本',
})

export const deleteSoftwareVersion = endpoint({
  ...deleting,
  method: ['DELETE', 'POST'],
  path: '/softwareVersion/delete',
  access: 'softwareVersion:delete',
  summary: '删除软件版本',
  input: named,
})

export const countSoftwareVersionReach = endpoint({
  ...countingReach,
  path: '/softwareVersion/reach',
  access: 'softwareVersion:list',
  summary: '自动升级设备数',
})

/** The packages that devices are upgraded with automatically. */
export const listAutoUpgradeVersions = endpoint({
  method: 'GET',
  path: '/softwareVersion/autoupgrade/list',
  access: 'softwareVersion:list',
  summary: '自动升级的软件版本',
  input: z.omit(packageFilter, { isAutoUpgrade: true }),
  reply: page(PackageRow),
})

export const readUpgradeJson = endpoint({
  ...readingJson,
  path: '/equip/version/upgrade/json',
  access: 'softwareVersion:list',
  summary: '软件版本升级 JSON',
})
