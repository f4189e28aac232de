/** What a tree list is made of. */
export interface TreeNode {
  id: string
  children: readonly TreeNode[]
}

/** A node as a row: where it stands and whether what is below it shows. */
export interface TreeRow<Node> {
  node: Node
  /** 0 at the top. */
  depth: number
  hasChildren: boolean
  isOpen: boolean
}

/**
 * The rows of a tree, from the top down. With a test, only nodes that pass and what stands above them,
 * all unfolded: a search shows what it finds.
 */
export function rowsOfTree<Node extends TreeNode>(
  nodes: readonly Node[],
  isOpen: (node: Node) => boolean,
  matches?: (node: Node) => boolean,
): TreeRow<Node>[] {
  const shown = matches ? nodesAbove(nodes, matches) : undefined
  const rowsOf = (siblings: readonly Node[], depth: number): TreeRow<Node>[] =>
    siblings
      .filter((node) => !shown || shown.has(node.id))
      .flatMap((node) => {
        const children = node.children as readonly Node[]
        const open = children.length > 0 && (shown ? children.some(({ id }) => shown.has(id)) : isOpen(node))
        const row = { node, depth, hasChildren: children.length > 0, isOpen: open }
        return open ? [row, ...rowsOf(children, depth + 1)] : [row]
      })
  return rowsOf(nodes, 0)
}

/** Ids of the nodes that pass, and of all above them. */
function nodesAbove<Node extends TreeNode>(
  nodes: readonly Node[],
  matches: (node: Node) => boolean,
): Set<string> {
  const found = new Set<string>()
  const visit = (node: Node): boolean => {
    const below = (node.children as readonly Node[]).map(visit)
    const isShown = matches(node) || below.some(Boolean)
    if (isShown) found.add(node.id)
    return isShown
  }
  for (const node of nodes) visit(node)
  return found
}

/** Every node, parents before what is below them. */
export function flatTree<Node extends TreeNode>(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => [node, ...flatTree(node.children as readonly Node[])])
}
