import { useQuery } from '@tanstack/react-query'
import { readEnums } from '@voltkeep/contract/dictionary'
import { listEquipTypes } from '@voltkeep/contract/equipTypes'
import { listOperators } from '@voltkeep/contract/operators'
import { listOrganizations, type OrganizationNode } from '@voltkeep/contract/organizations'
import { listRegions, type RegionNode } from '@voltkeep/contract/regions'
import { listRoles } from '@voltkeep/contract/roles'
import { reading, readingRarely } from '../../lib/wire/reading.ts'

// The reference lists that filters and forms choose from, read once and kept for minutes.

export function useOrganizations() {
  return useQuery(readingRarely(listOrganizations, {}))
}

/** Operators of one manufacturer; of none while none is chosen. */
export function useOperators(organizationId: string | undefined) {
  return useQuery({
    ...readingRarely(listOperators, { organId: organizationId }),
    enabled: organizationId !== undefined,
  })
}

export function useEquipTypes() {
  return useQuery(readingRarely(listEquipTypes, {}))
}

export function useRegions() {
  return useQuery(readingRarely(listRegions, {}))
}

/** Not kept for long: whoever makes a role wants to give it next. */
export function useRoles() {
  return useQuery(reading(listRoles, {}))
}

/** Codes and names of one enumeration of the dictionary. */
export function useEnum(type: string) {
  const enums = useQuery(readingRarely(readEnums, { types: [type] }))
  return { ...enums, data: enums.data?.[type] }
}

/** An organization's id with those of all under it; only itself where the tree does not know it. */
export function subtreeIds(tree: readonly OrganizationNode[], id: string): Set<string> {
  const ids = new Set([id])
  const walk = (nodes: readonly OrganizationNode[], isInside: boolean) => {
    for (const node of nodes) {
      const belongs = isInside || node.id === id
      if (belongs) ids.add(node.id)
      walk(node.children, belongs)
    }
  }
  walk(tree, false)
  return ids
}

/** The codes from the root down to a region, as a cascader holds its value; none where it is unknown. */
export function pathTo(tree: readonly RegionNode[], code: string | undefined): string[] {
  if (code === undefined) return []
  for (const node of tree) {
    if (node.value === code) return [code]
    const below = pathTo(node.childrens, code)
    if (below.length > 0) return [node.value, ...below]
  }
  return []
}
