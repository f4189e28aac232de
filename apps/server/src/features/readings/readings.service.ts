// The newest readings of a device, and its compartments with their alarms.
import {
  type Compartment,
  type CompartmentField,
  columnsFor,
  compartmentFields,
  compartmentKey,
  compartmentsNamed,
  listAlarms,
  type listCompartments,
  type listReadings,
  mostCompartments,
  type ParsedInputFor,
} from '@voltkeep/contract'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Alarms } from '../alarms/index.ts'
import type { Devices } from '../devices/index.ts'
import { readNewestReport } from './readings.queries.ts'

export type Readings = ReturnType<typeof createReadings>

/** A device has at most a thousand open alarms. */
const alarmsAtMost = 1_000

const fields = Object.keys(compartmentFields) as CompartmentField[]

export function createReadings({
  db,
  devices,
  alarms,
  watch,
}: {
  db: Db
  devices: Pick<Devices, 'findCode'>
  alarms: Pick<Alarms, 'listAlarms'>
  /** A user has read this device: what it reports from now on is told of. */
  watch: (deviceId: number) => void
}) {
  /** Refuses `deviceNotFound`, also out of the caller's scope. */
  const newestOf = async (actor: Actor, id: string) => {
    const deviceId = idNumber(id)
    if ((await devices.findCode(actor, deviceId)) === undefined) refuse('deviceNotFound')
    watch(deviceId)
    return (await readNewestReport(db, deviceId)) ?? refuse('deviceNotFound')
  }

  return {
    async listReadings(actor: Actor, { id }: ParsedInputFor<typeof listReadings>) {
      const { status, compartments, reportTime } = await newestOf(actor, id)
      if (!reportTime) return []
      const free = Object.entries(status ?? {}).map(([key, value]) => ({
        key,
        name: key,
        unit: null,
        value,
        time: reportTime,
        hasHistory: typeof value !== 'string',
      }))
      return [...free, ...(compartments ?? []).flatMap((one) => readingsOf(one, reportTime))]
    },

    async listCompartments(actor: Actor, { id }: ParsedInputFor<typeof listCompartments>) {
      const newest = await newestOf(actor, id)
      const reported = new Map((newest.compartments ?? []).map((one) => [one.no, one]))
      const count = Math.max(newest.count ?? 0, ...reported.keys())
      const named = await alarmsByCompartment(actor, id)
      return {
        reportTime: newest.reportTime,
        columns: newest.columns ?? columnsFor(count),
        count,
        compartments: Array.from({ length: count }, (_, index) => ({
          ...(reported.get(index + 1) ?? { no: index + 1 }),
          alarms: named.get(index + 1) ?? [],
        })),
      }
    },
  }

  /** The active alarms that name compartments; none where the caller may not list alarms. */
  async function alarmsByCompartment(actor: Actor, equipId: string) {
    const byNumber = new Map<
      number,
      { id: string; code: string; name: string; level: number | null; startTime: Date }[]
    >()
    if (!mayCall(actor, listAlarms.access)) return byNumber
    const { rows } = await alarms.listAlarms(actor, {
      equipId,
      status: '1',
      pageNum: 1,
      pageSize: alarmsAtMost,
    })
    for (const row of rows) {
      for (const no of compartmentsNamed(row)) {
        if (no < 1 || no > mostCompartments) continue
        const alarm = {
          id: row.id,
          code: row.semaphoreCode,
          name: row.semaphoreName,
          level: row.alarmLevel,
          startTime: row.occurrenceTime,
        }
        byNumber.set(no, [...(byNumber.get(no) ?? []), alarm])
      }
    }
    for (const some of byNumber.values()) some.sort((a, b) => (a.level ?? 9) - (b.level ?? 9))
    return byNumber
  }
}

/** What one compartment says, a row for each field. */
const readingsOf = (one: Compartment, time: Date) =>
  fields.flatMap((field) => {
    const value = one[field]
    if (value === undefined) return []
    const { name, unit } = compartmentFields[field]
    return {
      key: compartmentKey(one.no, field),
      name: `${one.no}号仓 ${name}`,
      unit,
      value,
      time,
      hasHistory: typeof value !== 'string',
    }
  })
