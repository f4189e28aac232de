/**
 * The calls of stations, as far as they are understood. Stations in the field send more than the standard's lists have:
 * the shape is checked, texts that are too long are cut, and words that are in no list are kept as they are. A report that
 * were refused for a word would be an alarm that nobody sees.
 */
import * as z from 'zod/mini'

/** In one line, without what a database refuses. */
const tidy = (text: string, most: number) => [...text.replace(/\p{C}+/gu, ' ').trim()].slice(0, most).join('')

const text = (most: number) =>
  z.pipe(
    z.string(),
    z.transform((value) => tidy(value, most)),
  )
const required = (most: number) => text(most).check(z.minLength(1))
/** Null is what many send in place of leaving it out. */
const optional = (most: number) =>
  z.pipe(
    z.optional(z.nullable(text(most))),
    z.transform((value) => value || null),
  )
/** Some send numbers as texts. */
const whole = (least: number, most: number) =>
  z.pipe(
    z.union([z.number(), z.pipe(z.string().check(z.regex(/^-?\d{1,15}$/)), z.transform(Number))]),
    z.int().check(z.minimum(least), z.maximum(most)),
  )
const connectorId = whole(0, 1_000)
/** As the database numbers them. */
const transactionId = whole(-1, 2 ** 31 - 1)
/** What is longer is no time, and is not cut into one. With nine digits of a second and a zone a time has 35 characters. */
const mostOfTime = 40
const time = z.pipe(
  z.optional(z.nullable(z.string().check(z.maxLength(mostOfTime)))),
  z.transform((value) => value || null),
)

const sampled = z.object({
  value: z.union([z.string(), z.pipe(z.number(), z.transform(String))]),
  measurand: optional(64),
  phase: optional(16),
  location: optional(16),
  unit: optional(16),
  format: optional(16),
})
const meterValue = z.array(z.object({ timestamp: time, sampledValue: z.array(sampled) }))

export const stationCalls = {
  BootNotification: z.object({
    chargePointVendor: required(64),
    chargePointModel: required(64),
    chargePointSerialNumber: optional(64),
    chargeBoxSerialNumber: optional(64),
    firmwareVersion: optional(64),
    iccid: optional(32),
    imsi: optional(32),
  }),
  Heartbeat: z.object({}),
  StatusNotification: z.object({
    connectorId,
    status: required(32),
    errorCode: z.pipe(
      optional(64),
      z.transform((code) => code ?? 'NoError'),
    ),
    info: optional(100),
    vendorId: optional(100),
    vendorErrorCode: optional(64),
    timestamp: time,
  }),
  MeterValues: z.object({
    connectorId,
    transactionId: z.optional(z.nullable(transactionId)),
    meterValue,
  }),
  Authorize: z.object({ idTag: required(64) }),
  StartTransaction: z.object({
    connectorId,
    idTag: required(64),
    meterStart: whole(-1e12, 1e15),
    timestamp: time,
  }),
  StopTransaction: z.object({
    transactionId,
    idTag: optional(64),
    meterStop: whole(-1e12, 1e15),
    timestamp: time,
    reason: optional(32),
    transactionData: z.optional(z.nullable(meterValue)),
  }),
  DataTransfer: z.object({ vendorId: required(100), messageId: optional(64), data: z.optional(z.unknown()) }),
  FirmwareStatusNotification: z.object({ status: required(32) }),
  DiagnosticsStatusNotification: z.object({ status: required(32) }),
  // Of the security extension.
  SignedFirmwareStatusNotification: z.object({ status: required(32) }),
  LogStatusNotification: z.object({ status: required(32) }),
  SecurityEventNotification: z.object({ type: required(64), timestamp: time, techInfo: optional(200) }),
} as const

export type StationAction = keyof typeof stationCalls
export type Said<Action extends StationAction> = z.output<(typeof stationCalls)[Action]>

/** Calls of the standard that only a station is asked, or that need what is not here. */
const known: ReadonlySet<string> = new Set(['SignCertificate'])

export const isStationAction = (action: string): action is StationAction =>
  Object.hasOwn(stationCalls, action)
export const isKnownAction = (action: string): boolean => known.has(action)

/** What is wrong with a payload, by field; the payload where nothing is. */
export function readCall<Action extends StationAction>(
  action: Action,
  payload: object,
): { said: Said<Action> } | { detail: string } {
  const read = z.safeParse(stationCalls[action], payload)
  if (read.success) return { said: read.data as Said<Action> }
  const fields = new Set(read.error.issues.map(({ path }) => path.join('.') || '报文'))
  return { detail: `${[...fields].slice(0, 10).join('、')} 的内容不符合 OCPP 1.6` }
}
