// What stations say, as reports of the device protocol: pure decisions.
import { createHash } from 'node:crypto'
import type { Compartment, CompartmentState } from '@voltkeep/contract'
import { mostCompartments } from '@voltkeep/contract'
import type { Said } from './station-calls.ts'

/** How often a station says that it is there, while it says nothing else. */
export const heartbeatSeconds = 300
/** A station's clock that stands before this has not been set yet. */
const clocksBeginMs = Date.UTC(2020, 0, 1)

/** ms since 1970; null where the text is missing, is no time, or is from before the clock was set. */
export function timeOf(text: string | null): number | null {
  if (text === null) return null
  const isHalfZoned = text.includes('T') && /^[+-]\d\d$/.test(text.slice(-3))
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : isHalfZoned ? `${text}:00` : `${text}Z`
  const ms = Date.parse(zoned)
  return Number.isNaN(ms) || ms < clocksBeginMs ? null : ms
}

// ── Alarms ───────────────────────────────────────────────────────────────────────────────────

/** What a connector says of itself, as far as it decides about alarms. */
export interface ConnectorFault {
  vendor: string
  code: string
}

/** A connector that is out of order and does not say why. */
export const unspecified = 'Faulted'
const noError = 'NoError'

/** The fault of a connector by its report: one at a time. Null: it has none. */
export function faultOf(
  { status, errorCode, vendorErrorCode, vendorId }: Said<'StatusNotification'>,
  stationVendor: string,
): ConnectorFault | null {
  const vendor = vendorId ?? stationVendor
  const own = vendorErrorCode !== null && !/^0*$/.test(vendorErrorCode) ? vendorErrorCode : null
  if (errorCode !== noError) return { vendor, code: own ?? errorCode }
  return status === unspecified ? { vendor, code: own ?? unspecified } : null
}

/** Of the fault of a connector: which alarm it is. */
export interface FaultAlarm {
  semaphoreCode: string
  /** Null: each connector has its bit. */
  value: number | null
}

/** The code of the alarm for an error that nobody has explained: always the same for one. */
export function semaphoreOfUnknown({ vendor, code }: ConnectorFault): string {
  const hash = createHash('sha256').update(`${vendor}\u0000${code}`).digest()
  return `X${hash.readBigUInt64BE().toString(36).toUpperCase().padStart(7, '0').slice(-7)}`
}

/** A connector beyond has the bit of the station. */
export const mostBits = 50
const bitOf = (connectorId: number) => 2 ** (connectorId <= mostBits ? connectorId : 0)

/** The value of an alarm by the connectors that carry it; 0 where none does. */
export function alarmValue(
  connectors: ReadonlyMap<number, { alarm: FaultAlarm | null }>,
  semaphoreCode: string,
): number {
  const bits = new Set<number>()
  for (const [connectorId, { alarm }] of connectors) {
    if (alarm?.semaphoreCode !== semaphoreCode) continue
    if (alarm.value !== null) return alarm.value
    bits.add(bitOf(connectorId))
  }
  return [...bits].reduce((sum, bit) => sum + bit, 0)
}

// ── Readings ─────────────────────────────────────────────────────────────────────────────────

const compartmentStates: Readonly<Record<string, CompartmentState>> = {
  Available: 'empty',
  Preparing: 'idle',
  Charging: 'charging',
  SuspendedEV: 'idle',
  SuspendedEVSE: 'idle',
  Finishing: 'full',
  Reserved: 'idle',
  Unavailable: 'disabled',
  Faulted: 'fault',
}

/** The values of a station, as they stand: by connector, status and what was measured. */
export interface StationValues {
  statuses: Map<number, string>
  /** By the name of the reading. */
  readings: Map<string, number>
  /** What of them belongs to a compartment. */
  measured: Map<number, Partial<Pick<Compartment, 'soc' | 'voltage' | 'current' | 'temperature'>>>
}

export const noValues = (): StationValues => ({
  statuses: new Map(),
  readings: new Map(),
  measured: new Map(),
})

const readingsAtMost = 90
const defaultMeasurand = 'Energy.Active.Import.Register'

/** In the unit of the standard without its prefix: kWh in Wh, ℉ and K in ℃. */
function inUnit(value: number, unit: string | null): number {
  const kilo = /^k(Wh|varh|W|VA|var)$/.test(unit ?? '')
  if (kilo) return round(value * 1_000)
  if (unit === 'Fahrenheit') return round(((value - 32) * 5) / 9)
  if (unit === 'K') return round(value - 273.15)
  return value
}
const round = (value: number) => Math.round(value * 1e6) / 1e6

