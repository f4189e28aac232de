// What a device measures: the newest value of each reading.
import * as z from 'zod/mini'
import { type CompartmentField, compartmentFields } from './compartments.ts'
import { listDevices } from './devices.ts'
import { endpoint, one } from './endpoint.ts'
import { byId, saidOut, seededOut, timeOut } from './fields.ts'
import type { LiveNoun } from './live.ts'

/** The key of a compartment's reading: `compartments.3.soc`. */
export const compartmentKey = (no: number, field: CompartmentField) => `compartments.${no}.${field}`

const compartmentKeyPattern = /^compartments\.([1-9]\d?)\.([A-Za-z]+)$/

/** The parts of a compartment's key; null for a name in `status`. */
export function parseCompartmentKey(key: string): { no: number; field: CompartmentField } | null {
  const [, no = '', field = ''] = compartmentKeyPattern.exec(key) ?? []
  return Object.hasOwn(compartmentFields, field) ? { no: Number(no), field: field as CompartmentField } : null
}

export const ReadingRow = z.object({
  /** The name in `status`, or `compartments.<no>.<field>`. */
  key: z.string(),
  /** As it is shown: `柜内温度`, `3号仓 SOC`. */
  name: saidOut,
  unit: z.nullable(seededOut),
  value: z.union([z.number(), z.boolean(), z.string()]),
  /** When the device reported it. */
  time: timeOut,
  /** Whether its history is kept. */
  hasHistory: z.boolean(),
  /** Decimals to be shown; null: as reported. */
  decimals: z.nullable(z.number()),
  /** Readings of one group are shown together; null where the catalogue does not know the reading. */
  group: z.nullable(seededOut),
  /** Out of the normal band of the catalogue. That is no alarm. */
  isOutside: z.boolean(),
  /** Out of the plausible range: no measurement, and not in the history. */
  isImplausible: z.boolean(),
})
export type ReadingRow = z.output<typeof ReadingRow>

/** The newest value of each reading in the order of the catalogue, unknown ones after it, those of compartments last. */
export const listReadings = endpoint({
  method: 'GET',
  path: '/equip/reading/list/:id',
  access: listDevices.access,
  summary: '设备读数',
  input: byId,
  reply: one(z.array(ReadingRow)),
})

/**
 * Devices whose readings and compartments changed. Only those are told of that somebody has read within the last
 * minutes (`readingsWatchedMs`): a page that shows a device reads it again within that time.
 */
export const liveReadings = {
  noun: 'readings',
  access: listDevices.access,
} as const satisfies LiveNoun
export const readingsWatchedMs = 300_000
