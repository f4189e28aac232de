/**
 * Versions, parameters and status are the present state of a device: the newest report stays, and a late one changes
 * nothing. The newest is the one with the latest time, unless the device's clock cannot show that time at present: then
 * the clock was ahead and has been set back.
 */
import type { ParameterReport, VersionReport } from '@voltkeep/contract/topics/index'
import type { Connection } from '../../platform/database/transaction.ts'
import { isBeyondClock, type Report, type StatusConsumer } from '../../platform/devices/ingest/reports.ts'
import type { Writer } from '../../platform/devices/ingest/writer.ts'
import {
  countUpTo,
  type DeviceStatus,
  type ManyTable,
  meetReported,
  type ParameterValue,
  type PartVersion,
  type Reported,
  setBackStatuses,
  upsertParameters,
  upsertStatuses,
  upsertVersions,
} from './device-intake.queries.ts'
import { mostParameters, mostParts } from './devices.queries.ts'

/** Writes reports of versions: the newest of each part stays. `tellReported` gets the devices' ids after the commit. */
export const createVersionWriter = (
  tellReported: (deviceIds: readonly number[]) => void,
): Writer<Report<VersionReport>> => ({
  name: 'version',
  async write(connection, reports) {
    const newest = new Newest<PartVersion>()
    for (const { deviceId, occurredAtMs, clockLimitMs, payload } of reports) {
      for (const { partType, addrId, version, hwVersion = null, pcbCode = null } of payload.versions) {
        const value = { deviceId, partType, addrId, version, hwVersion, pcbCode, reportedAtMs: occurredAtMs }
        newest.put(`${deviceId} ${partType} ${addrId}`, value, clockLimitMs)
      }
    }
    const { taken, over } = await withinLimit(connection, 'device_version', newest.all(), partKey)
    if (taken.length > 0) await upsertVersions(connection, taken)
    return () => {
      refuseOf(reports, over, 'tooManyParts', `一台设备最多上报 ${mostParts} 个部件的版本`)
      tellReported([...new Set(reports.map(({ deviceId }) => deviceId))])
    }
  },
})

/**
 * Writes reports of parameters: the newest value of each stays. `tellReported` gets the devices' ids after the commit.
 */
export const createParameterWriter = (
  tellReported: (deviceIds: readonly number[]) => void,
): Writer<Report<ParameterReport>> => ({
  name: 'parameter',
  async write(connection, reports) {
    const newest = new Newest<ParameterValue>()
    for (const { deviceId, occurredAtMs, clockLimitMs, payload } of reports) {
      for (const { id, value } of payload.parameters) {
        const parameter = { deviceId, parameterId: id, value: String(value), reportedAtMs: occurredAtMs }
        newest.put(`${deviceId} ${id}`, parameter, clockLimitMs)
      }
    }
    const { taken, over } = await withinLimit(connection, 'device_parameter', newest.all(), parameterKey)
    if (taken.length > 0) await upsertParameters(connection, taken)
    return () => {
      refuseOf(reports, over, 'tooManyParameters', `一台设备最多上报 ${mostParameters} 个参数`)
      tellReported([...new Set(reports.map(({ deviceId }) => deviceId))])
    }
  },
})

/** Keeps the newest status report of each device, whole: without compartments in it, none are known any more. */
export const newestStatus: StatusConsumer = {
  name: 'newest values',
  async write(connection, reports) {
    const newest = new Newest<DeviceStatus>()
    for (const { deviceId, occurredAtMs, clockLimitMs, payload } of reports) {
      const { status, compartments } = payload
      const sorted = compartments?.toSorted((a, b) => a.no - b.no) ?? null
      newest.put(
        String(deviceId),
        { deviceId, status, compartments: sorted, reportedAtMs: occurredAtMs },
        clockLimitMs,
      )
    }
    await setBack(connection, reports)
    await upsertStatuses(
      connection,
      newest.all().map(({ value }) => value),
    )
    return undefined
  },
}

/** Sets back statuses whose time is in the future by the newest reports of their devices. */
async function setBack(
  connection: Connection,
  reports: readonly Pick<Report, 'deviceId' | 'occurredAtMs' | 'clockLimitMs'>[],
): Promise<void> {
  const latest = new Map<number, { deviceId: number; clockLimitMs: number; toMs: number }>()
  for (const { deviceId, occurredAtMs, clockLimitMs } of reports) {
    if (clockLimitMs === null) continue
    const toMs = Math.min(occurredAtMs, latest.get(deviceId)?.toMs ?? occurredAtMs)
    latest.set(deviceId, { deviceId, clockLimitMs, toMs })
  }
  if (latest.size > 0) await setBackStatuses(connection, [...latest.values()])
}

const partKey = ({ partType, addrId }: PartVersion) => ({ name: partType, addr: addrId })
const parameterKey = ({ parameterId }: ParameterValue) => ({ name: parameterId, addr: '' })
const mostOf = { device_version: mostParts, device_parameter: mostParameters } satisfies Record<
  ManyTable,
  number
>

/**
 * What is written of the newest values: all that the device has reported before, and new ones up to its limit. `over`: the
 * devices of which some are not. Two processes may exceed the limit a little.
 */
async function withinLimit<Value extends { deviceId: number; reportedAtMs: number }>(
  connection: Connection,
  table: ManyTable,
  newest: readonly Newer<Value>[],
  keyOf: (value: Value) => Pick<Reported, 'name' | 'addr'>,
): Promise<{ taken: Value[]; over: Set<number> }> {
  const most = mostOf[table]
  const reported = newest.map(({ value, clockLimitMs }) => ({
    deviceId: value.deviceId,
    reportedAtMs: value.reportedAtMs,
    ...keyOf(value),
    clockLimitMs,
  }))
  const fresh = await meetReported(connection, table, reported)
  const over = new Set<number>()
  const values = newest.map(({ value }) => value)
  if (fresh.size === 0) return { taken: values, over }
  const deviceIds = [...new Set([...fresh].map((at) => (values[at] as Value).deviceId))]
  const counts = await countUpTo(connection, table, { deviceIds, most })
  const taken = values.filter(({ deviceId }, at) => {
    if (!fresh.has(at)) return true
    const count = (counts.get(deviceId) ?? 0) + 1
    counts.set(deviceId, count)
    if (count > most) over.add(deviceId)
    return count <= most
  })
  return { taken, over }
}

function refuseOf(
  reports: readonly Report[],
  over: ReadonlySet<number>,
  reason: 'tooManyParts' | 'tooManyParameters',
  detail: string,
): void {
  for (const report of reports) if (over.has(report.deviceId)) report.refuse(reason, detail)
}

interface Newer<Value> {
  value: Value
  /** Of the newest report of it that is not late. */
  clockLimitMs: number | null
}

/** The newest value of each key; of equal times the one that arrived last. An upsert takes a key only once. */
class Newest<Value extends { reportedAtMs: number }> {
  readonly #values = new Map<string, Newer<Value>>()

  put(key: string, value: Value, clockLimitMs: number | null): void {
    const standing = this.#values.get(key)
    const standingMs = standing?.value.reportedAtMs
    const isReplaced =
      standingMs === undefined || standingMs <= value.reportedAtMs || isBeyondClock(standingMs, clockLimitMs)
    this.#values.set(key, {
      value: isReplaced ? value : (standing as Newer<Value>).value,
      clockLimitMs: clockLimitMs ?? standing?.clockLimitMs ?? null,
    })
  }

  all(): Newer<Value>[] {
    return [...this.#values.values()]
  }
}
