// What agents say, read as hawkBit reads it: unknown fields are left out of account, and old agents' forms are taken.
import type { VersionReport } from '@voltkeep/contract/topics/index'
import * as z from 'zod/mini'
import { refuseInput } from '../../platform/calls/refusal.ts'

/** Polls that are missed before a device is offline. */
export const missedPolls = 3
/** Of a device; a poll, a look at a deployment, feedback or a piece of a file. */
export const requestLimits = { burst: 120, perSecond: 4 }
/** For every attribute of the greatest length. */
export const bodyLimitBytes = 64 * 1024
const mostAttributes = 100
const longestName = 128
const longestValue = 128
const longestReason = 200

/** Where nobody has said which version a part has. */
export const unknownVersion = '未上报'
/** The part of a device that has one. */
const onlyAddress = '0'

const executions = [
  'closed',
  'proceeding',
  'canceled',
  'scheduled',
  'rejected',
  'resumed',
  'downloaded',
  'download',
] as const
const amount = z.optional(z.nullable(z.number()))

const Feedback = z.object({
  status: z.object({
    execution: z.enum(executions),
    result: z.optional(
      z.nullable(
        z.object({
          finished: z.optional(z.nullable(z.enum(['success', 'failure', 'none']))),
          progress: z.optional(z.nullable(z.object({ cnt: amount, of: amount }))),
        }),
      ),
    ),
    details: z.optional(z.unknown()),
  }),
})

const Attributes = z.object({
  mode: z.optional(z.nullable(z.enum(['merge', 'replace', 'remove']))),
  data: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
})

export type Outcome = 'success' | 'failure' | 'canceled'

/** What feedback says of a deployment. */
export type Told =
  | { kind: 'ended'; outcome: Outcome; reason: string | null }
  /** `running`: at work, the agent does not say on what. */
  | { kind: 'progress'; on: 'download' | 'downloaded' | 'running'; percent: number | null }
  /** It changes nothing. */
  | { kind: 'noted' }

function feedbackOf(body: unknown): z.output<typeof Feedback>['status'] {
  const read = z.safeParse(Feedback, body)
  if (read.success) return read.data.status
  return refuseInput({ field: read.error.issues[0]?.path.join('.') ?? '', message: '反馈格式错误' })
}

/** Throws 400 for a body that is no feedback. */
export function toldBy(body: unknown): Told {
  const { execution, result, details } = feedbackOf(body)
  const finished = result?.finished ?? 'none'
  const reason = reasonOf(details)
  switch (execution) {
    case 'closed':
      return finished === 'failure'
        ? { kind: 'ended', outcome: 'failure', reason }
        : { kind: 'ended', outcome: 'success', reason }
    case 'canceled':
      return { kind: 'ended', outcome: 'canceled', reason }
    case 'rejected':
      return { kind: 'noted' }
    case 'download':
    case 'downloaded':
      return { kind: 'progress', on: execution, percent: percentOf(result?.progress) }
    case 'proceeding':
    case 'scheduled':
    case 'resumed':
      return { kind: 'progress', on: 'running', percent: percentOf(result?.progress) }
    default:
      return execution satisfies never
  }
}

/** What feedback says of the request to stop. */
export function cancelToldBy(body: unknown): 'stopped' | 'refused' | 'noted' {
  const { execution } = feedbackOf(body)
  if (execution === 'closed') return 'stopped'
  return execution === 'rejected' ? 'refused' : 'noted'
}

function percentOf(
  progress: { cnt?: number | null | undefined; of?: number | null | undefined } | null | undefined,
) {
  const { cnt, of } = progress ?? {}
  if (typeof cnt !== 'number' || typeof of !== 'number' || !(of > 0) || !(cnt > 0)) return null
  return Math.min(100, Math.round((cnt / of) * 100))
}

/** Texts that the database takes, in one line. */
const storable = (text: string) => text.replace(/\p{C}+/gu, ' ').trim()

