import { useQuery } from '@tanstack/react-query'
import { countRegions, type RegionNode } from '@voltkeep/contract/regions'
import { useMemo } from 'react'
import { reading } from '../../lib/wire/reading.ts'
import { regionShape } from '../../ui/choices/choices.trees.ts'
import { treeSums } from '../../ui/tree/treeSums.ts'

const names = ['devices', 'online', 'alarms', 'shelved'] as const
export type RegionSums = Readonly<Record<(typeof names)[number], number>>

/** The user's devices in each region and in those below it; undefined while they are not known. */
export function useRegionSums(
  tree: readonly RegionNode[] | undefined,
): (code: string) => RegionSums | undefined {
  const { data } = useQuery({ ...reading(countRegions, {}), meta: { isQuiet: true } })
  const sums = useMemo(() => {
    const own = data?.map(({ code, ...counts }) => [code, counts] as const)
    return own && tree && treeSums(tree, regionShape, names, new Map(own))
  }, [data, tree])
  return (code) => sums?.get(code)
}
