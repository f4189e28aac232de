import type { MenuNode } from '@voltkeep/contract/menus'
import { wayTo } from '../../ui/tree/treeRows.ts'

// What a role holds of the menus, as the tree shows it. A role holds each menu by itself: a page without its
// functions, a function without its siblings. Ancestors of a held menu are visible with it and so count as held.
// Half-checked means held, while something below is not.

/** The ids and those of all their ancestors. */
export function withAncestors(tree: readonly MenuNode[], ids: Iterable<string>): Set<string> {
  const given = new Set(ids)
  const held = new Set<string>()
  const visit = (node: MenuNode): boolean => {
    const below = node.children.map(visit)
    const isHeld = given.has(node.id) || below.some(Boolean)
    if (isHeld) held.add(node.id)
    return isHeld
  }
  for (const node of tree) visit(node)
  return held
}

const menuShape = { keyOf: ({ id }: MenuNode) => id, childrenOf: ({ children }: MenuNode) => children }

export type Check = 'all' | 'part' | 'none'

export function checkOf(node: MenuNode, held: ReadonlySet<string>): Check {
  if (!held.has(node.id)) return 'none'
  return everyBelow(node, (each) => held.has(each.id)) ? 'all' : 'part'
}

/**
 * Toggles a menu. A menu that is not completely held becomes so, with its subtree and its ancestors; a complete one
 * is removed with its subtree. Menus that the user may not grant are unchanged. A directory is removed with its last
 * page, since it would be empty; a page stays when its last function is removed.
 */
export function press(
  tree: readonly MenuNode[],
  held: ReadonlySet<string>,
  id: string,
  mayGrant: (node: MenuNode) => boolean,
): Set<string> {
  const path = wayTo(tree, id, menuShape)
  const node = path.at(-1)
  const next = new Set(held)
  if (!node) return next
  const grantable = below(node).filter(mayGrant)
  if (grantable.every((each) => next.has(each.id))) {
    for (const each of grantable) next.delete(each.id)
    // A menu that may not be removed keeps its ancestors.
    const kept = below(node).filter((each) => next.has(each.id))
    if (kept.length > 0) next.add(node.id)
    for (const above of path.slice(0, -1).toReversed()) {
      if (above.type === 'M' && !above.children.some((child) => next.has(child.id))) next.delete(above.id)
    }
    return withAncestors(tree, next)
  }
  for (const each of [...path, ...grantable]) next.add(each.id)
  return next
}

/** Adds everything that the user may grant to what the role holds. */
export function pressAll(
  tree: readonly MenuNode[],
  held: ReadonlySet<string>,
  mayGrant: (node: MenuNode) => boolean,
): Set<string> {
  const grantable = tree.flatMap(below).filter(mayGrant)
  return withAncestors(tree, [...held, ...grantable.map(({ id }) => id)])
}

/** Removes everything that the user may grant. */
export function pressNone(
  tree: readonly MenuNode[],
  held: ReadonlySet<string>,
  mayGrant: (node: MenuNode) => boolean,
): Set<string> {
  const kept = tree.flatMap(below).filter((node) => held.has(node.id) && !mayGrant(node))
  return withAncestors(
    tree,
    kept.map(({ id }) => id),
  )
}

/** The node and its subtree. */
export function below(node: MenuNode): MenuNode[] {
  return [node, ...node.children.flatMap(below)]
}

function everyBelow(node: MenuNode, test: (node: MenuNode) => boolean): boolean {
  return node.children.every((child) => test(child) && everyBelow(child, test))
}
