// Batch settings: values of parameters for many devices at once, and the progress of each device.
import * as z from 'zod/mini'
import { exporting, madeOrAsked } from './commonCalls.ts'
import { BatchDevices, DeviceChoiceSeen } from './deviceChoice.ts'
import { DeviceCode } from './devices.ts'
import {
  attemptsOfDevice,
  countReply,
  countsBy,
  leftOutBy,
  previewedDevices,
  reasonsBy,
  statesIn,
  workedDevice,
  workedDevicesIn,
} from './deviceWork.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import {
  byId,
  codesOfInput,
  dateTime,
  deviceCodes,
  id,
  idOut,
  idsIn,
  integer,
  limitedTo,
  list,
  oneOf,
  paging,
  range,
  rangeInOrder,
  required,
  saidOut,
  text,
  timeOut,
  whenValid,
} from './fields.ts'
import { liveRows } from './live.ts'
import { ParameterEntry, parameterCatalogue } from './parameters.ts'

/** `restore`: restores the values that the devices had before another batch. */
export const parameterBatchKinds = ['set', 'restore'] as const
export type ParameterBatchKind = (typeof parameterBatchKinds)[number]

/**
 * `paused`: its trial is over, and the other devices wait until a user continues it. `stopping`: stopped, while devices
 * that already have the command are still answering.
 */
export const parameterBatchStates = ['running', 'paused', 'stopping', 'stopped', 'finished'] as const
export type ParameterBatchState = (typeof parameterBatchStates)[number]

/**
 * The progress of a device. `held`: until a user continues the batch after its trial. `waiting`: for its next attempt, or
 * to come online. `sent`: has the command.
 * `confirming`: has reported that it is done, but not yet the values. `refused`: permanently. `expired`: the batch
 * ended first. `skipped`: has the values already, or is set by another batch. `stopped`: by a user, before the
 * command was sent.
 */
export const batchDeviceStates = [
  'held',
  'waiting',
  'sent',
  'confirming',
  'succeeded',
  'failed',
  'refused',
  'expired',
  'skipped',
  'stopped',
] as const
export type BatchDeviceState = (typeof batchDeviceStates)[number]

/** The states that the Excel file contains and that a retry tries again. */
export const failedBatchDeviceStates = ['failed', 'refused', 'expired'] as const

// ── The form ─────────────────────────────────────────────────────────────────────────────────

/** The rule of a batch. */
export const ParamSetRule = z.object(
  {
    /** Attempts per device. An attempt that did not reach the device is not counted. */
    upgradeCount: integer('下发次数', 1, 50),
    /** Minutes between two attempts, and the time that a device has to report the values. */
    interval: integer('间隔时间', 3, 60),
    /** Devices without a result at this time end as expired; by default 3 days from the start, at most 30. */
    endTime: z.optional(dateTime('截止时间')),
  },
  required('请输入下发次数和间隔时间'),
)
export type ParamSetRule = z.output<typeof ParamSetRule>

export const trialDevicesLimit = 50

/**
 * The trial of a batch: a few of its devices get the values first, the others once a user has continued it. Without
 * `codes` the server chooses devices that are online, of as many models and operators as possible.
 */
export const BatchTrial = z
  .object(
    {
      /** How many devices go first; with `codes` it is their number. */
      count: z.optional(integer('试行台数', 1, trialDevicesLimit)),
      /** These devices go first. */
      codes: z.optional(
        z.pipe(
          z.transform(codesOfInput),
          z
            .array(DeviceCode)
            .check(
              z.minLength(1, '请输入试行设备编号'),
              z.maxLength(trialDevicesLimit, `试行设备最多 ${trialDevicesLimit} 台`),
            ),
        ),
      ),
      /**
       * The batch continues by itself so many minutes after the trial, where every device of it has the values and none
       * raised an alarm. Absent: a user has to continue it.
       */
      autoMinutes: z.optional(integer('自动继续时间', 1, 1_440)),
    },
    required('请设置试行台数'),
  )
  .check(
    z.refine(({ count, codes }) => (count === undefined) !== (codes === undefined), {
      error: '试行台数和试行设备编号应只填一项',
      path: ['count'],
      when: whenValid('count', 'codes'),
    }),
  )
export type BatchTrial = z.output<typeof BatchTrial>

const entries = z.pipe(
  z.transform((value: unknown): unknown => value ?? []),
  list(ParameterEntry, '参数', parameterCatalogue.length).check(
    z.minLength(1, '请至少添加一个参数'),
    z.refine((all) => new Set(all.map((entry) => entry.id)).size === all.length, '参数不能重复'),
  ),
)

const batchForm = { entitys: entries, queryParam: BatchDevices }

