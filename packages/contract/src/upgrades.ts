// Upgrades: a task brings software packages to devices in stages, each of which has to pass before the next; every
// part of a device is a target with its own state.
import * as z from 'zod/mini'
import { addingOrAsking, changing, deleting, exporting, madeOrAsked } from './commonCalls.ts'
import { DeviceChoice, DeviceChoiceSeen } from './deviceChoice.ts'
import {
  attemptsOfDevice,
  countReply,
  countsBy,
  leftOutBy,
  previewedDevices,
  reasonsBy,
  workedDevice,
  workedDevicesIn,
} from './deviceWork.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import {
  byId,
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
  partTypeCode,
  range,
  rangeInOrder,
  saidOut,
  seededOut,
  text,
  timeOut,
  whenValid,
} from './fields.ts'
import { liveRows } from './live.ts'

/** The origin of a task: planned by a user, for single devices at once, automatic, or a rollback. */
export const upgradeTypes = ['SCHEDULE', 'SINGLE', 'AUTO', 'ROLLBACK'] as const
export type UpgradeType = (typeof upgradeTypes)[number]

/** The wire's `status` has fewer values: 0 planned; 1 running and paused; 2 finished and cancelled. */
export const upgradeTaskStates = ['planned', 'running', 'paused', 'finished', 'cancelled'] as const
export type UpgradeTaskState = (typeof upgradeTaskStates)[number]
export const upgradeStatuses = [0, 1, 2] as const
export type UpgradeStatus = (typeof upgradeStatuses)[number]

/** `failed`: stopped by the failure threshold or by new alarms, until a user resumes the task. */
export const upgradeStageStates = ['pending', 'running', 'soaking', 'passed', 'failed'] as const
export type UpgradeStageState = (typeof upgradeStageStates)[number]
/** As an answer has it: a stage that was under way when its task ended is `ended`. A retry of the task continues it. */
export const upgradeStageShownStates = [...upgradeStageStates, 'ended'] as const
export type UpgradeStageShownState = (typeof upgradeStageShownStates)[number]

/**
 * The progress of one part of one device. `installing` lasts until the device reports the new version, even if it has
 * reported that it is done. `timedOut`: the device was offline or went silent.
 */
export const upgradeTargetStates = [
  'waiting',
  'sent',
  'downloading',
  'installing',
  'succeeded',
  'failed',
  'refused',
  'timedOut',
  'skipped',
  'cancelled',
] as const
export type UpgradeTargetState = (typeof upgradeTargetStates)[number]

/**
 * Why a task is paused: by a user, too many failures, new alarms after the upgrade, a stage of which no device has
 * succeeded, or a decider who is gone.
 */
export const upgradePauseReasons = ['user', 'failures', 'alarms', 'unverified', 'decider'] as const
export type UpgradePauseReason = (typeof upgradePauseReasons)[number]

// ── The form ─────────────────────────────────────────────────────────────────────────────────

export const upgradeStagesLimit = 20
/** The maximum number of parts that one task can upgrade, one after the other. */
export const upgradePackagesLimit = 10

/** A share of the task's devices, or a number of them; the last stage takes the rest. */
const StageForm = z
  .object({
    percent: z.optional(integer('批次比例', 1, 100)),
    count: z.optional(integer('批次台数', 1, 10_000_000)),
    /** How long the stage is watched before the next one begins. */
    soakMinutes: z._default(integer('观察时间', 0, 10_080), 30),
  })
  .check(
    z.refine(({ percent, count }) => (percent === undefined) !== (count === undefined), {
      error: '每批请填写比例或台数之一',
      path: ['percent'],
    }),
  )

