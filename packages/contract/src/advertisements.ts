// Advertisements for the screens of cabinets: the file, the period, the cabinets, and the progress of each of them.
import * as z from 'zod/mini'
import { changing, deleting, exporting, uploading } from './commonCalls.ts'
import { StoppedDecider } from './deciders.ts'
import { DeviceChoice } from './deviceChoice.ts'
import {
  attemptsOfDevice,
  countReply,
  countsBy,
  previewedDevices,
  reasonsBy,
  workedDevice,
  workedDevicesIn,
} from './deviceWork.ts'
import { endpoint, keptFile, listBodyBytes, one, page } from './endpoint.ts'
import {
  byId,
  dateTime,
  id,
  idOut,
  idsIn,
  keptUpload,
  limitedTo,
  oneOf,
  paging,
  seededOut,
  text,
  timeOut,
  whenValid,
} from './fields.ts'
import { liveRows } from './live.ts'

/**
 * The progress of a cabinet with an advertisement. `sent`: the cabinet has not answered the command yet. `refused`: the
 * cabinet refuses for good. `ended`: the period was over before the cabinet had the file.
 */
export const deliveryStates = [
  'waiting',
  'sent',
  'stored',
  'shown',
  'failed',
  'refused',
  'removing',
  'removed',
  'ended',
] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The state by period and deletion; computed on each read. */
export const advertisementStatuses = ['planned', 'running', 'over', 'deleted'] as const
export type AdvertisementStatus = (typeof advertisementStatuses)[number]

/** File types that a cabinet's screen can show; a file's type is detected from its content, never from its name. */
export const advertisementContentTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/webm',
] as const
export const advertisementFileLimitBytes = 200 * 1024 * 1024

const counts = countsBy(deliveryStates)
/** Cabinets by state; only those that the caller may see. */
export type DeliveryCounts = z.output<typeof counts>

export const AdvertisementRow = z.object({
  id: idOut,
  adName: z.string(),
  annexUrl: z.string(),
  /** The specification's spelling. */
  fileMame: z.string(),
  adStartTime: timeOut,
  adEndTime: timeOut,
  fgDelete: z.literal([0, 1]),
  createTime: timeOut,
  createBy: z.string(),
  status: z.enum(advertisementStatuses),
  /** Who stops it: nothing more is sent while this user may not publish. Null: nobody, or it is over. */
  stopped: z.nullable(StoppedDecider),
  contentType: z.string(),
  sizeBytes: z.number(),
  /** The advertisement that this one replaces. */
  replacedAdId: z.nullable(idOut),
  replacedAdName: z.nullable(z.string()),
  counts,
})
export type AdvertisementRow = z.output<typeof AdvertisementRow>

export const listAdvertisements = endpoint({
  method: 'GET',
  path: '/ad/page',
  access: 'ad:page',
  summary: '广告列表',
  input: z.object({
    ...paging,
    /** Part of the name. */
    adName: z.optional(text('广告名称', 64)),
    /** Ids of advertisements, for rows that are on the screen already. */
    ids: idsIn('广告'),
    /** Without it, deleted ones are left out. */
    fgDelete: z.optional(oneOf('删除标记', [0, 1])),
  }),
  reply: page(AdvertisementRow),
})

export const uploadAdvertisementFile = endpoint({
  ...uploading,
  path: '/ad/upload/annex',
  access: 'ad:create',
  summary: '上传广告文件',
  fileLimitBytes: advertisementFileLimitBytes,
  input: z.object({ file: keptUpload() }),
  reply: one(
    z.object({
      /** Names the file in `/ad/create`. Only the user that uploaded it can use it, once. */
      annexUrl: z.string(),
      fileMame: z.string(),
      contentType: z.string(),
      sizeBytes: z.number(),
      md5: z.string(),
    }),
  ),
})

const period = {
  adStartTime: dateTime('开始时间', '请选择开始时间'),
  adEndTime: dateTime('结束时间', '请选择结束时间'),
}

export const createAdvertisement = endpoint({
  method: 'POST',
  path: '/ad/create',
  access: 'ad:create',
  summary: '发布广告',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({
      adName: text('广告名称', 64, '请输入广告名称'),
      ...period,
      annexUrl: text('广告文件', 200, '请上传文件'),
      fileMame: text('文件名称', 200, '请上传文件'),
      /** Accepted because the specification sends it; a new advertisement is never deleted. */
      fgDelete: z.optional(oneOf('删除标记', [0])),
      /** The cabinets among the chosen devices; every one that the creator sees where nothing is chosen. */
      cabinets: z._default(DeviceChoice, { isAll: 1 }),
      /** A cabinet stops showing the other one when it has this one. */
      replacedAdId: z.optional(id('被替换的广告')),
    })
    .check(
      z.refine(({ adStartTime, adEndTime }) => adStartTime.replace('T', ' ') < endOf(adEndTime), {
        error: '结束时间应晚于开始时间',
        path: ['adEndTime'],
        when: whenValid('adStartTime', 'adEndTime'),
      }),
    ),
  narrows: ['cabinets'],
  reply: one(z.object({ id: idOut, cabinetCount: z.number() })),
  isWrite: true,
  done: '创建成功',
})

