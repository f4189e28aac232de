import type { OrganizationNode } from '@voltkeep/contract/organizations'

/** A line of the tree as it is shown. */
export interface TreeLine {
  id: string
  name: string
  depth: number
  hasChildren: boolean
  isOpen: boolean
}

/** Of more organizations than this only the first two levels are open at first. */
const mostOpen = 200

/**
 * What is closed before anybody pressed anything: nothing, or in a large tree all from the second level on
 * but the way to the chosen one.
 */
export function closedAtFirst(
  tree: readonly OrganizationNode[],
  chosen: string | undefined,
): ReadonlySet<string> {
  const count = (nodes: readonly OrganizationNode[]): number =>
    nodes.reduce((sum, { children }) => sum + 1 + count(children), 0)
  const holds = (nodes: readonly OrganizationNode[]): boolean =>
    nodes.some(({ id, children }) => id === chosen || holds(children))
  const parents = (nodes: readonly OrganizationNode[]): string[] =>
    nodes.flatMap(({ id, children }) =>
      children.length === 0 ? [] : [...(holds(children) ? [] : [id]), ...parents(children)],
    )
  return new Set(count(tree) > mostOpen ? tree.flatMap(({ children }) => parents(children)) : [])
}

/** The set with these in it that were not, and without those that were. */
export function flipped(set: ReadonlySet<string>, ids: Iterable<string>): ReadonlySet<string> {
  const next = new Set(set)
  for (const id of ids) if (!next.delete(id)) next.add(id)
  return next
}

/**
 * The lines to show, from the top down. With a keyword: what it names, with all above it, opened; without
 * one, all but what stands under a closed organization.
 */
export function linesOf(
  tree: readonly OrganizationNode[],
  keyword: string,
  closed: ReadonlySet<string>,
  depth = 0,
): TreeLine[] {
  const wanted = keyword.trim().toLowerCase()
  return tree.flatMap(({ id, name, children }) => {
    const isNamed = name.toLowerCase().includes(wanted)
    const below = linesOf(children, wanted, closed, depth + 1)
    if (wanted !== '' && !isNamed && below.length === 0) return []
    const shown = wanted !== '' ? below : closed.has(id) ? [] : below
    const line = { id, name, depth, hasChildren: shown.length > 0 || (wanted === '' && children.length > 0) }
    return [{ ...line, isOpen: shown.length > 0 }, ...shown]
  })
}