/** `deviceCount`: those that are set, or would be once a second person has agreed. */
const madeBatch = z.object({
  ...madeOrAsked,
  /** Empty where it waits. */
  code: z.string(),
  deviceCount: z.number(),
})

// ── Batches ──────────────────────────────────────────────────────────────────────────────────

/**
 * Where a trial is. `running`: its devices have no result yet. `waiting`: it is over, and the batch waits to be continued.
 * `continued`: the other devices get the values. `ended`: the batch was over before anybody continued it.
 */
export const batchTrialStates = ['running', 'waiting', 'continued', 'ended'] as const
export type BatchTrialState = (typeof batchTrialStates)[number]

const counts = countsBy(batchDeviceStates)
/** Devices by state; only those that the caller may see. */
export type BatchCounts = z.output<typeof counts>

const trialOut = z.object({
  state: z.enum(batchTrialStates),
  /** How many devices go first. */
  devices: z.number(),
  autoMinutes: z.nullable(z.number()),
  /** When it was over; null while it runs. */
  endTime: z.nullable(timeOut),
  /** When the batch, which waits, continues by itself; null where it does not, as things stand. */
  autoTime: z.nullable(timeOut),
  continueTime: z.nullable(timeOut),
  /** Who continued the batch; null where nobody has, or where it continued by itself. */
  continueBy: z.nullable(z.string()),
  /** Its devices by state; only those that the caller may see. */
  counts,
})
export type BatchTrialShown = z.output<typeof trialOut>

export const ParameterBatchRow = z.object({
  id: idOut,
  /** The batch number. */
  code: z.string(),
  /** The creator's name for it. */
  name: z.nullable(z.string()),
  remark: z.nullable(z.string()),
  kind: z.enum(parameterBatchKinds),
  /** The batch that this one undoes. */
  originId: z.nullable(idOut),
  originCode: z.nullable(z.string()),
  createTime: timeOut,
  createBy: z.string(),
  /** Who agreed to it, where a second person had to. */
  approvedBy: z.nullable(z.string()),
  /** `value` is null if each device gets its own former value. */
  param: z.array(z.object({ id: z.string(), name: saidOut, value: z.nullable(z.string()) })),
  paramSetRule: z.object({ upgradeCount: z.number(), interval: z.number(), endTime: timeOut }),
  queryParam: DeviceChoiceSeen,
  state: z.enum(parameterBatchStates),
  /** Why the batch was stopped by itself: its creator, or who agreed to it, may not set parameters any more. */
  stopNote: z.nullable(saidOut),
  finishTime: z.nullable(timeOut),
  /** Null without a trial. */
  trial: z.nullable(trialOut),
  counts,
})
export type ParameterBatchRow = z.output<typeof ParameterBatchRow>

export const listParameterBatches = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/param/batchSet/list',
  access: 'batchSet:list',
  summary: '批量设置列表',
  input: z
    .object({
      ...paging,
      /** Filters by the time of creation. */
      ...range,
      /** Part of the batch number. */
      code: z.optional(text('批次号', 32)),
      /** Part of the name. */
      name: z.optional(text('名称', 64)),
      /** One or several. */
      state: statesIn(parameterBatchStates, '批次状态'),
      ids: idsIn('批次'),
    })
    .check(rangeInOrder),
  reply: page(ParameterBatchRow),
})

/** Sets the values immediately; offline devices get them when they connect. */
export const insertParameterBatch = endpoint({
  method: 'POST',
  path: '/equip/param/batchSet/insert',
  access: 'batchSet:insert',
  summary: '新增批量设置',
  bodyLimitBytes: listBodyBytes,
  narrows: ['trial'],
  input: z.object({
    name: z.optional(text('名称', 64)),
    remark: z.optional(text('备注', 200)),
    paramSetRule: ParamSetRule,
    ...batchForm,
    trial: z.optional(BatchTrial),
  }),
  reply: one(madeBatch),
  isWrite: true,
  done: '创建成功',
})

/**
 * Why a chosen device is left out. `noParameter`: it is no cabinet, and no device of its model ever reported all of the
 * parameters. `noAbility`: its protocol has no parameters. `observed`: another platform controls it. `sameValue`: it reports these values already. `busy`: another batch sets one of
 * the parameters. For a restoration also `changedSince`: the value is no longer the batch's; `unknownFormer`: the
 * former value is unknown.
 */
export const batchSkips = [
  'noParameter',
  'noAbility',
  'observed',
  'sameValue',
  'busy',
  'changedSince',
  'unknownFormer',
] as const
export type BatchSkip = (typeof batchSkips)[number]

