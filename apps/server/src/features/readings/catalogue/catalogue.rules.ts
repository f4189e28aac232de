// What the catalogue says of a value, and how the history of a reading is thinned.
import { catalogueKey } from '@voltkeep/contract'

/** A value that a device reports. */
export type Reported = string | number | boolean

export interface Range {
  min: number | null
  max: number | null
}

/** How the history of a reading is kept. */
export interface ReadingRule {
  /** False: shown, and not kept. */
  isKept: boolean
  /** A value that differs from the last one kept by no more than this is not kept again. */
  deadband: number
  /** A value is kept at least once in such a time. */
  longestMs: number
  /** A number out of this range is no measurement, and is not kept. */
  plausible: Range
}

/** Of a reading that the catalogue does not know. */
export const ordinaryRule: ReadingRule = {
  isKept: true,
  deadband: 0,
  longestMs: 900_000,
  plausible: { min: null, max: null },
}

/** The rule of each reading of an equipment type, by its key as reports have it. */
export type RulesOfType = (key: string) => ReadingRule

/** By the keys of the catalogue; the keys of compartments are those of any compartment. */
export const rulesBy =
  (rules: ReadonlyMap<string, ReadingRule>): RulesOfType =>
  (key) =>
    rules.get(catalogueKey(key)) ?? ordinaryRule

/** Texts and booleans are within every range. */
export const isWithin = (value: Reported, { min, max }: Range): boolean =>
  typeof value !== 'number' || ((min === null || value >= min) && (max === null || value <= max))

/** A reading that the catalogue does not know may have its unit in its name: `输入电压（V）`. */
export function namedByKey(key: string): { name: string; unit: string | null } {
  const found = /[（(]([^（）()]{1,16})[）)]$/.exec(key)
  const name = key.slice(0, found?.index).trimEnd()
  return found?.[1] !== undefined && name !== '' ? { name, unit: found[1] } : { name: key, unit: null }
}