/** The rule of a task. Every field has a default that suits any fleet. */
export const UpgradeRule = z.object({
  /** By default the type of the packages. */
  equipTypeId: z.optional(id('设备类型')),
  /** By default 5 %, 25 % and the rest; a single stage for 20 devices or fewer. */
  stages: z.optional(list(StageForm, '批次', upgradeStagesLimit)),
  /** The number of devices that begin per minute. */
  pacePerMinute: z._default(integer('每分钟台数', 1, 100_000), 1_000),
  /** The task pauses if more than this share of the targets of a stage that have begun did not succeed … */
  failurePercent: z._default(integer('失败率上限', 1, 100), 20),
  /** … once at least this many have begun. */
  minSample: z._default(integer('最少样本数', 1, 10_000), 5),
  /** The levels of alarms that the gate counts. */
  alarmLevels: z._default(list(oneOf('告警级别', [1, 2, 3, 4]), '告警级别', 4), [1, 2]),
  /** Attempts per target. */
  attempts: z._default(integer('尝试次数', 1, 10), 3),
  /** The interval between two attempts. */
  intervalMinutes: z._default(integer('重试间隔', 1, 1_440), 5),
  /** An attempt fails if a device that downloads or installs sends nothing for this long. */
  stallMinutes: z._default(integer('无响应时限', 1, 1_440), 15),
  /** The time for the version report of a device that has reported that it is done. */
  verifyMinutes: z._default(integer('版本确认时限', 1, 1_440), 10),
  /** Targets without a result at this time end as timed out. */
  endTime: z.optional(dateTime('任务结束时间')),
  /** Skips the alarm gate. */
  skipGate: z._default(z.boolean('告警门禁开关无效'), false),
})
export type UpgradeRule = z.output<typeof UpgradeRule>

const packageIds = {
  softwareVersionId: z.optional(id('软件文件', '请选择软件文件')),
  /** For several parts: each device is upgraded in this order, one part after the other. */
  softwareVersionIds: z.optional(list(id('软件文件'), '软件文件', upgradePackagesLimit)),
}
const isPackageNamed = z.refine<{
  softwareVersionId?: string | undefined
  softwareVersionIds?: string[] | undefined
}>(
  ({ softwareVersionId, softwareVersionIds }) =>
    softwareVersionId !== undefined || (softwareVersionIds?.length ?? 0) > 0,
  {
    error: '请选择软件文件',
    path: ['softwareVersionId'],
    when: whenValid('softwareVersionId', 'softwareVersionIds'),
  },
)
const usualRule = z._default(UpgradeRule, {
  pacePerMinute: 1_000,
  failurePercent: 20,
  minSample: 5,
  alarmLevels: [1, 2],
  attempts: 3,
  intervalMinutes: 5,
  stallMinutes: 15,
  verifyMinutes: 10,
  skipGate: false,
})

const taskForm = {
  ...packageIds,
  remark: z.optional(text('备注', 200)),
  upgradeTime: z.string({ error: '请选择升级时间' }).check(
    z.minLength(1, '请选择升级时间'),
    z.refine(
      (value) => z.safeParse(dateTime('升级时间'), value).success,
      '升级时间格式应为 YYYY-MM-DD HH:mm:ss',
    ),
  ),
  upgradeRule: usualRule,
  /** Devices of the packages' type; by default all of them in the creator's scope. */
  devices: z._default(DeviceChoice, { isAll: 1 }),
}

// ── Tasks ────────────────────────────────────────────────────────────────────────────────────

const counts = countsBy(upgradeTargetStates)
/** Targets by state, of the devices that the caller may see; at most a few seconds old while a task runs. */
export type UpgradeCounts = z.output<typeof counts>

export const UpgradeFailureFigures = z.object({
  /** Targets that have begun: with a result or running, but not a command that waits for an offline device. */
  begun: z.number(),
  /** Targets with a result: succeeded, failed, refused, timedOut. */
  executed: z.number(),
  /** Of these, the targets that did not succeed. */
  failed: z.number(),
  failurePercent: z.number(),
  minSample: z.number(),
})

