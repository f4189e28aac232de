// Handover of a shift: a page of what is open, which who was on duty drafts and somebody else signs.
import * as z from 'zod/mini'
import { handlingKinds } from './alarmHandling.ts'
import { shelfKinds } from './alarmShelves.ts'
import { alarmHandlings } from './alarms.ts'
import { changing } from './commonCalls.ts'
import { alarmLevels } from './dictionary.ts'
import { endpoint, one, page } from './endpoint.ts'
import {
  dateTime,
  id,
  idOut,
  idsIn,
  list,
  meaningOut,
  paging,
  range,
  rangeInOrder,
  seededOut,
  text,
  timeOut,
  version,
  whenValid,
} from './fields.ts'
import type { LiveNoun } from './live.ts'

/** `overdue`: not signed in time after the end of the shift. */
export const handoverStates = ['drafted', 'signed', 'overdue'] as const
export type HandoverState = (typeof handoverStates)[number]

/** Alarms that a page has in full, the gravest. The others are counted. */
export const handoverAlarms = 200
/** Shelves that a page has, the newest. */
export const handoverShelves = 100
/** Notes that a page has, the latest of the shift. One that was written on many alarms at once is one. */
export const handoverNotes = 500
/** Pages that are drafted within 24 hours; the same page drawn anew is the same. */
export const handoversAtMost = { ofUser: 20, ofOrganization: 200 } as const
/** The longest shift, in hours. */
export const handoverHours = 48
/** How long after its end a shift may still be drafted, in hours: what is open is counted as of now. */
export const handoverLateHours = 24

export const HandoverRow = z.object({
  id: idOut,
  organizationName: seededOut,
  /** The shift. */
  startTime: timeOut,
  endTime: timeOut,
  state: z.enum(handoverStates),
  draftUserName: z.string(),
  /** As of when the page says what is open. */
  countTime: timeOut,
  /** What the drafter wrote. */
  note: z.nullable(z.string()),
  signUserName: z.nullable(z.string()),
  signTime: z.nullable(timeOut),
  signNote: z.nullable(z.string()),
  /** Drafted by the caller, who may draw it anew until it is signed, and never signs it. */
  isOwn: z.boolean(),
  version: z.number(),
})
export type HandoverRow = z.output<typeof HandoverRow>

/** An alarm as it was when the page was drawn. */
const HandoverAlarm = z.object({
  /** The episode's. */
  id: idOut,
  equipId: idOut,
  code: z.string(),
  equipName: z.nullable(z.string()),
  regionName: seededOut,
  semaphoreName: seededOut,
  /** Of its value, e.g. `4号仓`; null where the dictionary does not define it. */
  meaning: z.nullable(meaningOut),
  /** 0 where the dictionary has none. */
  alarmLevel: z.number(),
  handling: z.enum(alarmHandlings),
  occurrenceTime: timeOut,
  assigneeName: z.nullable(z.string()),
  ackUserName: z.nullable(z.string()),
  lastNote: z.nullable(z.string()),
  lastNoteUserName: z.nullable(z.string()),
  lastNoteTime: z.nullable(timeOut),
  isShelved: z.literal([0, 1]),
  /** Null: without end, or not shelved. */
  shelvedUntil: z.nullable(timeOut),
})
export type HandoverAlarm = z.output<typeof HandoverAlarm>

/** What was kept quiet: who, why, of what, until when. */
const HandoverShelf = z.object({
  id: idOut,
  kind: z.enum(shelfKinds),
  reason: z.string(),
  createBy: z.string(),
  /** Null: without end. */
  endTime: z.nullable(timeOut),
  /** Of the named devices, some that the reader sees; null where it is a filter. */
  deviceCodes: z.nullable(z.array(z.string())),
  deviceCount: z.number(),
  /** What a filter says, by name. */
  placeNames: z.array(z.string()),
  semaphoreNames: z.nullable(z.array(z.string())),
  alarmLevels: z.nullable(z.array(z.literal(alarmLevels))),
  compartment: z.nullable(z.number()),
  isOneShot: z.literal([0, 1]),
})
export type HandoverShelf = z.output<typeof HandoverShelf>

