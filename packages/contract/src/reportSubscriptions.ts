// Reports that come by mail, each day, week or month.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { StoppedDecider } from './deciders.ts'
import { endpoint, one, page } from './endpoint.ts'
import {
  id,
  idOut,
  idsIn,
  integer,
  oneOf,
  paging,
  saidOut,
  seededOut,
  text,
  timeOut,
  version,
  whenValid,
} from './fields.ts'
import { notifyStates } from './notifications.ts'
import { alarmGroups, availabilityGroups, reportPlaces } from './reports.ts'

/** Each is a report and a mail, by the server's own time. */
export const reportSubscriptionsAtMost = {
  ofUser: 50,
  ofOrganization: 200,
  inAll: 2_000,
  ofEachBranch: 20,
} as const

export const reportKinds = ['alarm', 'availability'] as const
export type ReportKind = (typeof reportKinds)[number]

/** The calendar's days, weeks from Monday, and months; a mail is about the last one that is over. */
export const reportCadences = ['day', 'week', 'month'] as const
export type ReportCadence = (typeof reportCadences)[number]

const form = {
  name: text('名称', 64),
  kind: z.enum(reportKinds, { error: '报表只能是 alarm 或 availability' }),
  groupBy: z._default(z.enum(alarmGroups, { error: '汇总方式无效' }), 'operator'),
  /** Which devices, within what the owner may see when the mail is sent. */
  filter: z._default(z.strictObject(reportPlaces, { error: '筛选条件无效' }), {}),
  every: z.enum(reportCadences, {
    error: ({ input }) => (input === undefined ? '请选择周期' : '周期只能是 day、week 或 month'),
  }),
  /** By the clock of the zone, on the day after: each day, on Mondays, on the first of the month. */
  hour: integer('发送时间', 0, 23),
  timeZone: z._default(text('时区', 64), 'Asia/Shanghai'),
  /** Of kind mail: its receivers get the report. */
  channelId: id('邮件渠道', '请选择邮件渠道'),
  isEnabled: z._default(oneOf('启用', [0, 1]), 1),
}

const groupOfKind = z.refine<{ kind?: string | undefined; groupBy?: string | undefined }>(
  ({ kind, groupBy }) => kind !== 'availability' || availabilityGroups.some((group) => group === groupBy),
  { error: '可用率不能按告警汇总', path: ['groupBy'], when: whenValid('kind', 'groupBy') },
)

export const ReportSubscriptionRow = z.object({
  id: idOut,
  name: z.string(),
  kind: z.enum(reportKinds),
  groupBy: z.enum(alarmGroups),
  filter: z.object({
    organizationId: z.optional(z.string()),
    operatorId: z.optional(z.string()),
    equipTypeId: z.optional(z.string()),
    equipModelId: z.optional(z.string()),
    regionCode: z.optional(z.string()),
    equipId: z.optional(z.string()),
  }),
  every: z.enum(reportCadences),
  hour: z.number(),
  timeZone: z.string(),
  channelId: idOut,
  channelName: z.string(),
  isEnabled: z.literal([0, 1]),
  /** Whose data permissions decide what is in it: who made it or changed it last. */
  ownerName: z.string(),
  organizationName: seededOut,
  /** Nothing is sent while somebody whose decision it carries may not decide any more. */
  stopped: z.nullable(StoppedDecider),
  /** When the next mail is due; null while it is switched off. */
  nextTime: z.nullable(timeOut),
  /** Why the last due mail was not made; null where it was. */
  problem: z.nullable(saidOut),
  /** Of the last mail: its state, its days (`YYYY-MM-DD`), and what came of it. */
  lastState: z.nullable(z.enum(notifyStates)),
  lastTitle: z.nullable(z.string()),
  lastTime: z.nullable(timeOut),
  lastMessage: z.nullable(z.string()),
  version: z.number(),
  createTime: timeOut,
})
export type ReportSubscriptionRow = z.output<typeof ReportSubscriptionRow>

/** Of the caller's organizations. */
export const listReportSubscriptions = endpoint({
  method: ['POST', 'GET'],
  path: '/report/subscription/list',
  access: 'report:subscribe',
  summary: '报表订阅列表',
  input: z.object({
    ...paging,
    /** Part of it. */
    name: z.optional(text('名称', 64)),
    kind: z.optional(z.enum(reportKinds, { error: '报表只能是 alarm 或 availability' })),
    ids: idsIn('报表订阅'),
  }),
  reply: page(ReportSubscriptionRow),
})

/** The mail channels of the caller's organizations, to choose from. */
export const nameMailChannels = endpoint({
  method: 'GET',
  path: '/report/subscription/channel/names',
  access: 'report:subscribe',
  summary: '邮件渠道名称',
  input: z.object({}),
  reply: one(z.array(z.object({ id: idOut, name: z.string() }))),
})

/** Asks the report's own function and that of exporting, too. */
export const insertReportSubscription = endpoint({
  ...adding,
  path: '/report/subscription/insert',
  access: 'report:subscribe',
  summary: '新增报表订阅',
  narrows: ['filter'],
  input: z.object(form).check(groupOfKind),
})

/** From then on it is the caller's. A period whose mail was made has no other one. */
export const updateReportSubscription = endpoint({
  ...changing,
  path: '/report/subscription/update/:id',
  access: 'report:subscribe',
  summary: '修改报表订阅',
  narrows: ['filter'],
  input: z.object({ id: id('报表订阅'), ...form, version }).check(groupOfKind),
})

export const deleteReportSubscription = endpoint({
  ...deleting,
  path: '/report/subscription/delete/:id',
  access: 'report:subscribe',
  summary: '删除报表订阅',
})