const fieldOf = {
  SoC: 'soc',
  Voltage: 'voltage',
  'Current.Import': 'current',
  Temperature: 'temperature',
} as const
const isMeasured = (measurand: string): measurand is keyof typeof fieldOf => Object.hasOwn(fieldOf, measurand)

type Sampled = Said<'MeterValues'>['meterValue'][number]['sampledValue'][number]

/** Takes measured values in; signed data and what is no number are left out. Returns how many were taken. */
export function takeSamples(
  { readings, measured }: StationValues,
  connectorId: number,
  samples: readonly Sampled[],
): number {
  let taken = 0
  for (const { value, measurand: named, phase, location, unit, format } of samples) {
    const measurand = named ?? defaultMeasurand
    const number = /^\s*[-+]?\d{1,15}(\.\d{1,9})?\s*$/.test(value) ? inUnit(Number(value), unit) : null
    if (number === null || format === 'SignedData') continue
    const isPlain = phase === null && (location === null || location === 'Outlet')
    const name = [
      connectorId,
      measurand,
      ...(phase === null ? [] : [phase]),
      ...(location === null || location === 'Outlet' ? [] : [location]),
    ].join('.')
    const key = name.slice(0, 64)
    if (!readings.has(key) && readings.size >= readingsAtMost) continue
    readings.set(key, number)
    taken += 1
    if (!isPlain || !isMeasured(measurand)) continue
    const field = fieldOf[measurand]
    if (field === 'soc' && (number < 0 || number > 100)) continue
    measured.set(connectorId, { ...measured.get(connectorId), [field]: number })
  }
  return taken
}

/** The status report of a station: all that is known of it. */
export function statusOf({ statuses, readings, measured }: StationValues) {
  const status: Record<string, string | number> = {}
  const own = statuses.get(0)
  if (own !== undefined) status.status = own
  for (const [name, value] of readings) status[name] = value
  const numbers = [...new Set([...statuses.keys(), ...measured.keys()])]
    .filter((no) => no >= 1 && no <= mostCompartments)
    .sort((a, b) => a - b)
  const compartments = numbers.map((no) => {
    const state = compartmentStates[statuses.get(no) ?? '']
    return { no, ...(state && { state }), ...measured.get(no) }
  })
  return { status, ...(compartments.length > 0 && { compartments }) }
}

// ── Firmware ─────────────────────────────────────────────────────────────────────────────────

const versionLimit = 32
export const versionOf = (firmware: string) => firmware.slice(0, versionLimit)

/** What a station says of an update, as progress; null where it says nothing. */
export function progressOf(status: string): {
  state: 'downloading' | 'installing' | 'installed' | 'failed'
  percent?: number
  reason?: string
} | null {
  switch (status) {
    case 'Downloading':
    case 'DownloadScheduled':
    case 'DownloadPaused':
      return { state: 'downloading' }
    case 'Downloaded':
    case 'SignatureVerified':
      return { state: 'downloading', percent: 100 }
    case 'Installing':
    case 'InstallRebooting':
    case 'InstallScheduled':
      return { state: 'installing' }
    case 'Installed':
      return { state: 'installed' }
    case 'DownloadFailed':
      return { state: 'failed', reason: '设备下载固件失败' }
    case 'InstallationFailed':
      return { state: 'failed', reason: '设备安装固件失败' }
    case 'InvalidSignature':
    case 'InstallVerificationFailed':
      return { state: 'failed', reason: `设备校验固件失败（${status}）` }
    default:
      return null
  }
}

// ── Configuration ────────────────────────────────────────────────────────────────────────────

/** A key that stations use as their password: never shown. */
export const secretKey = /^authorizationkey$/i
const keyLimit = 50
const valueLimit = 200
/** Of one report. */
const reportedAtOnce = 200

/** What a station has read out of its configuration, as reports of parameters. */
export function parametersOf(
  payload: Record<string, unknown>,
  without: ReadonlySet<string>,
): { id: string; value: string }[][] {
  const listed = Array.isArray(payload.configurationKey) ? (payload.configurationKey as unknown[]) : []
  const parameters = new Map<string, string>()
  for (const entry of listed) {
    const { key, value } = (entry ?? {}) as { key?: unknown; value?: unknown }
    if (typeof key !== 'string' || key === '' || key.length > keyLimit) continue
    if (secretKey.test(key) || without.has(key) || value === undefined || value === null) continue
    parameters.set(
      key,
      String(value)
        .replace(/\p{C}+/gu, ' ')
        .slice(0, valueLimit),
    )
  }
  const all = [...parameters].map(([id, value]) => ({ id, value }))
  return Array.from({ length: Math.ceil(all.length / reportedAtOnce) }, (_, n) =>
    all.slice(n * reportedAtOnce, (n + 1) * reportedAtOnce),
  )
}
