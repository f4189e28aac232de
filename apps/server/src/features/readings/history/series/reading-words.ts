// How a reading is called in the head of its curve and column.
import { compartmentFields, parseCompartmentKey } from '@voltkeep/contract'

export interface ReadingWords {
  name: string
  unit: string | null
}

/** The words of a reading by its key; for names, those of the catalogue of its equipment type. */
export type WordsFor = (equipTypeId: number) => (key: string) => ReadingWords

export function ordinaryWords(key: string): ReadingWords {
  const parsed = parseCompartmentKey(key)
  if (!parsed) return { name: key, unit: null }
  const { name, unit } = compartmentFields[parsed.field]
  return { name: `${parsed.no}号仓 ${name}`, unit }
}