const HandoverNote = z.object({
  time: timeOut,
  userName: z.string(),
  kind: z.enum(handlingKinds),
  note: z.string(),
  /** On how many alarms it was written. */
  alarmCount: z.number(),
  /** Of one of its devices. */
  code: z.string(),
  equipId: idOut,
  /** Null where it was written on several alarms. */
  semaphoreName: z.nullable(seededOut),
  meaning: z.nullable(meaningOut),
})
export type HandoverNote = z.output<typeof HandoverNote>

/**
 * Of what a page has, what concerns devices in the reader's data scope as it is today: rows of others are left out, and
 * nothing of them is counted.
 */
export const HandoverDetail = z.extend(HandoverRow, {
  /** Open alarms by level and handling; gravest first, levels without any left out. */
  levels: z.array(
    z.object({
      level: z.number(),
      count: z.number(),
      handlings: z.array(z.object({ handling: z.enum(alarmHandlings), count: z.number() })),
    }),
  ),
  openCount: z.number(),
  /** Those of them that are kept quiet. */
  shelvedCount: z.number(),
  /** The gravest, the longest standing first within a level. */
  alarms: z.array(HandoverAlarm),
  /** What is kept quiet, the newest first. */
  shelves: z.array(HandoverShelf),
  /** The latest first. */
  notes: z.array(HandoverNote),
  /** More was noted in the shift than the page has. */
  isNotesCut: z.boolean(),
  /** Upgrade tasks and parameter batches that were under way. */
  upgradeCount: z.number(),
  batchCount: z.number(),
  /** Nothing was left out: only then may the reader sign. */
  isWhole: z.boolean(),
})
export type HandoverDetail = z.output<typeof HandoverDetail>

/** Pages of the caller's organization and of those under it, the latest shift first. */
export const listHandovers = endpoint({
  method: ['POST', 'GET'],
  path: '/handover/list',
  access: 'handover:list',
  summary: '交接班列表',
  input: z
    .object({
      ...paging,
      /** Shifts that reach into it. */
      ...range,
      states: z.optional(list(z.enum(handoverStates, { error: '状态无效' }), '状态', handoverStates.length)),
      ids: idsIn('交接单'),
    })
    .check(rangeInOrder),
  reply: page(HandoverRow),
})

export const readHandover = endpoint({
  method: 'GET',
  path: '/handover/detail/:id',
  access: 'handover:list',
  summary: '交接单',
  input: z.object({ id: id('交接单') }),
  reply: one(HandoverDetail),
})

/** Draws a page of the caller's shift, or the one of `id` anew, and keeps what is open at this moment. */
export const draftHandover = endpoint({
  method: 'POST',
  path: '/handover/draft',
  access: 'handover:draft',
  summary: '生成交接单',
  input: z
    .object({
      id: z.optional(id('交接单')),
      startTime: dateTime('开始时间', '请选择开始时间'),
      endTime: dateTime('结束时间', '请选择结束时间'),
      note: z.optional(text('交接说明', 2_000)),
      version,
    })
    .check(
      z.refine<{ startTime: string; endTime: string }>(
        ({ startTime, endTime }) => startTime.replace('T', ' ') < endTime.replace('T', ' '),
        {
          error: '结束时间应晚于开始时间',
          path: ['endTime'],
          when: whenValid('startTime', 'endTime'),
        },
      ),
    ),
  reply: one(z.object({ id: idOut })),
  isWrite: true,
  done: '交接单已重新生成',
  doneNew: '交接单已生成',
})

/** Takes the shift over. By another person than the drafter, who sees all of it; once. */
export const signHandover = endpoint({
  ...changing,
  path: '/handover/sign/:id',
  access: 'handover:sign',
  summary: '签收交接单',
  input: z.object({ id: id('交接单'), note: z.optional(text('接班意见', 500)), version }),
  done: '已签收',
})

/** A page was drawn, drawn anew or signed. The event names none: an open page reads again. */
export const liveHandovers = {
  noun: 'handover',
  access: 'handover:list',
} as const satisfies LiveNoun
