// The newest readings of a device as the catalogue knows them, and its compartments with their alarms.
import {
  type Compartment,
  type CompartmentField,
  catalogueKey,
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
import {
  type DefinitionRow,
  isWithin,
  listDefinitionsOfDevice,
  namedByKey,
  type Reported,
} from './catalogue/index.ts'
import { readNewestReport } from './readings.queries.ts'

export type Readings = ReturnType<typeof createReadings>

/** A device has at most a thousand open alarms. */
const alarmsAtMost = 1_000

const fields = Object.keys(compartmentFields) as CompartmentField[]

/** Definitions by their keys. */
type Definitions = ReadonlyMap<string, DefinitionRow>

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
    const [newest, rows] = await Promise.all([
      readNewestReport(db, deviceId),
      listDefinitionsOfDevice(db, deviceId),
    ])
    if (!newest) refuse('deviceNotFound')
    const definitions: Definitions = new Map(rows.map((row) => [row.key, row]))
    return { ...newest, definitions }
  }

  return {
    async listReadings(actor: Actor, { id }: ParsedInputFor<typeof listReadings>) {
      const { status, compartments, reportTime, definitions } = await newestOf(actor, id)
      if (!reportTime) return []
      const places = new Map([...definitions.keys()].map((key, index) => [key, index]))
      const placeOf = (key: string) => places.get(key) ?? places.size
      const free = Object.entries(status ?? {})
        .sort(([one], [other]) => placeOf(one) - placeOf(other))
        .map(([key, value]) => rowOf({ key, value, reportTime, definitions }))
      const ofCompartments = (compartments ?? []).flatMap((one) =>
        fields.flatMap((field) => {
          const value = one[field]
          if (value === undefined) return []
          const row = rowOf({ key: compartmentKey(one.no, field), value, reportTime, definitions })
          return { ...row, name: `${one.no}号仓 ${row.name}` }
        }),
      )
      return [...free, ...ofCompartments]
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
        compartments: Array.from({ length: count }, (_, index) => {
          const one: Compartment = reported.get(index + 1) ?? { no: index + 1 }
          return { ...one, alarms: named.get(one.no) ?? [], ...judged(one, newest.definitions) }
        }),
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

const isPlausible = (value: Reported, { plausibleMin: min, plausibleMax: max }: DefinitionRow) =>
  isWithin(value, { min, max })
const isNormal = (value: Reported, { normalMin: min, normalMax: max }: DefinitionRow) =>
  isWithin(value, { min, max })

/** A reading as the catalogue knows it, or as it comes. */
function rowOf({
  key,
  value,
  reportTime,
  definitions,
}: {
  key: string
  value: Reported
  reportTime: Date
  definitions: Definitions
}) {
  const known = definitions.get(catalogueKey(key))
  const { name, unit } = known ?? unknownName(key)
  const isImplausible = known !== undefined && !isPlausible(value, known)
  return {
    key,
    name,
    unit,
    value,
    time: reportTime,
    hasHistory: typeof value !== 'string' && (known?.keepsHistory ?? true),
    decimals: known?.decimals ?? null,
    group: known?.group ?? null,
    isOutside: known !== undefined && !isImplausible && !isNormal(value, known),
    isImplausible,
  }
}

const unknownName = (key: string) => {
  const field = fields.find((one) => key.startsWith('compartments.') && key.endsWith(`.${one}`))
  return field ? compartmentFields[field] : namedByKey(key)
}

/** Which values of a compartment the catalogue finds strange. */
function judged(one: Compartment, definitions: Definitions) {
  const outside: string[] = []
  const implausible: string[] = []
  for (const field of fields) {
    const value = one[field]
    const known = definitions.get(catalogueKey(compartmentKey(one.no, field)))
    if (value === undefined || !known) continue
    if (!isPlausible(value, known)) implausible.push(field)
    else if (!isNormal(value, known)) outside.push(field)
  }
  return { outside, implausible }
}
