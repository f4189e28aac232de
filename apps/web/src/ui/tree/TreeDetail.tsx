import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { CopyText } from '../CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../detail/DetailPanel.tsx'
import { EmptyState } from '../EmptyState.tsx'
import type { TreeShape } from './treeRows.ts'

/** Names of the facts, and the texts for a missing node or value. */
export interface TreeDetailTexts {
  fields: { code: string; parent: string; orderNum: string }
  detail: { info: string; related: string; children: string; none: string; notFound: string }
}

/** One node of a tree beside it: its code, its path, its place, and links to what belongs to it. */
export function TreeDetail<Node extends { orderNum: number }>({
  way,
  shape,
  nameOf,
  codeOf,
  texts: { fields, detail },
  actions,
  related,
  onClose,
}: {
  /** The path from the root to the node; empty where it is not there. */
  way: readonly Node[]
  shape: Pick<TreeShape<Node>, 'childrenOf'>
  nameOf: (node: Node) => string
  codeOf: (node: Node) => string
  texts: TreeDetailTexts
  actions: (node: Node) => ReactNode
  /** Names and links. */
  related: (node: Node) => readonly (readonly [ReactNode, ReactNode])[]
  onClose: () => void
}) {
  const node = way.at(-1)
  if (!node) {
    return (
      <DetailPanel title={detail.info} onClose={onClose}>
        <EmptyState title={detail.notFound} />
      </DetailPanel>
    )
  }
  const childCount = shape.childrenOf(node).length
  const links = related(node)
  return (
    <DetailPanel title={nameOf(node)} actions={actions(node)} onClose={onClose}>
      <DetailSection title={detail.info}>
        <Facts
          facts={[
            [fields.code, <CopyText key="code" text={codeOf(node)} />],
            [fields.parent, way.slice(0, -1).map(nameOf).join(' / ') || detail.none],
            [fields.orderNum, node.orderNum],
            [detail.children, childCount === 0 ? detail.none : formatCount(childCount)],
          ]}
        />
      </DetailSection>
      {links.length > 0 && (
        <DetailSection title={detail.related}>
          <Facts facts={links} />
        </DetailSection>
      )}
    </DetailPanel>
  )
}
