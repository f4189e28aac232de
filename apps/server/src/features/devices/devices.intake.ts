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
  type DeviceStatus,
  type ParameterValue,
  type PartVersion,
  type StateTable,
  setBackTimes,
  upsertParameters,
  upsertStatuses,
  upsertVersions,
} from './device-intake.queries.ts'

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
    await setBack(connection, 'device_version', reports)
    await upsertVersions(connection, newest.all())
    return () => tellReported([...new Set(reports.map(({ deviceId }) => deviceId))])
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
    await setBack(connection, 'device_parameter', reports)
    await upsertParameters(connection, newest.all())
    return () => tellReported([...new Set(reports.map(({ deviceId }) => deviceId))])
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
    await setBack(connection, 'device_state', reports)
    await upsertStatuses(connection, newest.all())
    return undefined
  },
}

/** Sets back rows whose time is in the future by the newest reports of their devices. */
async function setBack(
  connection: Connection,
  table: StateTable,
  reports: readonly Pick<Report, 'deviceId' | 'occurredAtMs' | 'clockLimitMs'>[],
): Promise<void> {
  const latest = new Map<number, { deviceId: number; clockLimitMs: number; toMs: number }>()
  for (const { deviceId, occurredAtMs, clockLimitMs } of reports) {
    if (clockLimitMs === null) continue
    const toMs = Math.min(occurredAtMs, latest.get(deviceId)?.toMs ?? occurredAtMs)
    latest.set(deviceId, { deviceId, clockLimitMs, toMs })
  }
  if (latest.size > 0) await setBackTimes(connection, table, [...latest.values()])
}

/** The newest value of each key; of equal times the one that arrived last. An upsert takes a key only once. */
class Newest<Value extends { reportedAtMs: number }> {
  readonly #values = new Map<string, Value>()

  put(key: string, value: Value, clockLimitMs: number | null): void {
    const standingMs = this.#values.get(key)?.reportedAtMs
    const isReplaced =
      standingMs === undefined || standingMs <= value.reportedAtMs || isBeyondClock(standingMs, clockLimitMs)
    if (isReplaced) this.#values.set(key, value)
  }

  all(): Value[] {
    return [...this.#values.values()]
  }
}
