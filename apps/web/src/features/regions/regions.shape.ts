import type { RegionNode } from '@voltkeep/contract/regions'
import type { TreeShape } from '../../ui/tree/treeRows.ts'

export const regionShape: TreeShape<RegionNode> = {
  keyOf: ({ value }) => value,
  childrenOf: ({ childrens }) => childrens,
  textOf: ({ label, value }) => `${label} ${value}`,
}

/** Stands for every region there is, and is none itself. */
export const isEverywhere = ({ value }: RegionNode) => value === 'all'
