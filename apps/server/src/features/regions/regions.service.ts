import type { RegionNode } from '@voltkeep/contract'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './regions.queries.ts'

/** Read by every page with a filter, 3,200 rows, changed once a year: a change shows within this time. */
const freshForMs = 60_000

export type Regions = ReturnType<typeof createRegions>

export function createRegions({ db }: { db: Db }) {
  let cached: { tree: RegionNode[]; readAtMs: number } | undefined
  return {
    /** Every region there is: where a device stands is no secret to who may see regions to filter by. */
    async listRegions(): Promise<RegionNode[]> {
      if (!cached || Date.now() - cached.readAtMs > freshForMs) {
        cached = { tree: treeOf(await queries.listRegions(db)), readAtMs: Date.now() }
      }
      return cached.tree
    },
  }
}

function treeOf(rows: readonly queries.RegionRow[]): RegionNode[] {
  const nodes = new Map<number, RegionNode>()
  for (const { id, code, name, orderNum, version } of rows) {
    nodes.set(id, { value: code, label: name, parentCode: null, orderNum, version, childrens: [] })
  }
  const roots: RegionNode[] = []
  for (const { id, parentId } of rows) {
    const node = nodes.get(id) as RegionNode
    const parent = parentId === null ? undefined : nodes.get(parentId)
    node.parentCode = parent?.value ?? null
    ;(parent?.childrens ?? roots).push(node)
  }
  return roots
}
