import type { TreeShape } from './treeRows.ts'

/** The numbers of each node with all below it, by its key, from those of the nodes themselves. */
export function treeSums<Node, Name extends string>(
  tree: readonly Node[],
  { keyOf, childrenOf }: Pick<TreeShape<Node>, 'keyOf' | 'childrenOf'>,
  names: readonly Name[],
  own: ReadonlyMap<string, Readonly<Record<Name, number>>>,
): ReadonlyMap<string, Readonly<Record<Name, number>>> {
  const sums = new Map<string, Record<Name, number>>()
  const add = (node: Node): Record<Name, number> => {
    const below = childrenOf(node).map(add)
    const itself = own.get(keyOf(node))
    const sum = Object.fromEntries(
      names.map((name) => [name, below.reduce((total, each) => total + each[name], itself?.[name] ?? 0)]),
    ) as Record<Name, number>
    sums.set(keyOf(node), sum)
    return sum
  }
  for (const node of tree) add(node)
  return sums
}