/** The figures of the alarm gate for a stage; `describeGate` writes them as text. */
export const UpgradeGateFigures = z.object({
  /** When they were computed. */
  time: timeOut,
  /** Devices of the stage whose upgrade is verified … */
  verified: z.number(),
  /** … and those of them with a new alarm since. */
  alarmed: z.number(),
  /** The number that may have one, by the alarms before the upgrade and those of devices not upgraded yet. */
  allowed: z.number(),
  passes: z.boolean(),
  /** The alarm that `alarmed` and `allowed` are about; null for all alarms together. */
  code: z.nullable(z.string()),
  alarmLevels: z.array(z.number()),
  /** How long the devices have been observed; the spans that they are compared with have the same length. */
  windowHours: z.number(),
  /** The expected number per 100 devices: the higher of the two below. */
  expectedPercent: z.number(),
  beforePercent: z.number(),
  /** Null if too few devices without upgrade are left. */
  controlPercent: z.nullable(z.number()),
  /** The new alarms, the most frequent first; `level` is null for codes that the dictionary does not know. */
  alarms: z.array(
    z.object({ code: z.string(), name: z.string(), level: z.nullable(z.number()), devices: z.number() }),
  ),
  /** Some of the devices with new alarms, within the caller's scope; the figures above include all. */
  devices: z.array(z.object({ equipId: idOut, code: z.string() })),
})
export type UpgradeGateFigures = z.output<typeof UpgradeGateFigures>

const pause = z.object({
  reason: z.enum(upgradePauseReasons),
  time: timeOut,
  /** A sentence for users. */
  note: saidOut,
  /** The user's name; null if the task paused itself. */
  by: z.nullable(z.string()),
  /** The number of the stage that was stopped; null for a pause by a user. */
  stage: z.nullable(z.number()),
  failures: z.nullable(UpgradeFailureFigures),
  gate: z.nullable(UpgradeGateFigures),
})

const TaskPackage = z.object({
  softwareVersionId: idOut,
  partType: z.string(),
  partTypeName: seededOut,
  pcbCode: z.string(),
  version: z.string(),
  hwVersion: z.nullable(z.string()),
  isRelease: z.boolean(),
  fileName: z.string(),
})

export const UpgradeTaskRow = z.object({
  id: idOut,
  type: z.enum(upgradeTypes),
  /** The package of the first part. */
  softwareVersionId: idOut,
  /** In the order in which a device gets them. */
  packages: z.array(TaskPackage),
  remark: z.nullable(z.string()),
  upgradeTime: timeOut,
  upgradeRule: z.extend(UpgradeRule, { equipTypeId: idOut }),
  devices: DeviceChoiceSeen,
  status: z.literal(upgradeStatuses),
  state: z.enum(upgradeTaskStates),
  equipTypeName: seededOut,
  /** All part types, joined by 、. */
  partTypeName: seededOut,
  /** All versions, joined by 、, e.g. `1.4`. */
  version: z.string(),
  createBy: z.string(),
  /** Who agreed to its last form, where a second person had to. */
  approvedBy: z.nullable(z.string()),
  createTime: timeOut,
  /** Why a planned task will not be executed, or was not: one of its people is gone. */
  stopNote: z.nullable(saidOut),
  startTime: z.nullable(timeOut),
  finishTime: z.nullable(timeOut),
  /** The number of the present stage; null before the start. */
  stage: z.nullable(z.number()),
  stageCount: z.number(),
  pause: z.nullable(pause),
  counts,
  /** The task that this one undoes. */
  rollbackOf: z.nullable(idOut),
  /** The packages that a rollback takes back, as `主控 1.66`; null of another task. */
  rolledBack: z.nullable(z.string()),
  /** The version of the row, for an update. */
  lockVersion: z.number(),
})
export type UpgradeTaskRow = z.output<typeof UpgradeTaskRow>