/** The effect that a batch would have now. */
export const ParameterBatchPreview = z.object({
  ...previewedDevices,
  parameters: z.array(
    z.object({
      id: z.string(),
      name: saidOut,
      /** Null if each device gets its own value. */
      value: z.nullable(z.string()),
      /** Of the devices that would be set: those that report another value, those that report this one … */
      changes: z.number(),
      same: z.number(),
      /** … and those that never reported the parameter. */
      unknown: z.number(),
      /** The present values of the devices that change, the most frequent first, at most ten. */
      from: z.array(z.object({ value: z.string(), devices: z.number() })),
    }),
  ),
  skipped: z.array(z.object(leftOutBy(batchSkips))),
  /** Null without a trial, also where nothing would be left for afterwards. */
  trial: z.nullable(
    z.object({
      /** Those that go first, those of them that are offline now, and those that wait. */
      devices: z.number(),
      offline: z.number(),
      rest: z.number(),
    }),
  ),
  /** Codes of the trial that are no devices to be set. */
  trialUnknownCodes: z.array(z.string()),
  /** Codes without a device in the caller's scope. */
  unknownCodes: z.array(z.string()),
})
export type ParameterBatchPreview = z.output<typeof ParameterBatchPreview>

export const previewParameterBatch = endpoint({
  method: 'POST',
  path: '/equip/param/batchSet/preview',
  access: 'batchSet:insert',
  summary: '预览批量设置',
  bodyLimitBytes: listBodyBytes,
  narrows: ['trial'],
  input: z.object({ ...batchForm, trial: z.optional(BatchTrial) }),
  reply: one(ParameterBatchPreview),
})

/** The devices that a batch would leave out now, and why. */
export const exportLeftOutOfBatch = endpoint({
  ...exporting,
  method: 'POST',
  path: '/equip/param/batchSet/preview/export',
  access: 'batchSet:insert',
  summary: '导出不设置的设备',
  bodyLimitBytes: listBodyBytes,
  input: z.object(batchForm),
})

export const ParameterBatchDetail = z.extend(ParameterBatchRow, {
  reasons: reasonsBy(batchDeviceStates),
  /** What the trial has come to so far, beside its counts; null without one. Of devices that the caller sees. */
  trialResult: z.nullable(
    z.object({
      reasons: reasonsBy(batchDeviceStates),
      /** Alarms that began on its devices since, the most frequent first; `level` null: not in the dictionary. */
      alarms: z.array(
        z.object({
          code: z.string(),
          name: saidOut,
          level: z.nullable(z.number()),
          devices: z.number(),
        }),
      ),
      /** The devices that raised them, by their codes. */
      alarmed: z.array(z.object({ equipId: idOut, code: z.string() })),
    }),
  ),
  /** Whether the caller sees all devices of the batch. */
  isWhole: z.boolean(),
  /** Whether the caller sees all devices that the batch still reaches, and so may stop it. */
  isStoppable: z.boolean(),
})
export type ParameterBatchDetail = z.output<typeof ParameterBatchDetail>

export const readParameterBatch = endpoint({
  method: 'GET',
  path: '/equip/param/batchSet/info/:id',
  access: 'batchSet:list',
  summary: '批量设置详情',
  input: byId,
  reply: one(ParameterBatchDetail),
})

// ── Control ──────────────────────────────────────────────────────────────────────────────────

/** Retries the devices that failed, refused or expired, within the caller's scope. */
export const retryParameterBatch = endpoint({
  method: 'POST',
  path: '/equip/param/batchSet/retry/:id',
  access: 'batchSet:retry',
  summary: '重试批量设置',
  input: z.object({
    id: id('批次'),
    /** Limits the retry to these rows. */
    targetIds: limitedTo('明细'),
  }),
  narrows: ['targetIds'],
  reply: countReply,
  isWrite: true,
})

/**
 * After the trial of a batch, sets the other devices, too. The caller sees every device that the batch still reaches,
 * and is then one of those whose decision it carries.
 */
export const continueParameterBatch = endpoint({
  method: 'POST',
  path: '/equip/param/batchSet/continue/:id',
  // Whoever makes batches can continue their own.
  access: ['batchSet:retry', 'batchSet:insert'],
  summary: '继续批量设置',
  input: byId,
  reply: countReply,
  isWrite: true,
})

/** Withdraws commands that have not been sent; a device that has its command continues, without a retry. */
export const stopParameterBatch = endpoint({
  method: 'POST',
  path: '/equip/param/batchSet/stop/:id',
  access: 'batchSet:stop',
  summary: '停止批量设置',
  input: byId,
  reply: countReply,
  isWrite: true,
})

