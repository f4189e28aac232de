import { useQuery } from '@tanstack/react-query'
import {
  type DictionaryRow,
  deleteDictionaryEntry,
  listDictionary,
  listDictionaryTypes,
  readEnums,
} from '@voltkeep/contract/dictionary'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'

/** What any change of the dictionary makes stale. */
export const stale = [listDictionary, listDictionaryTypes, readEnums]

export function useDictionaryTypes() {
  return useQuery(reading(listDictionaryTypes, {}))
}

/** What a type is called; the type itself where nobody knows. */
export function useTypeName(): (type: string) => string {
  const types = useDictionaryTypes()
  return (type) => types.data?.find((known) => known.type === type)?.name ?? type
}

export function useDeleting() {
  return useWriting(deleteDictionaryEntry, stale, { said: texts.dictionary.remove.done })
}

/** What the form of an entry starts with. */
export function valuesOf(entry: DictionaryRow) {
  const { id, version, code, name, type, note, alarmLevel, analysisType, definitions = [] } = entry
  return {
    id,
    version,
    code,
    name,
    type,
    note: note ?? undefined,
    alarmLevel: alarmLevel ?? undefined,
    analysisType: analysisType ?? undefined,
    definitions,
  }
}
