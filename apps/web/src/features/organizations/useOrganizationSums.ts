import { useQuery } from '@tanstack/react-query'
import { countOrganizations, type OrganizationNode } from '@voltkeep/contract/organizations'
import { useMemo } from 'react'
import { reading } from '../../lib/wire/reading.ts'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { treeSums } from '../../ui/tree/treeSums.ts'

const names = ['operators', 'users', 'devices', 'online', 'alarms', 'shelved'] as const
export type OrganizationSums = Readonly<Record<(typeof names)[number], number>>

/** What belongs to each organization and to those under it; undefined while it is not known. */
export function useOrganizationSums(tree: readonly OrganizationNode[] | undefined): {
  sumsOf: (id: string) => OrganizationSums | undefined
  /** Whether the user may see users. */
  hasUsers: boolean
} {
  const { data } = useQuery({ ...reading(countOrganizations, {}), meta: { isQuiet: true } })
  const sums = useMemo(() => {
    const own = data?.map(({ id, users, ...counts }) => [id, { ...counts, users: users ?? 0 }] as const)
    return own && tree && treeSums(tree, organizationShape, names, new Map(own))
  }, [data, tree])
  return {
    sumsOf: (id) => sums?.get(id),
    hasUsers: data?.some(({ users }) => users !== null) ?? false,
  }
}
