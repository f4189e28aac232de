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

// The reads that a change makes stale. A type's parts are inherited by its models; all of them show a part type's
// name.
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

/** The type as saved now, for a form that met a version conflict. */
export async function readType(id: string): Promise<EquipType | undefined> {
  return (await call(listEquipTypes, {})).find((type) => type.id === id)
}
