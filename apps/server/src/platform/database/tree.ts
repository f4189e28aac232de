/**
 * Rows as trees of nodes; siblings keep the order of the rows. A row whose parent is not among the rows stands
 * at the top. `nodeOf` gets the array that the children of its node will be in, and the parent's row.
 */
export function treeOf<Row extends { id: number; parentId: number | null }, Node>(
  rows: readonly Row[],
  nodeOf: (row: Row, children: Node[], parent: Row | undefined) => Node,
): Node[] {
  const known = new Map(rows.map((row) => [row.id, { row, children: [] as Node[] }]))
  const top: Node[] = []
  for (const { row, children } of known.values()) {
    const parent = row.parentId === null ? undefined : known.get(row.parentId)
    const siblings = parent?.children ?? top
    siblings.push(nodeOf(row, children, parent?.row))
  }
  return top
}
