// The short ids of readings: those of compartments follow from field and number, those of names stand in reading_key.
import {
  type CompartmentField,
  compartmentKey,
  mostCompartments,
  parseCompartmentKey,
} from '@voltkeep/contract'

/** The fields of a compartment that are numbers or switches. Their order is that of the ids: never to be changed. */
export const keptFields = [
  'soc',
  'soh',
  'voltage',
  'current',
  'temperature',
  'isDoorOpen',
  'isLocked',
] as const satisfies readonly CompartmentField[]

/** Ids from here on are those of `reading_key`. */
export const firstNamedId = 1_000

/** Alike stands beside alike: all of one field, by number, then those of the next field. */
export const compartmentId = (no: number, field: number): number => 1 + field * mostCompartments + (no - 1)

/** The id of a compartment's reading by its key; null for a name, undefined where the field has no history. */
export function idOfKey(key: string): number | null | undefined {
  const parsed = parseCompartmentKey(key)
  if (!parsed) return null
  const field = (keptFields as readonly string[]).indexOf(parsed.field)
  return field < 0 || parsed.no > mostCompartments ? undefined : compartmentId(parsed.no, field)
}

/** The key of a compartment's reading by its id; undefined for the id of a name. */
export function keyOfCompartmentId(id: number): string | undefined {
  const field = keptFields[Math.floor((id - 1) / mostCompartments)]
  return id < firstNamedId && field ? compartmentKey(((id - 1) % mostCompartments) + 1, field) : undefined
}
