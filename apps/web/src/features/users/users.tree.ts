import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { treeRows, wayTo } from '../../ui/tree/treeRows.ts'

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

const byName = { ...organizationShape, textOf: ({ name }: OrganizationNode) => name }
const nothingToggled: ReadonlyMap<string, boolean> = new Map()

/**
 * What is closed before anybody pressed anything: nothing, or in a large tree all from the second level on
 * but the way to the chosen one.
 */
export function closedAtFirst(
  tree: readonly OrganizationNode[],
  chosen: string | undefined,
): ReadonlySet<string> {
  const { rows } = treeRows(tree, byName, { toggled: nothingToggled, openLevels: Infinity, keyword: '' })
  if (rows.length <= mostOpen) return new Set()
  const above = new Set(wayTo(tree, chosen, byName).slice(0, -1).map(byName.keyOf))
  const closed = rows.filter(({ level, hasChildren, key }) => level > 1 && hasChildren && !above.has(key))
  return new Set(closed.map(({ key }) => key))
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
): TreeLine[] {
  const toggled =
    keyword.trim() === '' ? new Map([...closed].map((id) => [id, false] as const)) : nothingToggled
  const { rows } = treeRows(tree, byName, { toggled, openLevels: Infinity, keyword })
  return rows.map(({ key, node, level, hasChildren, isOpen }) => ({
    id: key,
    name: node.name,
    depth: level - 1,
    hasChildren,
    isOpen,
  }))
}
