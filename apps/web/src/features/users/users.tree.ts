import type { OrganizationNode } from '@voltkeep/contract/organizations'

/** A line of the tree as it is shown. */
export interface TreeLine {
  id: string
  name: string
  depth: number
  hasChildren: boolean
  isOpen: boolean
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