export const listUpgradeTasks = endpoint({
  method: ['POST', 'GET'],
  path: '/equipUpgradeTask/list',
  access: 'upgrade:list',
  summary: '升级任务列表',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ...paging,
    type: z._default(z.enum([...upgradeTypes, 'ALL'], { error: '任务类型无效' }), 'SCHEDULE'),
    equipTypeId: z.optional(id('设备类型')),
    partTypes: z.optional(list(partTypeCode(), '部件', 100)),
    /** The same filter for a single part type. */
    partType: z.optional(partTypeCode()),
    /** An exact version, e.g. `1.4`. */
    version: z.optional(text('软件版本', 32)),
    status: z.optional(oneOf('任务状态', upgradeStatuses)),
    /** Tasks that include this device. */
    equipId: z.optional(id('设备')),
    ids: idsIn('升级任务'),
  }),
  reply: page(UpgradeTaskRow),
})

export const insertUpgradeTask = endpoint({
  ...addingOrAsking,
  path: '/equipUpgradeTask/insert',
  access: 'upgrade:insert',
  summary: '新增升级任务',
  bodyLimitBytes: listBodyBytes,
  input: z.object(taskForm).check(isPackageNamed),
  narrows: ['devices'],
})

export const updateUpgradeTask = endpoint({
  ...changing,
  /** `approvalId`: the change waits for a second person, and the task stays as it is until then. */
  reply: one(z.object({ approvalId: z.optional(idOut) })),
  path: '/equipUpgradeTask/update/:id',
  access: 'upgrade:update',
  summary: '修改升级任务',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({
      id: id('升级任务'),
      ...taskForm,
      /** Absent: unchanged. */
      devices: z.optional(DeviceChoice),
      /** The row's `lockVersion` when the form was opened. */
      lockVersion: z.optional(integer('数据版本', 1, 2_147_483_647)),
    })
    .check(isPackageNamed),
  narrows: ['devices'],
})

export const deleteUpgradeTask = endpoint({
  ...deleting,
  path: '/equipUpgradeTask/delete/:id',
  access: 'upgrade:delete',
  summary: '删除升级任务',
})

/** Why a chosen device is not upgraded. */
export const upgradeSkips = [
  'noPart',
  'wrongModel',
  'wrongBoard',
  'wrongHardware',
  'sameVersion',
  /** Somebody who made the package or supplied its file does not reach the device. */
  'outOfReach',
  /** Another platform controls the device. */
  'observed',
  'busy',
] as const
export type UpgradeSkip = (typeof upgradeSkips)[number]

/** The effect that a task would have if it began now. */
export const UpgradePreview = z.object({
  ...previewedDevices,
  /** Devices that were chosen by code or filter, and are of another type than the packages. */
  otherType: z.number(),
  /** Of those that would be upgraded, the devices of which a part has a version without a package: no rollback brings it back. */
  oneWay: z.number(),
  /** The bytes that all devices would download in total; a device that loses its connection resumes. */
  totalBytes: z.number(),
  parts: z.array(
    z.extend(TaskPackage, {
      /** The size of the package's file. */
      sizeBytes: z.number(),
      devices: z.number(),
      /** Versions that these devices have now, the most frequent first. */
      from: z.array(z.object({ version: z.string(), devices: z.number() })),
      skipped: z.array(
        z.object({
          ...leftOutBy(upgradeSkips),
          /** For users, where the reason alone does not say it: whose data scope is exceeded. */
          note: z.nullable(saidOut),
        }),
      ),
    }),
  ),
  stages: z.array(z.object({ stage: z.number(), devices: z.number(), soakMinutes: z.number() })),
})
export type UpgradePreview = z.output<typeof UpgradePreview>

export const previewUpgradeTask = endpoint({
  method: ['POST', 'GET'],
  path: '/equipUpgradeTask/preview',
  access: 'upgrade:list',
  summary: '预览升级任务',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({ ...packageIds, upgradeRule: usualRule, devices: z._default(DeviceChoice, { isAll: 1 }) })
    .check(isPackageNamed),
  narrows: ['devices'],
  reply: one(UpgradePreview),
})

