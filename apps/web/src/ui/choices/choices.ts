import { useQuery } from '@tanstack/react-query'
import { readEnums } from '@voltkeep/contract/dictionary'
import { listEquipTypes, listPartTypes } from '@voltkeep/contract/equipTypes'
import { listOperators } from '@voltkeep/contract/operators'
import { listOrganizations } from '@voltkeep/contract/organizations'
import { listRegions } from '@voltkeep/contract/regions'
import { readingRarely } from '../../lib/wire/reading.ts'

// The reference lists that filters and forms choose from, read once and kept for minutes. Where they can wait,
// `isNow` says when: see lib/firstShown.ts.

export function useOrganizations(isNow = true) {
  return useQuery({ ...readingRarely(listOrganizations, {}), enabled: isNow })
}

/** Operators of one manufacturer; of none while none is chosen. */
export function useOperators(organizationId: string | undefined) {
  return useQuery({
    ...readingRarely(listOperators, { organId: organizationId }),
    enabled: organizationId !== undefined,
  })
}

export function useEquipTypes(isNow = true) {
  return useQuery({ ...readingRarely(listEquipTypes, {}), enabled: isNow })
}

export function usePartTypes(isNow = true) {
  return useQuery({ ...readingRarely(listPartTypes, {}), enabled: isNow })
}

export function useRegions(isNow = true) {
  return useQuery({ ...readingRarely(listRegions, {}), enabled: isNow })
}

/** Codes and names of one enumeration of the dictionary. */
export function useEnum(type: string, isNow = true) {
  const enums = useQuery({ ...readingRarely(readEnums, { types: [type] }), enabled: isNow })
  return { ...enums, data: enums.data?.[type] }
}