/** The effect that `restoreParameterBatch` would have now. */
export const previewRestoration = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/param/batchSet/restore/preview/:id',
  access: 'batchSet:restore',
  summary: '预览恢复原值',
  input: byId,
  reply: one(ParameterBatchPreview),
})

/** The devices of the batch that `restoreParameterBatch` would leave out now, and why. */
export const exportLeftOutOfRestoration = endpoint({
  ...exporting,
  path: '/equip/param/batchSet/restore/preview/export/:id',
  access: 'batchSet:restore',
  summary: '导出不恢复的设备',
  input: byId,
})

/** Creates the batch that restores each device's former values, within the caller's scope. */
export const restoreParameterBatch = endpoint({
  method: 'POST',
  path: '/equip/param/batchSet/restore/:id',
  access: 'batchSet:restore',
  summary: '恢复批量设置前的参数',
  input: z.object({
    id: id('批次'),
    /** By default the rule of the batch. */
    paramSetRule: z.optional(ParamSetRule),
  }),
  reply: one(madeBatch),
  isWrite: true,
  done: '创建成功',
})

// ── Devices and their log ────────────────────────────────────────────────────────────────────

export const BatchDeviceRow = z.object({
  id: idOut,
  ...workedDevice,
  state: z.enum(batchDeviceStates),
  /** Whether it is one of those that go first. */
  isTrial: z.boolean(),
  /** `attempts` are those that failed. */
  ...attemptsOfDevice,
  values: z.array(
    z.object({
      id: z.string(),
      name: saidOut,
      value: z.string(),
      /** The value that the device reported before the batch; null without a report. */
      former: z.nullable(z.string()),
      /** The value that it reports now. */
      current: z.nullable(z.string()),
    }),
  ),
  /** When the device was found to have the values. */
  verifiedTime: z.nullable(timeOut),
  /** When the state last changed. */
  changeTime: timeOut,
})
export type BatchDeviceRow = z.output<typeof BatchDeviceRow>

export const listBatchDevices = endpoint({
  method: ['GET', 'POST'],
  path: '/equip/param/batchSet/devices',
  access: 'batchSet:list',
  summary: '批量设置明细',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ...paging,
    id: id('批次'),
    ...workedDevicesIn(batchDeviceStates, '设置状态'),
    /** 1: those that go first; 0: the others. */
    isTrial: z.optional(oneOf('试行设备', [0, 1])),
    ids: idsIn('明细'),
  }),
  reply: page(BatchDeviceRow),
})

/**
 * The result of an attempt; `underWay` until it has ended. `unconfirmed`: reported as done, but the values never
 * arrived.
 */
export const attemptResults = [
  'underWay',
  'succeeded',
  'failed',
  'refused',
  'unanswered',
  'unconfirmed',
  'offline',
  'stopped',
] as const
export type AttemptResult = (typeof attemptResults)[number]

export const BatchLogRow = z.object({
  id: idOut,
  equipId: idOut,
  code: z.string(),
  /** The number of the device's attempt, from 1. */
  attempt: z.number(),
  result: z.enum(attemptResults),
  reason: z.nullable(saidOut),
  /** The values of the attempt. */
  values: z.array(z.object({ id: z.string(), name: saidOut, value: z.string() })),
  /** When it was due; the device may have been offline. */
  createTime: timeOut,
  /** When the command was sent to the device; null if it was not. */
  sendTime: z.nullable(timeOut),
  /** When the device answered; null without an answer. */
  answerTime: z.nullable(timeOut),
  /** When it ended. */
  endTime: z.nullable(timeOut),
})
export type BatchLogRow = z.output<typeof BatchLogRow>

/** Every attempt of a batch, the newest first. */
export const listBatchLog = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/param/set/log/:id',
  access: 'batchSet:list',
  summary: '批量设置日志',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ...paging,
    id: id('批次'),
    results: statesIn(attemptResults, '下发结果'),
    code: z.optional(deviceCodes),
    /** Limits the log to one row of the batch's devices. */
    targetId: z.optional(id('明细')),
  }),
  reply: page(BatchLogRow),
})

/** An Excel file of the devices that failed, refused or expired. */
export const exportFailedBatchDevices = endpoint({
  ...exporting,
  method: ['GET', 'POST'],
  path: '/equip/param/log/export/fail',
  access: 'batchSet:export',
  summary: '导出设置失败的设备',
  input: z.object({ id: id('批次') }),
})

// ── Live ─────────────────────────────────────────────────────────────────────────────────────

export const liveParameterBatches = liveRows('parameterBatch', listParameterBatches)

/** Rows of `/equip/param/batchSet/devices`. */
export const liveBatchDevices = liveRows('batchDevice', listBatchDevices)
