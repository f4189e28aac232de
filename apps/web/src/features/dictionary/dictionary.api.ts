import { useQuery } from '@tanstack/react-query'
import { listDictionary, listDictionaryTypes, readEnums } from '@voltkeep/contract/dictionary'
import { reading } from '../../lib/wire/reading.ts'

/** The reads that any change of the dictionary makes stale. */
export const stale = [listDictionary, listDictionaryTypes, readEnums]

export function useDictionaryTypes() {
  return useQuery(reading(listDictionaryTypes, {}))
}

/** A type's name; the type itself where it has none. */
export function useTypeName(): (type: string) => string {
  const types = useDictionaryTypes()
  return (type) => types.data?.find((known) => known.type === type)?.name ?? type
}