/** The last that the agent says: it tells first what it does, and then what has failed. */
function reasonOf(details: unknown): string | null {
  const lines = [details ?? []].flat().filter((line): line is string => typeof line === 'string')
  const text = lines.map(storable).findLast((line) => line !== '')
  return text === undefined ? null : [...text].slice(0, longestReason).join('')
}

export type AttributeValues = Readonly<Record<string, string>>

/** The attributes of a device after this body. Throws 400 where they are too many or too long. */
export function attributesAfter(before: AttributeValues, body: unknown): AttributeValues {
  const read = z.safeParse(Attributes, body)
  if (!read.success) return refuseInput({ field: 'data', message: '属性格式错误' })
  const { mode, data } = read.data
  const given = Object.entries(data ?? {}).map(
    ([name, value]) => [storable(name), storable(textOf(value))] as const,
  )
  const isTooLong = given.some(([name, value]) => name.length > longestName || value.length > longestValue)
  if (isTooLong) refuseInput({ field: 'data', message: `属性的名称和值不能超过 ${longestValue} 个字符` })
  const kept = mode === 'replace' ? new Map<string, string>() : new Map(Object.entries(before))
  for (const [name, value] of given) {
    if (mode === 'remove') kept.delete(name)
    else if (name !== '') kept.set(name, value)
  }
  if (kept.size > mostAttributes) refuseInput({ field: 'data', message: `最多 ${mostAttributes} 个属性` })
  return Object.fromEntries(kept)
}

/** `String` would call what an object names `toString`. */
const textOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

const usable = (text: string | undefined, most: number) =>
  text !== undefined && text !== '' && text.length <= most ? text : undefined

/** What attributes say of the device's part. */
export const partIn = (attributes: AttributeValues) => ({
  partType: usable(attributes.partType, 64),
  pcbCode: usable(attributes.pcbCode, 32),
  hwVersion: usable(attributes.hwVersion, 32),
  version: usable(attributes.version, 32),
})

type PartVersion = VersionReport['versions'][number]

/**
 * The device's part by its attributes; null where they say nothing new. `firstPart`: of its model; `isKnown`: a version
 * of the part stands already.
 */
export function partOf(
  attributes: AttributeValues,
  { firstPart, isKnown }: { firstPart: string | null; isKnown: (partType: string) => boolean },
): PartVersion | null {
  const { partType = firstPart, version, pcbCode, hwVersion } = partIn(attributes)
  if (partType === null) return null
  if (version === undefined && isKnown(partType)) return null
  return {
    partType,
    addrId: onlyAddress,
    version: version ?? unknownVersion,
    ...(pcbCode !== undefined && { pcbCode }),
    ...(hwVersion !== undefined && { hwVersion }),
  }
}

/** The fields of the upgrade command that an agent is told. */
export interface Order {
  partType: string
  addrIds: readonly string[]
  pcbCode: string
  version: string
  hwVersion?: string
  fileName: string
}

/**
 * The versions that a success means by itself: an agent whose attributes tell no version has no other way to report one.
 * Empty where it will report one.
 */
export function versionsBySuccess(
  order: Order,
  attributes: AttributeValues,
  firstPart: string | null,
): PartVersion[] {
  const told = partIn(attributes)
  const isOfPart = (told.partType ?? firstPart) === order.partType
  if (isOfPart && told.version !== undefined) return []
  const hwVersion = (isOfPart ? told.hwVersion : undefined) ?? order.hwVersion
  const pcbCode = (isOfPart ? told.pcbCode : undefined) ?? order.pcbCode
  return order.addrIds.map((addrId) => ({
    partType: order.partType,
    addrId,
    version: order.version,
    pcbCode,
    ...(hwVersion !== undefined && { hwVersion }),
  }))
}

/** `HH:mm:ss`, of less than a day. */
export const sleepText = (seconds: number): string =>
  [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')

/** A number that an agent can have been given; null for every other text. */
export function actionIdOf(text: string): number | null {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
  return id > 0 && id < 2 ** 31 ? id : null
}