/** The devices that a task would leave out now, and why. */
export const exportLeftOutOfUpgrade = endpoint({
  ...exporting,
  method: 'POST',
  path: '/equipUpgradeTask/preview/export',
  access: 'upgrade:list',
  summary: '导出不升级的设备',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...packageIds, devices: z._default(DeviceChoice, { isAll: 1 }) }).check(isPackageNamed),
  narrows: ['devices'],
})

const StageRow = z.object({
  stage: z.number(),
  state: z.enum(upgradeStageShownStates),
  /** All devices of the stage, independent of the caller's scope. */
  devices: z.number(),
  soakMinutes: z.number(),
  counts,
  startTime: z.nullable(timeOut),
  /** When its soak began. */
  soakTime: z.nullable(timeOut),
  /** When the gate decides. */
  soakEndTime: z.nullable(timeOut),
  endTime: z.nullable(timeOut),
  failures: UpgradeFailureFigures,
  /** The newest figures of the gate; null without any. */
  gate: z.nullable(UpgradeGateFigures),
  /** Whether a user resumed the stage after it had been stopped. */
  isGateWaived: z.boolean(),
})
export type UpgradeStageRow = z.output<typeof StageRow>

export const UpgradeTaskDetail = z.extend(UpgradeTaskRow, {
  stages: z.array(StageRow),
  /** Whether the caller sees all devices of the task, and so may roll it back. */
  isWhole: z.boolean(),
  /** Whether the caller sees all devices that the task still reaches, and so may pause, resume or cancel it. */
  isControllable: z.boolean(),
})
export type UpgradeTaskDetail = z.output<typeof UpgradeTaskDetail>

export const readUpgradeTask = endpoint({
  method: 'GET',
  path: '/equipUpgradeTask/info/:id',
  access: 'upgrade:list',
  summary: '升级任务详情',
  input: byId,
  reply: one(UpgradeTaskDetail),
})

// ── Control ──────────────────────────────────────────────────────────────────────────────────

/** No further target begins. A device that is downloading or installing continues. */
export const pauseUpgradeTask = endpoint({
  ...changing,
  path: '/equipUpgradeTask/pause/:id',
  access: 'upgrade:control',
  summary: '暂停升级任务',
  input: byId,
})

/** After a stop by failures or alarms, the stage resumes and the gate does not judge it again. */
export const resumeUpgradeTask = endpoint({
  ...changing,
  path: '/equipUpgradeTask/resume/:id',
  access: 'upgrade:control',
  summary: '继续升级任务',
  input: byId,
})

/** Ends the soak of the present stage now: it is judged by what has been seen, and the next one begins where it passes. */
export const endUpgradeSoak = endpoint({
  ...changing,
  path: '/equipUpgradeTask/endSoak/:id',
  access: 'upgrade:control',
  summary: '提前结束观察，进入下一批',
  input: byId,
})

export const cancelUpgradeTask = endpoint({
  ...changing,
  path: '/equipUpgradeTask/cancel/:id',
  access: 'upgrade:control',
  summary: '取消升级任务',
  input: byId,
})

/** Retries the targets that failed, were refused or timed out, within the caller's scope. */
export const retryUpgradeTask = endpoint({
  method: 'POST',
  path: '/equipUpgradeTask/retry/:id',
  access: 'upgrade:control',
  summary: '重试升级任务',
  input: z.object({
    id: id('升级任务'),
    /** Limits the retry to these targets. */
    targetIds: limitedTo('升级明细'),
  }),
  narrows: ['targetIds'],
  reply: countReply,
  isWrite: true,
})

const rollbackInput = z.object({
  id: id('升级任务'),
  /** Limits the rollback to this stage. */
  stage: z.optional(integer('批次', 1, upgradeStagesLimit)),
})

/** Why a device does not get its former version back. */
export const rollbackSkips = ['noPackage', 'outOfReach', 'observed', 'busy'] as const
export type RollbackSkip = (typeof rollbackSkips)[number]

