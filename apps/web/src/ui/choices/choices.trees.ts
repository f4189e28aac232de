import type { OrganizationNode } from '@voltkeep/contract/organizations'
import type { RegionNode } from '@voltkeep/contract/regions'
import { type TreeShape, wayTo } from '../tree/treeRows.ts'

export const organizationShape: TreeShape<OrganizationNode> = {
  keyOf: ({ id }) => id,
  childrenOf: ({ children }) => children,
  textOf: ({ name, code }) => `${name} ${code}`,
}

export const regionShape: TreeShape<RegionNode> = {
  keyOf: ({ value }) => value,
  childrenOf: ({ childrens }) => childrens,
  textOf: ({ label, value }) => `${label} ${value}`,
}

/** The name of an organization; its id where the tree does not have it. */
export function organizationName(tree: readonly OrganizationNode[], id: string): string {
  return wayTo(tree, id, organizationShape).at(-1)?.name ?? id
}

/** From the country down, e.g. 中国 / 广东省 / 深圳市; the code where the tree does not have it. */
export function regionName(tree: readonly RegionNode[], code: string): string {
  const names = wayTo(tree, code, regionShape).map(({ label }) => label)
  return names.join(' / ') || code
}

/** The codes from the country down to a region, which is a cascader's value; none where it is unknown. */
export function regionPath(tree: readonly RegionNode[], code: string | undefined): string[] {
  return wayTo(tree, code, regionShape).map(({ value }) => value)
}

interface Choosable<Node> {
  disabled?: boolean
  children: readonly Node[]
}

/** The first node that a tree lists for a typed text, except disabled ones and those below them. */
export function firstHit<Node extends Choosable<Node>>(
  tree: readonly Node[],
  typed: string,
  nameOf: (node: Node) => string,
): Node | undefined {
  for (const node of tree) {
    if (node.disabled) continue
    if (nameOf(node).toLowerCase().includes(typed.trim().toLowerCase())) return node
    const below = firstHit(node.children, typed, nameOf)
    if (below) return below
  }
  return undefined
}

/** The first region that a cascader lists for a typed text: a name on the path to it contains the text. */
export function firstRegion(tree: readonly RegionNode[], typed: string): string | undefined {
  const wanted = typed.trim().toLowerCase()
  for (const node of tree) {
    if (node.label.toLowerCase().includes(wanted)) return node.value
    const below = firstRegion(node.childrens, typed)
    if (below !== undefined) return below
  }
  return undefined
}
