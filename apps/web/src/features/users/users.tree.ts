import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { treeRows, wayTo } from '../../ui/tree/treeRows.ts'

/** A visible row of the tree. */
export interface TreeLine {
  id: string
  name: string
  depth: number
  hasChildren: boolean
  isOpen: boolean
}

/** With more organizations, only the first two levels are expanded initially. */
const mostOpen = 200

const byName = { ...organizationShape, textOf: ({ name }: OrganizationNode) => name }
const nothingToggled: ReadonlyMap<string, boolean> = new Map()

/**
 * The initially collapsed organizations: none, or in a large tree all from the second level on except the path to the
 * selected one.
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

/** Toggles the membership of each id in the set. */
export function flipped(set: ReadonlySet<string>, ids: Iterable<string>): ReadonlySet<string> {
  const next = new Set(set)
  for (const id of ids) if (!next.delete(id)) next.add(id)
  return next
}

/**
 * The visible rows from the top down. With a keyword: its matches with all ancestors, expanded. Without one:
 * everything except what is below a collapsed organization.
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
