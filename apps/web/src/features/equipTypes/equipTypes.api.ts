import { useQuery } from '@tanstack/react-query'
import {
  type EquipType,
  listEquipTypes,
  listModelParts,
  listModels,
  listPartTypes,
} from '@voltkeep/contract/equipTypes'
import { call } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'

// What a change makes stale. A type brings its parts to its models; a part type's name stands in all of them.
export const staleTypes = [listEquipTypes, listModels, listPartTypes, listModelParts]
export const staleParts = [listModelParts]

export type Model = EquipType['equipModels'][number]

export function useEquipType(id: string) {
  const types = useQuery({ ...reading(listEquipTypes, {}), retry: false })
  return { ...types, type: types.data?.find((type) => type.id === id) }
}

export function useModelParts(equipModelId: string) {
  return useQuery(reading(listModelParts, { equipModelId }))
}

/** A type as it is now, for a form that somebody else overtook. */
export async function readType(id: string): Promise<EquipType | undefined> {
  return (await call(listEquipTypes, {})).find((type) => type.id === id)
}
