// Being told away from the screen: channels that messages go through, rules that send them, and what became of each.
import * as z from 'zod/mini'
import { activeFilters } from './alarms.ts'
import { adding, changing, deleting } from './commonCalls.ts'
import { StoppedDecider } from './deciders.ts'
import { alarmLevels } from './dictionary.ts'
import { endpoint, one, page } from './endpoint.ts'
import {
  id,
  idOut,
  idsIn,
  integer,
  list,
  oneOf,
  paging,
  required,
  saidOut,
  seededOut,
  text,
  timeOut,
  version,
  whenValid,
} from './fields.ts'
import { languages } from './languages.ts'

/** Rules are asked for each alarm, whosever it is; of all of them one branch of organizations has half of what the others leave. */
export const notifyRulesAtMost = { ofUser: 50, ofOrganization: 200, inAll: 2_000, ofEachBranch: 20 } as const
export const notifyChannelsAtMost = { ofUser: 50, ofOrganization: 200 } as const
/** Addresses that a step of a rule tells: of channels, and of people by each channel through which they are reached. */
export const notifyReceiversAtMost = 500

/** Robots of WeCom, DingTalk and Feishu; a receiver by Standard Webhooks; mail by SMTP; short messages. */
export const channelKinds = [
  'wecom',
  'dingtalk',
  'feishu',
  'webhook',
  'mail',
  'aliyunSms',
  'tencentSms',
] as const
export type ChannelKind = (typeof channelKinds)[number]

/**
 * What a rule may be about. `levelRaised`: a graver level of an alarm, or a new bit or value; `recovered`: an alarm is
 * over, or a device is back. Both are told only where the beginning was. `taskPaused`, `taskEnded`: of upgrades and
 * batches.
 */
export const ruleEvents = [
  'raised',
  'levelRaised',
  'recovered',
  'deviceOffline',
  'taskPaused',
  'taskEnded',
] as const
export type RuleEvent = (typeof ruleEvents)[number]

/**
 * What a message tells. `escalated`: nobody has acknowledged the alarm; `returned`: a shelf is over and it lasts;
 * `repeated`: the same trouble again within minutes, which is told no second time; `deviceOnline`: back again.
 */
export const notifyEvents = [...ruleEvents, 'repeated', 'returned', 'escalated', 'deviceOnline'] as const
export type NotifyEvent = (typeof notifyEvents)[number]

/** Of a message. `retrying`: an attempt has failed and another follows. What waits to be told is in no message yet. */
export const notifyStates = ['sending', 'delivered', 'retrying', 'givenUp'] as const
export type NotifyState = (typeof notifyStates)[number]

