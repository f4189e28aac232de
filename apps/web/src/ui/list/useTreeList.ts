import { useQuery } from '@tanstack/react-query'
import type { Endpoint, InputFor, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import { useMemo, useState } from 'react'
import { useUrlState } from '../../lib/urlState.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { reading } from '../../lib/wire/reading.ts'
import { flatTree, rowsOfTree, type TreeNode, type TreeRow } from './tree.ts'
import type { List } from './useList.ts'

export interface TreeListOptions<Filters extends Schema, Node> {
  /** The filters in the address; they are applied here, not by the server. */
  filters: Filters
  /** Whether a node passes; called only where a filter is set. */
  matches: (node: Node, filters: OutputOf<Filters>) => boolean
  /** Nodes less deep than this are unfolded at first; 1 shows two levels. */
  openDepth?: number
}

export interface TreeList<Filters extends Schema, Node> extends List<Filters, TreeRow<Node>> {
  /** The whole tree. */
  tree: readonly Node[]
  fold(row: TreeRow<Node>, isOpen: boolean): void
  foldAll(isOpen: boolean): void
}

type TreeEndpoint<Tree extends Schema> = Endpoint<Schema, { kind: 'one'; schema: Tree }>

/** A tree that the server answers whole, as a `ListPage` shows it: rows of what is unfolded, no pager. */
export function useTreeList<
  Filters extends Schema,
  Tree extends Schema,
  Node extends TreeNode = OutputOf<Tree> extends readonly (infer N extends TreeNode)[] ? N : never,
>(
  endpoint: TreeEndpoint<Tree>,
  { filters: schema, matches, openDepth = 1 }: TreeListOptions<Filters, Node>,
): TreeList<Filters, Node> {
  const [filters, setFilters] = useUrlState(schema)
  const query = useQuery({
    ...reading(endpoint, {} as InputFor<typeof endpoint>),
    retry: false,
  })
  const tree = (query.data ?? nothing) as readonly Node[]
  // What the person folded or unfolded, by id; everything else is as its depth says.
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map())
  const depths = useMemo(() => depthsOf(tree), [tree])
  const filterCount = Object.keys(withoutEmpty(filters as object)).length
  const rows = useMemo(
    () =>
      rowsOfTree(
        tree,
        ({ id }) => folded.get(id) ?? (depths.get(id) ?? 0) < openDepth,
        filterCount > 0 ? (node) => matches(node, filters) : undefined,
      ),
    [tree, folded, depths, openDepth, filterCount, filters, matches],
  )
  return {
    schema,
    tree,
    rows,
    total:
      filterCount > 0
        ? flatTree(tree).filter((node) => matches(node, filters)).length
        : flatTree(tree).length,
    pageNum: 1,
    pageSize: 10,
    isWhole: true,
    filters: filters as List<Filters>['filters'],
    cleared: {},
    filterCount,
    isFirst: query.isPending,
    isStale: false,
    isFetching: query.isFetching,
    readAtMs: query.dataUpdatedAt,
    error: query.error as CallError | null,
    apply: (next) => setFilters(next),
    reset: () => setFilters({}),
    turn: () => undefined,
    retry: () => void query.refetch(),
    fold: ({ node, hasChildren }, isOpen) => {
      if (hasChildren) setFolded((current) => new Map(current).set(node.id, isOpen))
    },
    foldAll: (isOpen) => setFolded(new Map(flatTree(tree).map(({ id }) => [id, isOpen]))),
  }
}

const nothing: readonly never[] = []

function depthsOf(nodes: readonly TreeNode[], depth = 0, into = new Map<string, number>()) {
  for (const { id, children } of nodes) {
    into.set(id, depth)
    depthsOf(children, depth + 1, into)
  }
  return into
}
