// Reports that a device sends on its own, one schema per topic.
import * as z from 'zod/mini'
import { compartmentStates, mostCompartments } from '../compartments.ts'
import { boolean, count, described, listOf, shortText, upHead } from './fields.ts'

const semaphoreCode = (description: string) =>
  described(
    description,
    z.string({ error: '应为文本' }).check(z.regex(/^[A-Za-z0-9_]{1,8}$/, '应为 1 到 8 位字母、数字或下划线')),
  )

export const AlarmReport = z.object({
  ...upHead,
  code: semaphoreCode("The alarm's semaphore code, as the console's dictionary knows it."),
  value: described(
    'What is wrong: a bit mask or a code, by the semaphore. Nonzero opens or updates the alarm, 0 recovers it.',
    count(),
  ),
})
export type AlarmReport = z.output<typeof AlarmReport>

const scalar = z.union([z.string().check(z.maxLength(200, '长度不能超过 200')), z.number(), z.boolean()], {
  error: '应为文本、数字或布尔值',
})

/** Of the readings of a status report, and of the data of an event. */
export const mostOwnNames = 100
export const tooManyOwnNames = `最多 ${mostOwnNames} 项`
const isFew = (record: object) => Object.keys(record).length <= mostOwnNames

const recordError =
  (nameLength: string) =>
  ({ code }: { code?: string }) =>
    code === 'invalid_key' ? `的名称长度${nameLength}` : '应为对象'

export const EventReport = z.object({
  ...upHead,
  code: semaphoreCode("The event's semaphore code."),
  value: described('A number that goes with the event, e.g. the compartment.', z._default(count(), 0)),
  isFault: described('Whether it tells of a fault.', z._default(boolean(), false)),
  data: described(
    'Free further data: at most 100 texts of at most 200 characters, numbers, booleans.',
    z.optional(
      z
        .record(z.string().check(z.maxLength(64)), scalar, { error: recordError('不能超过 64') })
        .check(z.refine(isFew, tooManyOwnNames)),
    ),
  ),
})
export type EventReport = z.output<typeof EventReport>

export const VersionReport = z.object({
  ...upHead,
  versions: described(
    'The parts that this report is about.',
    listOf(
      {
        partType: described('Kind of part, e.g. PART_TYPE_EC_MASTER.', shortText(64)),
        addrId: described(
          "Which of several parts of the kind, e.g. the compartment's number.",
          z._default(shortText(16), '0'),
        ),
        version: described('Software version.', shortText(32)),
        hwVersion: described('Hardware version.', z.optional(shortText(32))),
        pcbCode: described('Code of the board that the part is built on.', z.optional(shortText(32))),
      },
      { least: 1, most: 200 },
    ),
  ),
})
export type VersionReport = z.output<typeof VersionReport>

export const ParameterReport = z.object({
  ...upHead,
  parameters: described(
    'The parameters that this report is about; those left out keep their last value.',
    listOf(
      {
        id: described('Parameter id, e.g. 02121005.', shortText(50)),
        value: described('Text of at most 200 characters, number or boolean.', scalar),
      },
      { least: 1, most: 200 },
    ),
  ),
})
export type ParameterReport = z.output<typeof ParameterReport>

/** A number within bounds, whole or not. */
const within = (least: number, most: number) => {
  const message = `应为 ${least} 到 ${most} 的数字`
  return z.number({ error: message }).check(z.minimum(least, message), z.maximum(most, message))
}
const number = () => z.number({ error: '应为数字' })
const compartmentNumber = `应为 1 到 ${mostCompartments} 的整数`

const compartments = listOf(
  {
    no: described(
      'The number of the compartment, each once.',
      z
        .int({ error: compartmentNumber })
        .check(z.minimum(1, compartmentNumber), z.maximum(mostCompartments, compartmentNumber)),
    ),
    state: described(
      '`full`: ready to be taken. `idle`: a battery that neither charges nor is full. `disabled`: locked by an operator.',
      z.optional(z.enum(compartmentStates, { error: `应为 ${compartmentStates.join('、')} 之一` })),
    ),
    isDoorOpen: described('Whether the door is open.', z.optional(boolean())),
    isLocked: described('Whether the lock is engaged.', z.optional(boolean())),
    batteryCode: described(
      'The battery in it: 1 to 32 letters and digits.',
      z.optional(
        z.string({ error: '应为文本' }).check(z.regex(/^[A-Za-z0-9]{1,32}$/, '应为 1 到 32 位字母或数字')),
      ),
    ),
    soc: described('State of charge in %.', z.optional(within(0, 100))),
    soh: described('State of health in %.', z.optional(within(0, 100))),
    voltage: described('In V.', z.optional(number())),
    current: described('In A, positive while charging.', z.optional(number())),
    temperature: described('In ℃.', z.optional(number())),
  },
  { least: 0, most: mostCompartments },
).check(z.refine((list) => new Set(list.map(({ no }) => no)).size === list.length, '含有重复的仓位'))

export const StatusReport = z.object({
  ...upHead,
  status: described(
    'At most 100 readings under names of your own, 1 to 64 characters, shown to operators as they are.',
    z
      .record(z.string().check(z.minLength(1), z.maxLength(64)), scalar, {
        error: recordError('应为 1 到 64'),
      })
      .check(z.refine(isFew, tooManyOwnNames)),
  ),
  compartments: described(
    'The compartments of a cabinet as they stand. A field that is missing is unknown.',
    z.optional(compartments),
  ),
})
export type StatusReport = z.output<typeof StatusReport>

/**
 * Also the schema of the last will. A will may repeat its id, because a device writes it at CONNECT, before it is
 * needed.
 */
export const ConnectionReport = z.object({
  ...upHead,
  isOnline: described('true right after connecting, false before leaving and in the last will.', boolean()),
})
export type ConnectionReport = z.output<typeof ConnectionReport>