/** The effect that a rollback would have now. A device with several parts counts once for each. */
export const RollbackPreview = z.object({
  ...previewedDevices,
  /** The versions that parts get back, the most frequent first. */
  parts: z.array(z.object({ partTypeName: seededOut, version: z.string(), devices: z.number() })),
  skipped: z.array(
    z.object({
      ...leftOutBy(rollbackSkips),
      partTypeName: seededOut,
      /** The former versions of the part, joined by 、. */
      version: z.string(),
      /** For users, where the reason alone does not say it: whose data scope is exceeded. */
      note: z.nullable(saidOut),
    }),
  ),
})
export type RollbackPreview = z.output<typeof RollbackPreview>

/** The effect that `rollBackUpgradeTask` would have now. */
export const previewRollback = endpoint({
  method: ['POST', 'GET'],
  path: '/equipUpgradeTask/rollback/preview/:id',
  access: 'upgrade:control',
  summary: '预览回退升级任务',
  input: rollbackInput,
  reply: one(RollbackPreview),
})

/** The devices that a rollback would leave out now, and why. */
export const exportLeftOutOfRollback = endpoint({
  ...exporting,
  path: '/equipUpgradeTask/rollback/preview/export/:id',
  access: 'upgrade:control',
  summary: '导出不能回退的设备',
  input: rollbackInput,
})

/** Creates a task that restores the former version on the devices that succeeded. */
export const rollBackUpgradeTask = endpoint({
  ...addingOrAsking,
  path: '/equipUpgradeTask/rollback/:id',
  access: 'upgrade:control',
  summary: '回退升级任务',
  input: rollbackInput,
})

// ── Targets ──────────────────────────────────────────────────────────────────────────────────

export const UpgradeTargetRow = z.object({
  id: idOut,
  taskId: idOut,
  ...workedDevice,
  stage: z.number(),
  partType: z.string(),
  partTypeName: seededOut,
  /** The new version. */
  version: z.string(),
  /** The former versions, joined by 、. */
  fromVersion: z.string(),
  /** The state, with the field name of the specification. */
  result: z.enum(upgradeTargetStates),
  /** The percentage of the download or the installation; null if unknown. */
  percent: z.nullable(z.number()),
  /** The device has reported that it is done; its version report is still missing. */
  isClaimed: z.boolean(),
  /** `attempts` are those that failed. */
  ...attemptsOfDevice,
  startTime: z.nullable(timeOut),
  verifiedTime: z.nullable(timeOut),
  /** Time of the newest change or report. */
  reportTime: timeOut,
})
export type UpgradeTargetRow = z.output<typeof UpgradeTargetRow>

const targetFilters = {
  ...workedDevicesIn(upgradeTargetStates, '升级状态'),
  stage: z.optional(integer('批次', 0, upgradeStagesLimit)),
  partType: z.optional(partTypeCode()),
}

export const listUpgradeTargets = endpoint({
  method: ['GET', 'POST'],
  path: '/equipUpgradeLog/detail',
  access: 'upgrade:list',
  summary: '升级明细',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, taskId: id('升级任务'), ...targetFilters, ids: idsIn('升级明细') }),
  reply: page(UpgradeTargetRow),
})

/** Why targets did not succeed or were skipped, the most frequent first. */
export const listUpgradeFailures = endpoint({
  method: ['GET', 'POST'],
  path: '/equipUpgradeLog/failures',
  access: 'upgrade:list',
  summary: '升级失败原因',
  input: z.object({ taskId: id('升级任务'), stage: z.optional(integer('批次', 0, upgradeStagesLimit)) }),
  reply: one(reasonsBy(upgradeTargetStates)),
})

