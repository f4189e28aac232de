// How a reading is called in the head of its curve and column.
import { catalogueKey, compartmentFields, parseCompartmentKey } from '@voltkeep/contract'
import { namedByKey } from '../../catalogue/index.ts'

export interface ReadingWords {
  name: string
  unit: string | null
}

export type WordsByKey = (key: string) => ReadingWords

/** The words of the catalogue, by the keys that reports have; where it knows none, those of the key itself. */
export function wordsBy(catalogue: readonly (ReadingWords & { key: string })[]): WordsByKey {
  const known = new Map(catalogue.map(({ key, name, unit }) => [key, { name, unit }]))
  return (key) => {
    const words = known.get(catalogueKey(key))
    const parsed = parseCompartmentKey(key)
    if (!parsed) return words ?? namedByKey(key)
    const { name, unit } = words ?? compartmentFields[parsed.field]
    return { name: `${parsed.no}号仓 ${name}`, unit }
  }
}
