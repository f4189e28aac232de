import { type ReactNode, useState } from 'react'
import { CopyText } from '../CopyText.tsx'
import type { Column } from '../list/DataTable.tsx'
import { operationColumn } from '../list/plainColumns.tsx'

// Parts that pages of editable trees share: a code, an order, actions, and a form for one node.

export interface OrderedNode {
  orderNum: number
}

const actionsWidthPx = 168

/** The columns after the name: code (its width in pixels), the page's own, actions. */
export function nodeColumns<Node extends OrderedNode>({
  code,
  own = [],
  actions,
  codes,
}: {
  code: { title: string; width: number; of: (node: Node) => string }
  own?: readonly Column<Node>[]
  actions: (node: Node) => ReactNode
  /** Function codes of the actions. */
  codes: readonly string[]
}): Column<Node>[] {
  return [
    {
      key: 'code',
      title: code.title,
      width: code.width,
      render: (node) => <CopyText text={code.of(node)} />,
    },
    ...own,
    operationColumn(actionsWidthPx, actions, codes),
  ]
}

/** Which form is open: of a new node below `parent` (null: at the top), or of the one that is changed. */
export function useNodeForms<Node>() {
  const [parent, setParent] = useState<Node | null>()
  const [edited, setEdited] = useState<Node>()
  return {
    parent,
    edited,
    add: () => setParent(null),
    actions: { onAddBelow: (node: Node) => setParent(node), onEdit: (node: Node) => setEdited(node) },
    closeAdding: () => setParent(undefined),
    closeEditing: () => setEdited(undefined),
  }
}