/** All transitions of a target, or of a task and its stages, the newest first. */
export const listUpgradeTransitions = endpoint({
  method: ['GET', 'POST'],
  path: '/equipUpgradeLog/timeline',
  access: 'upgrade:list',
  summary: '升级过程',
  input: z
    .object({ ...paging, taskId: z.optional(id('升级任务')), targetId: z.optional(id('升级明细')) })
    .check(
      z.refine(({ taskId, targetId }) => (taskId === undefined) !== (targetId === undefined), {
        error: '请指定升级任务或升级明细之一',
        path: ['taskId'],
      }),
    ),
  reply: page(
    z.object({
      id: idOut,
      time: timeOut,
      /** Null for a transition of the task as a whole. */
      stage: z.nullable(z.number()),
      targetId: z.nullable(idOut),
      /** A state of a task, a stage or a target; null at its beginning. */
      from: z.nullable(z.string()),
      to: z.string(),
      /** A Chinese text for users. */
      cause: saidOut,
      /** Figures of the cause, with keys depending on it. Devices are named within the caller's scope. */
      detail: z.nullable(z.record(z.string(), z.unknown())),
    }),
  ),
})

/** The upgrade log: targets of all tasks; the last 30 days unless a range is given. */
export const listUpgradeLog = endpoint({
  method: ['POST', 'GET'],
  path: '/equipUpgradeLog/page',
  access: 'upgradeLog:page',
  summary: '升级日志',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({
      ...paging,
      ...range,
      equipTypeId: z.optional(id('设备类型')),
      equipId: z.optional(id('设备')),
      partType: z.optional(partTypeCode()),
      version: z.optional(text('软件版本', 32)),
      states: targetFilters.states,
      type: z._default(z.enum([...upgradeTypes, 'ALL'], { error: '任务类型无效' }), 'ALL'),
      code: z.optional(deviceCodes),
      ids: idsIn('升级日志'),
    })
    .check(rangeInOrder),
  reply: page(
    z.object({
      id: idOut,
      taskId: idOut,
      type: z.enum(upgradeTypes),
      equipId: idOut,
      code: z.string(),
      equipTypeId: idOut,
      equipTypeName: seededOut,
      partType: z.string(),
      partTypeName: seededOut,
      version: z.string(),
      fromVersion: z.string(),
      createTime: timeOut,
      result: z.enum(upgradeTargetStates),
      reason: z.nullable(saidOut),
      reportTime: timeOut,
      createBy: z.string(),
    }),
  ),
})

// ── Single devices ───────────────────────────────────────────────────────────────────────────

/** The maximum number of devices per call; more need a task. */
export const upgradeAtOnceLimit = 500

const devicesAtOnce = {
  equipId: z.optional(id('设备')),
  equipIds: z.optional(list(id('设备'), '设备', upgradeAtOnceLimit)),
  remark: z.optional(text('备注', 200)),
}
const isDeviceNamed = z.refine<{ equipId?: string | undefined; equipIds?: string[] | undefined }>(
  ({ equipId, equipIds }) => equipId !== undefined || (equipIds?.length ?? 0) > 0,
  { error: '请选择设备', path: ['equipId'] },
)
const madeAtOnce = one(z.object(madeOrAsked))

/** Upgrades these devices immediately. */
export const upgradeDevices = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/version/remote/upgrade',
  access: 'upgrade:device',
  summary: '升级设备',
  input: z.object({ ...devicesAtOnce, ...packageIds }).check(isPackageNamed, isDeviceNamed),
  reply: madeAtOnce,
  isWrite: true,
  done: '创建成功',
})

/** Like `upgradeDevices`, by the board: its newest release, or the given version. */
export const upgradeDevicesByBoard = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/version/pcb/remote/upgrade',
  access: 'upgrade:device',
  summary: '按板卡升级设备',
  input: z
    .object({
      ...devicesAtOnce,
      pcbCode: text('板卡编号', 32, '板卡编号不能为空'),
      version: z.optional(text('软件版本', 32)),
    })
    .check(isDeviceNamed),
  reply: madeAtOnce,
  isWrite: true,
  done: '创建成功',
})

// ── Live ─────────────────────────────────────────────────────────────────────────────────────

export const liveUpgradeTasks = liveRows('upgradeTask', listUpgradeTasks)

/** Rows of `/equipUpgradeLog/detail`. */
export const liveUpgradeTargets = liveRows('upgradeTarget', listUpgradeTargets)
