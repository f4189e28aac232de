// Who is on duty when.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import {
  byId,
  id,
  idOut,
  idsIn,
  integer,
  list,
  nothingIn,
  paging,
  seededOut,
  text,
  timeOut,
  version,
  whenValid,
} from './fields.ts'

export const dutiesAtMost = { ofUser: 50, ofOrganization: 200 } as const

/** Why nobody is told in a turn. */
export const dutyProblems = ['nobody', 'disabled', 'noContact'] as const
export type DutyProblem = (typeof dutyProblems)[number]

/** `YYYY-MM-DD HH:mm` on the clock of the rota's zone. */
const wallOut = z.string()

export const DutyTurn = z.object({
  from: wallOut,
  to: wallOut,
  userId: z.nullable(idOut),
  userName: z.nullable(z.string()),
  isException: z.boolean(),
  problem: z.nullable(z.enum(dutyProblems)),
})
export type DutyTurn = z.output<typeof DutyTurn>

export const DutyRow = z.object({
  id: idOut,
  name: z.string(),
  timeZone: z.string(),
  startsOn: z.string(),
  handoverAt: z.string(),
  lengthHours: z.number(),
  /** Null: the account is gone. */
  memberIds: z.array(z.nullable(idOut)),
  memberNames: z.array(z.nullable(z.string())),
  exceptions: z.array(
    z.object({
      fromDay: z.string(),
      toDay: z.string(),
      userId: z.nullable(idOut),
      userName: z.nullable(z.string()),
    }),
  ),
  nowUserName: z.nullable(z.string()),
  /** The next turn in which nobody is told, of the coming two weeks; the present one included. */
  nextGap: z.nullable(DutyTurn),
  organizationName: seededOut,
  version: z.number(),
  createTime: timeOut,
})
export type DutyRow = z.output<typeof DutyRow>

export const listDuties = endpoint({
  method: ['POST', 'GET'],
  path: '/duty/list',
  access: 'duty:list',
  summary: '值班表列表',
  input: z.object({
    ...paging,
    /** Part of it. */
    name: z.optional(text('名称', 64)),
    ids: idsIn('值班表'),
  }),
  reply: page(DutyRow),
})

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const day = (label: string) =>
  text(label, 10).check(
    z.regex(dayPattern, `${label}格式应为 YYYY-MM-DD`),
    z.refine(
      (value) =>
        !dayPattern.test(value) || new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true,
      `${label}不是有效的日期`,
    ),
  )

const exceptionForm = z
  .strictObject(
    { fromDay: day('开始日期'), toDay: day('结束日期'), userId: id('值班人员', '请选择值班人员') },
    { error: '调班无效' },
  )
  .check(
    z.refine(({ fromDay, toDay }) => fromDay <= toDay, {
      error: '结束日期不能早于开始日期',
      path: ['toDay'],
      when: whenValid('fromDay', 'toDay'),
    }),
  )

const dutyForm = {
  name: text('名称', 64),
  /** An IANA zone. */
  timeZone: z._default(text('时区', 64), 'Asia/Shanghai'),
  startsOn: day('开始日期'),
  handoverAt: text('交接时间', 5).check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, '交接时间格式应为 HH:mm')),
  lengthHours: integer('每班时长', 1, 2_016),
  memberIds: list(id('值班人员', '请选择值班人员'), '值班人员', 50).check(z.minLength(1, '请选择值班人员')),
  exceptions: z._default(list(exceptionForm, '调班', 100), []),
}

/** No day has two exceptions. */
const exceptionsApart = z.refine<{ exceptions?: { fromDay: string; toDay: string }[] }>(
  ({ exceptions = [] }) => {
    const sorted = exceptions.toSorted((a, b) => (a.fromDay < b.fromDay ? -1 : 1))
    return sorted.every(({ fromDay }, at) => at === 0 || fromDay > (sorted[at - 1]?.toDay ?? ''))
  },
  { error: '调班的日期不能重叠', path: ['exceptions'], when: whenValid('exceptions') },
)

export const insertDuty = endpoint({
  ...adding,
  path: '/duty/insert',
  access: 'duty:insert',
  summary: '新增值班表',
  input: z.object(dutyForm).check(exceptionsApart),
})

export const updateDuty = endpoint({
  ...changing,
  path: '/duty/update/:id',
  access: 'duty:update',
  summary: '修改值班表',
  input: z.object({ id: id('值班表'), ...dutyForm, version }).check(exceptionsApart),
})

/** Only where no rule names it. */
export const deleteDuty = endpoint({
  ...deleting,
  path: '/duty/delete/:id',
  access: 'duty:delete',
  summary: '删除值班表',
})

/** Who is on duty, and the turns of the coming two weeks. */
export const readDutyNow = endpoint({
  method: 'GET',
  path: '/duty/now/:id',
  access: 'duty:list',
  summary: '当前值班',
  input: byId,
  reply: one(z.object({ userName: z.nullable(z.string()), timeZone: z.string(), turns: z.array(DutyTurn) })),
})

/** People of the caller's organizations who may stand in a rota or a rule. */
export const listDutyPeople = endpoint({
  method: 'GET',
  path: '/duty/people',
  access: ['duty:insert', 'duty:update', 'notifyRule:insert', 'notifyRule:update'],
  summary: '可值班的人员',
  input: z.object({
    /** Part of the name. */
    name: z.optional(text('姓名', 64)),
  }),
  reply: one(
    z.array(
      z.object({
        id: idOut,
        name: z.string(),
        /** Whether the person has given an address through which messages arrive. */
        hasContact: z.boolean(),
      }),
    ),
  ),
})

export const nameDuties = endpoint({
  method: 'GET',
  path: '/duty/names',
  access: ['notifyRule:insert', 'notifyRule:update'],
  summary: '值班表名称',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, name: z.string() }))),
})
