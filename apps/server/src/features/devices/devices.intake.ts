import type { ParameterReport, StatusReport, VersionReport } from '@voltkeep/contract/topics/index'
import type { Report } from '../../platform/ingest/reports.ts'
import type { Writer } from '../../platform/ingest/writer.ts'
import {
  type DeviceStatus,
  type ParameterValue,
  type PartVersion,
  upsertParameters,
  upsertStatuses,
  upsertVersions,
} from './devices.intake.queries.ts'

/** Takes reports of versions: the newest of each part stays. `tellReported` hears the devices' ids after the commit. */
export const createVersionWriter = (
  tellReported: (deviceIds: readonly number[]) => void,
): Writer<Report<VersionReport>> => ({
  name: 'version',
  async write(connection, reports) {
    const newest = new Newest<PartVersion>()
    for (const { deviceId, occurredAtMs, payload } of reports) {
      for (const { partType, addrId, version, hwVersion = null, pcbCode = null } of payload.versions) {
        newest.put(`${deviceId} ${partType} ${addrId}`, {
          deviceId,
          partType,
          addrId,
          version,
          hwVersion,
          pcbCode,
          reportedAtMs: occurredAtMs,
        })
      }
    }
    await upsertVersions(connection, newest.all())
    return () => tellReported([...new Set(reports.map(({ deviceId }) => deviceId))])
  },
})

/** Takes reports of parameters: the newest value of each stays. */
export const parameterWriter: Writer<Report<ParameterReport>> = {
  name: 'parameter',
  async write(connection, reports) {
    const newest = new Newest<ParameterValue>()
    for (const { deviceId, occurredAtMs, payload } of reports) {
      for (const { id, value } of payload.parameters) {
        newest.put(`${deviceId} ${id}`, {
          deviceId,
          parameterId: id,
          value: String(value),
          reportedAtMs: occurredAtMs,
        })
      }
    }
    await upsertParameters(connection, newest.all())
    return undefined
  },
}

/** Takes status reports: the newest of a device stays, whole. */
export const statusWriter: Writer<Report<StatusReport>> = {
  name: 'status',
  async write(connection, reports) {
    const newest = new Newest<DeviceStatus>()
    for (const { deviceId, occurredAtMs, payload } of reports) {
      newest.put(String(deviceId), { deviceId, status: payload.status, reportedAtMs: occurredAtMs })
    }
    await upsertStatuses(connection, newest.all())
    return undefined
  },
}

/** One value a key, the newest; of equal times the one that arrived last. An upsert takes a key only once. */
class Newest<Value extends { reportedAtMs: number }> {
  readonly #values = new Map<string, Value>()

  put(key: string, value: Value): void {
    const known = this.#values.get(key)
    if (!known || known.reportedAtMs <= value.reportedAtMs) this.#values.set(key, value)
  }

  all(): Value[] {
    return [...this.#values.values()]
  }
}
