/** How a tree's nodes are read. */
export interface TreeShape<Node> {
  keyOf: (node: Node) => string
  childrenOf: (node: Node) => readonly Node[]
  /** The text that a keyword is searched in, e.g. name and code. */
  textOf: (node: Node) => string
}

/** A node as a line of a tree table. */
export interface TreeRow<Node> {
  node: Node
  key: string
  /** From 1. */
  level: number
  parentKey: string | undefined
  hasChildren: boolean
  isOpen: boolean
  /** It does not contain the keyword itself: a node above or below it does. */
  isQuiet: boolean
  /** Its place among the siblings shown, from 1, and how many these are. */
  position: number
  siblings: number
}

export interface TreeView {
  /** Nodes that the user opened or closed, which overrides the rules. */
  toggled: ReadonlyMap<string, boolean>
  /** Without a keyword, levels above this one are open. */
  openLevels: number
  keyword: string
}

export interface TreeRows<Node> {
  rows: TreeRow<Node>[]
  /** Nodes that contain the keyword; all where there is none. */
  count: number
}

/**
 * The rows of a tree. With a keyword: the nodes that contain it, with the path to them opened, and the nodes below them
 * when the user opens them.
 */
export function treeRows<Node>(
  roots: readonly Node[],
  { keyOf, childrenOf, textOf }: TreeShape<Node>,
  { toggled, openLevels, keyword }: TreeView,
): TreeRows<Node> {
  const wanted = keyword.trim().toLowerCase()
  const rows: TreeRow<Node>[] = []
  let count = 0
  /** Nodes that contain the keyword, or have some below that do. */
  const matching = new Set<Node>()
  /** Nodes with some below that contain it. */
  const leading = new Set<Node>()

  const find = (node: Node): boolean => {
    const isMatch = textOf(node).toLowerCase().includes(wanted)
    if (isMatch) count += 1
    let leads = false
    for (const child of childrenOf(node)) if (find(child)) leads = true
    if (leads) leading.add(node)
    if (isMatch || leads) matching.add(node)
    return isMatch || leads
  }
  for (const root of roots) find(root)

  const walk = (nodes: readonly Node[], level: number, parentKey: string | undefined, isBelow: boolean) => {
    const shown = wanted === '' || isBelow ? nodes : nodes.filter((node) => matching.has(node))
    shown.forEach((node, index) => {
      const key = keyOf(node)
      const hasIt = wanted !== '' && textOf(node).toLowerCase().includes(wanted)
      const children = childrenOf(node)
      const isOpen =
        children.length > 0 && (toggled.get(key) ?? (wanted === '' ? level < openLevels : leading.has(node)))
      rows.push({
        node,
        key,
        level,
        parentKey,
        hasChildren: children.length > 0,
        isOpen,
        isQuiet: wanted !== '' && !hasIt,
        position: index + 1,
        siblings: shown.length,
      })
      if (isOpen) walk(children, level + 1, key, isBelow || hasIt)
    })
  }
  walk(roots, 1, undefined, false)
  return { rows, count }
}

/** The nodes from a root down to the one with this key; none where the tree does not have it. */
export function wayTo<Node>(
  roots: readonly Node[],
  key: string | undefined,
  { keyOf, childrenOf }: Pick<TreeShape<Node>, 'keyOf' | 'childrenOf'>,
): Node[] {
  if (key === undefined) return []
  for (const node of roots) {
    if (keyOf(node) === key) return [node]
    const below = wayTo(childrenOf(node), key, { keyOf, childrenOf })
    if (below.length > 0) return [node, ...below]
  }
  return []
}

/** How many nodes stand below this one, on all levels. */
export function countBelow<Node>(node: Node, shape: Pick<TreeShape<Node>, 'childrenOf'>): number {
  return shape.childrenOf(node).reduce((count, child) => count + 1 + countBelow(child, shape), 0)
}