const mailbox = /^[^\s@,;<>"]{1,64}@[A-Za-z0-9.-]{1,190}$/

/** How a mail server is reached. */
const MailSettings = z.strictObject(
  {
    host: text('邮件服务器', 255),
    port: integer('端口', 1, 65_535),
    /** TLS from the first byte; else STARTTLS, without which a user's password goes to servers of the intranet alone. */
    isTls: z._default(z.boolean('加密应为是或否'), true),
    user: z.optional(text('登录名', 128)),
    from: text('发件人', 255).check(z.regex(mailbox, '发件人应为邮箱地址')),
  },
  required('请填写邮件服务器'),
)
export type MailSettings = z.output<typeof MailSettings>

/** How a service of short messages is used. */
const SmsSettings = z.strictObject(
  {
    /** Aliyun's AccessKey ID, Tencent's SecretId. */
    account: text('密钥 ID', 128),
    /** What the provider has approved: the signature, and a template with its parameters. */
    sign: text('短信签名', 64),
    template: text('模板编号', 64),
    /** Tencent's SDK AppID. */
    appId: z.optional(text('SDK AppID', 32)),
    /** Where a proxy of the installation stands for the service. */
    endpoint: z.optional(
      text('接口地址', 255).check(z.regex(/^https?:\/\/[^/?#@]+\/?$/, '接口地址应以 https:// 开头')),
    ),
  },
  required('请填写短信服务'),
)
export type SmsSettings = z.output<typeof SmsSettings>

export const NotifyChannelRow = z.object({
  id: idOut,
  kind: z.enum(channelKinds),
  name: z.string(),
  /** Of a robot or webhook its host and the end of its address, which is a secret; of mail the receivers. */
  addressHint: z.string(),
  hasSecret: z.boolean(),
  settings: z.nullable(MailSettings),
  sms: z.nullable(SmsSettings),
  /** Of messages to the channel's own receivers; people are written to in theirs. */
  language: z.enum(languages),
  isEnabled: z.literal([0, 1]),
  organizationId: idOut,
  organizationName: seededOut,
  createBy: z.nullable(z.string()),
  /** When a message was last taken. */
  lastDeliveredTime: z.nullable(timeOut),
  /** Why the last attempt failed; null where it did not. */
  lastError: z.nullable(saidOut),
  /** Until then the provider wants nothing. */
  pausedUntil: z.nullable(timeOut),
  /** Alarms that wait to be told. */
  waitingCount: z.number(),
  version: z.number(),
  createTime: timeOut,
})
export type NotifyChannelRow = z.output<typeof NotifyChannelRow>

export const listNotifyChannels = endpoint({
  method: ['POST', 'GET'],
  path: '/notify/channel/list',
  access: 'notifyChannel:list',
  summary: '通知渠道列表',
  input: z.object({
    ...paging,
    /** Part of it. */
    name: z.optional(text('名称', 64)),
    kind: z.optional(z.enum(channelKinds, { error: `类型只能是 ${channelKinds.join('、')}` })),
    ids: idsIn('通知渠道'),
  }),
  reply: page(NotifyChannelRow),
})

const channelForm = {
  kind: z.enum(channelKinds, {
    error: ({ input }) => (input === undefined ? '请选择类型' : `类型只能是 ${channelKinds.join('、')}`),
  }),
  name: text('名称', 64),
  /** A robot's webhook address; the receivers of mail or of short messages, comma-joined. */
  address: text('地址', 2_000),
  /** The key that a robot or a service of short messages signs with, of a webhook `whsec_…`, of mail the password. */
  secret: z.optional(text('密钥', 256)),
  settings: z.optional(MailSettings),
  sms: z.optional(SmsSettings),
  language: z.enum(languages, { error: '语言只能是 zh、en' }),
  isEnabled: z._default(oneOf('启用', [0, 1]), 1),
}

export const insertNotifyChannel = endpoint({
  ...adding,
  path: '/notify/channel/insert',
  access: 'notifyChannel:insert',
  summary: '新增通知渠道',
  narrows: ['settings', 'sms'],
  input: z.object({ ...channelForm, language: z._default(channelForm.language, 'zh') }),
})

/** The kind stays. An absent address, secret or language stays as it is; with another mail server or user, or without TLS, the password is asked for. */
export const updateNotifyChannel = endpoint({
  ...changing,
  path: '/notify/channel/update/:id',
  access: 'notifyChannel:update',
  summary: '修改通知渠道',
  narrows: ['settings', 'sms'],
  input: z.object({
    id: id('通知渠道'),
    name: channelForm.name,
    address: z.optional(channelForm.address),
    secret: channelForm.secret,
    settings: channelForm.settings,
    sms: channelForm.sms,
    language: z.optional(channelForm.language),
    isEnabled: channelForm.isEnabled,
    version,
  }),
})

/** Only where no rule names it. */
export const deleteNotifyChannel = endpoint({
  ...deleting,
  path: '/notify/channel/delete/:id',
  access: 'notifyChannel:delete',
  summary: '删除通知渠道',
})

/** Sends a real message at once, and answers what the provider said of it. */
export const testNotifyChannel = endpoint({
  method: 'POST',
  path: '/notify/channel/test/:id',
  access: 'notifyChannel:update',
  summary: '测试通知渠道',
  isWrite: true,
  input: z.object({ id: id('通知渠道') }),
  reply: one(z.object({ isDelivered: z.boolean(), code: z.string(), message: saidOut })),
})

const { organizationId, operatorId, equipTypeId, equipModelId, regionCode } = activeFilters
/** Which alarms a rule is about, within its owner's data scope. */
const ruleFilter = {
  organizationId,
  operatorId,
  equipTypeId,
  equipModelId,
  regionCode,
  semaphoreCode: z.optional(
    list(text('信号编码', 8), '信号编码', 50).check(z.minLength(1, '请选择信号编码')),
  ),
}

const clockTime = (label: string) =>
  text(label, 5).check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, `${label}格式应为 HH:mm`))

/** Whom a rule tells: channels, and people by the addresses that they gave. */
const targets = {
  channelIds: z._default(list(id('通知渠道', '请选择通知渠道'), '通知渠道', 10), []),
  userIds: z._default(list(id('通知人员'), '通知人员', 50), []),
  roleIds: z._default(list(id('通知角色'), '通知角色', 20), []),
  /** Whoever is on duty by then. */
  dutyId: z.optional(id('值班表')),
}
interface Targets {
  channelIds?: unknown[]
  userIds?: unknown[]
  roleIds?: unknown[]
  dutyId?: unknown
}
const targetsMissing = '请选择通知渠道或人员'
const hasTarget = ({ channelIds, userIds, roleIds, dutyId }: Targets) =>
  dutyId !== undefined || [channelIds, userIds, roleIds].some((ids) => ids !== undefined && ids.length > 0)
const targetGiven = z.refine<Targets>(hasTarget, {
  error: targetsMissing,
  path: ['channelIds'],
  when: whenValid('channelIds', 'userIds', 'roleIds', 'dutyId'),
})

const stepForm = z
  .strictObject(
    {
      afterMinutes: integer('等待时间', 1, 1_440),
      unless: z._default(
        z.enum(['acknowledged', 'closed'], { error: '条件只能是 acknowledged 或 closed' }),
        'acknowledged',
      ),
      ...targets,
    },
    { error: '升级步骤无效' },
  )
  .check(targetGiven)

/** Steps follow each other in time. */
const stepsInOrder = z.refine<{ steps?: { afterMinutes?: unknown }[] }>(
  ({ steps = [] }) =>
    steps.every((step, at) => at === 0 || Number(step.afterMinutes) > Number(steps[at - 1]?.afterMinutes)),
  { error: '后一步的等待时间应大于前一步', path: ['steps'], when: whenValid('steps') },
)

const ruleForm = {
  name: text('名称', 64),
  when: list(
    z.enum(ruleEvents, { error: `时机只能是 ${ruleEvents.join('、')}` }),
    '时机',
    ruleEvents.length,
  ).check(
    z.minLength(1, '请选择时机'),
    z.refine(
      (events) =>
        !events.includes('recovered') || events.includes('raised') || events.includes('deviceOffline'),
      '恢复的通知须与告警发生或设备离线一起选择',
    ),
    z.refine(
      (events) => !events.includes('levelRaised') || events.includes('raised'),
      '加重的通知须与告警发生一起选择',
    ),
  ),
  /** With all of them also alarms that have no level. */
  alarmLevels: list(oneOf('告警级别', alarmLevels), '告警级别', alarmLevels.length).check(
    z.minLength(1, '请选择告警级别'),
  ),
  filter: z._default(z.strictObject(ruleFilter, { error: '筛选条件无效' }), {}),
  ...targets,
  /** What tells instead where a channel fails for hours, or for good. */
  fallbackChannelId: z.optional(id('备用渠道')),
  /** Whom to tell where nobody acknowledges the alarm. What runs keeps the steps that it began with. */
  steps: z._default(list(stepForm, '升级步骤', 5), []),
  /** Seconds between repetitions of the last step while nobody acknowledges; 0: none. */
  repeatS: z._default(
    integer('重复间隔', 0, 86_400).check(
      z.refine((seconds) => seconds === 0 || seconds >= 300, '重复间隔不能小于 5 分钟'),
    ),
    0,
  ),
  /** Minutes; a device that is back sooner is not told. */
  offlineMinutes: z._default(integer('离线时长', 1, 1_440), 10),
  /** Seconds that others are waited for, to be told together; alarms of level 1 wait for nobody. */
  groupWaitS: z._default(integer('合并等待', 0, 3_600), 30),
  /** Between them nothing is sent but alarms of level 1; the rest is told together at their end. */
  quietFrom: z.optional(clockTime('免打扰开始')),
  quietTo: z.optional(clockTime('免打扰结束')),
  isEnabled: z._default(oneOf('启用', [0, 1]), 1),
}

const quietTogether = z.refine<{ quietFrom?: string | undefined; quietTo?: string | undefined }>(
  ({ quietFrom, quietTo }) =>
    (quietFrom === undefined) === (quietTo === undefined) &&
    (quietFrom === undefined || quietFrom !== quietTo),
  {
    error: '免打扰的开始和结束应同时填写，且不能相同',
    path: ['quietTo'],
    when: whenValid('quietFrom', 'quietTo'),
  },
)

const fallbackIsAnother = z.refine<{ channelIds?: unknown[]; fallbackChannelId?: unknown }>(
  ({ channelIds = [], fallbackChannelId }) => !channelIds.includes(fallbackChannelId),
  {
    error: '备用渠道应是另一个渠道',
    path: ['fallbackChannelId'],
    when: whenValid('channelIds', 'fallbackChannelId'),
  },
)

const shownTargets = {
  channelIds: z.array(idOut),
  channelNames: z.array(z.string()),
  userIds: z.array(idOut),
  userNames: z.array(z.string()),
  roleIds: z.array(idOut),
  roleNames: z.array(seededOut),
  dutyId: z.nullable(idOut),
  dutyName: z.nullable(z.string()),
}

export const NotifyRuleRow = z.object({
  id: idOut,
  name: z.string(),
  when: z.array(z.enum(ruleEvents)),
  alarmLevels: z.array(z.literal(alarmLevels)),
  filter: z.object({
    organizationId: z.optional(z.string()),
    operatorId: z.optional(z.string()),
    equipTypeId: z.optional(z.string()),
    equipModelId: z.optional(z.string()),
    regionCode: z.optional(z.string()),
    semaphoreCode: z.optional(z.array(z.string())),
  }),
  ...shownTargets,
  fallbackChannelId: z.nullable(idOut),
  fallbackChannelName: z.nullable(z.string()),
  steps: z.array(
    z.object({ afterMinutes: z.number(), unless: z.enum(['acknowledged', 'closed']), ...shownTargets }),
  ),
  repeatS: z.number(),
  groupWaitS: z.number(),
  offlineMinutes: z.number(),
  quietFrom: z.nullable(z.string()),
  quietTo: z.nullable(z.string()),
  isEnabled: z.literal([0, 1]),
  /** Who decided it last: it is about alarms that this user may see. */
  ownerName: z.string(),
  /** Why it sends nothing although it is enabled; null where it does. */
  stopped: z.nullable(StoppedDecider),
  organizationName: seededOut,
  version: z.number(),
  createTime: timeOut,
})
export type NotifyRuleRow = z.output<typeof NotifyRuleRow>

export const listNotifyRules = endpoint({
  method: ['POST', 'GET'],
  path: '/notify/rule/list',
  access: 'notifyRule:list',
  summary: '通知规则列表',
  input: z.object({
    ...paging,
    /** Part of it. */
    name: z.optional(text('名称', 64)),
    channelId: z.optional(id('通知渠道')),
    ids: idsIn('通知规则'),
  }),
  reply: page(NotifyRuleRow),
})

export const insertNotifyRule = endpoint({
  ...adding,
  path: '/notify/rule/insert',
  access: 'notifyRule:insert',
  summary: '新增通知规则',
  narrows: ['filter'],
  input: z.object(ruleForm).check(quietTogether, targetGiven, fallbackIsAnother, stepsInOrder),
})

/** From then on it is about alarms that the caller may see. */
export const updateNotifyRule = endpoint({
  ...changing,
  path: '/notify/rule/update/:id',
  access: 'notifyRule:update',
  summary: '修改通知规则',
  narrows: ['filter'],
  input: z
    .object({ id: id('通知规则'), ...ruleForm, version })
    .check(quietTogether, targetGiven, fallbackIsAnother, stepsInOrder),
})

export const deleteNotifyRule = endpoint({
  ...deleting,
  path: '/notify/rule/delete/:id',
  access: 'notifyRule:delete',
  summary: '删除通知规则',
})

/** The names of the channels that a rule of the caller may send through. */
export const nameNotifyChannels = endpoint({
  method: 'GET',
  path: '/notify/channel/names',
  access: ['notifyRule:insert', 'notifyRule:update', 'notifyDelivery:list'],
  summary: '通知渠道名称',
  input: z.object({}),
  reply: one(z.array(z.object({ id: idOut, name: z.string(), kind: z.enum(channelKinds) }))),
})

export const NotifyDeliveryRow = z.object({
  id: idOut,
  channelId: z.nullable(idOut),
  channelName: z.string(),
  kind: z.enum(channelKinds),
  /** The people who were told through it; none where its own receivers were. */
  userNames: z.array(z.string()),
  ruleNames: z.array(z.string()),
  state: z.enum(notifyStates),
  title: z.string(),
  /** Alarms in it, told one by one or counted. */
  alarmCount: z.number(),
  attempts: z.number(),
  providerCode: z.nullable(z.string()),
  providerMessage: z.nullable(z.string()),
  createTime: timeOut,
  sentTime: z.nullable(timeOut),
  /** Of the next attempt. */
  nextTime: z.nullable(timeOut),
  /** Names of the channels that tell instead what this one could not. */
  passedTo: z.array(z.string()),
  /** It tells what another channel could not. */
  isFallback: z.boolean(),
})
export type NotifyDeliveryRow = z.output<typeof NotifyDeliveryRow>

/** Newest first. */
export const listNotifyDeliveries = endpoint({
  method: ['POST', 'GET'],
  path: '/notify/delivery/list',
  access: 'notifyDelivery:list',
  summary: '通知记录',
  input: z.object({
    ...paging,
    channelId: z.optional(id('通知渠道')),
    state: z.optional(z.enum(notifyStates, { error: `状态只能是 ${notifyStates.join('、')}` })),
  }),
  reply: page(NotifyDeliveryRow),
})

export const AlarmNotice = z.object({
  event: z.enum(notifyEvents),
  /** Null where the channel is gone and nothing was sent. */
  kind: z.nullable(z.enum(channelKinds)),
  /** Null for a channel of an organization that the caller does not belong to. */
  channelName: z.nullable(z.string()),
  /** The person who was told; null where the channel's own receivers were. */
  userName: z.nullable(z.string()),
  /** `queued`: in no message yet. */
  state: z.enum(['queued', ...notifyStates]),
  attempts: z.number(),
  providerCode: z.nullable(z.string()),
  providerMessage: z.nullable(z.string()),
  createTime: timeOut,
  sentTime: z.nullable(timeOut),
  /** When it is told, or tried again. */
  nextTime: z.nullable(timeOut),
  /** Another channel tells it instead. */
  isPassedOn: z.boolean(),
  /** It tells what another channel could not. */
  isFallback: z.boolean(),
})
export type AlarmNotice = z.output<typeof AlarmNotice>

/** Who was told of one alarm, when, with what answer; oldest first. */
export const listAlarmNotices = endpoint({
  method: 'GET',
  path: '/notify/told/:id',
  access: ['alarm:page', 'alarm:history'],
  summary: '告警的通知记录',
  input: z.object({ id: id('告警') }),
  reply: one(z.array(AlarmNotice)),
})