const endOf = (time: string) => (time.length > 10 ? time.replace('T', ' ') : `${time} 23:59:59`)

/** The effect that an advertisement would have now. `chosen` counts devices of any type where some were chosen. */
export const DeliveryPreview = z.object({
  ...previewedDevices,
  types: z.array(z.object({ equipTypeName: seededOut, devices: z.number() })),
})
export type DeliveryPreview = z.output<typeof DeliveryPreview>

export const previewDeliveries = endpoint({
  method: 'POST',
  path: '/ad/create/preview',
  access: 'ad:create',
  summary: '预览广告投放范围',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ cabinets: z._default(DeviceChoice, { isAll: 1 }) }),
  narrows: ['cabinets'],
  reply: one(DeliveryPreview),
})

/** The chosen devices that would not get the advertisement now, and why. */
export const exportLeftOutOfAdvertisement = endpoint({
  ...exporting,
  method: 'POST',
  path: '/ad/create/preview/export',
  access: 'ad:create',
  summary: '导出不投放的设备',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ cabinets: z._default(DeviceChoice, { isAll: 1 }) }),
})

/** Its period ends now: the row stays as one that is over, and the cabinets are told to remove the file. */
export const endAdvertisement = endpoint({
  ...changing,
  path: '/ad/end/:id',
  access: 'ad:delete',
  summary: '结束广告投放',
  input: byId,
  done: '已结束投放',
})

/** The row stays, marked; the cabinets are told to remove the file. */
export const deleteAdvertisement = endpoint({
  ...deleting,
  path: '/ad/delete/:id',
  access: 'ad:delete',
  summary: '删除广告',
})

/** The file as it was uploaded, to be shown in the page; answers Range. */
export const previewAdvertisement = endpoint({
  method: 'GET',
  path: '/ad/advertising/preview',
  access: 'ad:page',
  summary: '预览广告',
  input: z.object({ adId: id('广告') }),
  reply: keptFile(),
})

/** For how many days an address of a shared picture is valid. */
export const shareDays = [1, 7, 30] as const

/**
 * An address under which anybody sees the picture until it expires, its advertisement is deleted, or the caller may no
 * longer share.
 */
export const shareAdvertisement = endpoint({
  method: 'POST',
  path: '/ad/share/:id',
  access: 'ad:share',
  summary: '分享广告图片',
  input: z.object({ id: id('广告'), days: z._default(oneOf('有效天数', shareDays), 7) }),
  /** From the console's own address on: `/pic?…`. */
  reply: one(z.object({ path: z.string(), expiresTime: timeOut })),
  isWrite: true,
})

export const DeliveryRow = z.object({
  id: idOut,
  ...workedDevice,
  state: z.enum(deliveryStates),
  /** `attempts` are those that reached the cabinet. */
  ...attemptsOfDevice,
  storedTime: z.nullable(timeOut),
  shownTime: z.nullable(timeOut),
  /** When the state last changed. */
  changeTime: timeOut,
})
export type DeliveryRow = z.output<typeof DeliveryRow>

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/ad/delivery/page',
  access: 'ad:page',
  summary: '广告投放明细',
  input: z.object({
    ...paging,
    adId: id('广告'),
    ...workedDevicesIn(deliveryStates, '投放状态'),
    ids: idsIn('投放'),
  }),
  reply: page(DeliveryRow),
})

/** Why cabinets failed or refused, the most frequent first. */
export const listFailureReasons = endpoint({
  method: 'GET',
  path: '/ad/delivery/reasons',
  access: 'ad:page',
  summary: '广告投放失败原因',
  input: z.object({ adId: id('广告') }),
  reply: one(reasonsBy(deliveryStates)),
})

export const retryDeliveries = endpoint({
  method: 'POST',
  path: '/ad/delivery/retry/:id',
  access: 'ad:retry',
  summary: '重试广告投放',
  input: z.object({
    id: id('广告'),
    /** Limits the retry to these deliveries; by default all that failed or were refused. */
    deliveryIds: limitedTo('投放'),
  }),
  narrows: ['deliveryIds'],
  reply: countReply,
  isWrite: true,
})

/** Deliveries in the live stream. */
export const liveDeliveries = liveRows('delivery', listDeliveries)
