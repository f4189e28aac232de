// The page of a tree that its users build: the tree, a node beside it, and the forms of a new and of a present one.
import type { ReactNode } from 'react'
import { usePage } from '../../lib/pages.ts'
import { AddButton, emptyList } from '../buttons/adding.tsx'
import { usePermission } from '../Permitted.tsx'
import { TreePage, type TreePageProps } from './TreePage.tsx'
import { type DeviceSums, treeTexts } from './tree.texts.ts'
import { nodeColumns, type OrderedNode, useNodeForms } from './treeNodes.tsx'
import { wayTo } from './treeRows.ts'

/** What opens the forms, for the actions of a node. */
type FormActions<Node> = ReturnType<typeof useNodeForms<Node>>['actions']

export interface NodePageProps<Node extends OrderedNode>
  extends Pick<TreePageProps<Node>, 'query' | 'shape' | 'nameOf' | 'openLevels'> {
  texts: {
    measure: string
    fields: { name: string; code: string }
    search: string
    add: string
    empty: string
    emptyHint: string
    codeOf: (code: string) => string
  }
  code: { width: number; of: (node: Node) => string }
  /** What belongs to a node, for a phone, which has no columns; undefined while it is not known. */
  sumsOf?: (node: Node) => DeviceSums | undefined
  /** Columns of the page's own. */
  columns?: TreePageProps<Node>['columns']
  access: { insert: string; update: string; delete: string }
  /** The node beside the tree, by its key in the address. */
  open: { id: string | undefined; open: (key: string) => void; close: () => void }
  actions: (node: Node, forms: FormActions<Node>) => ReactNode
  /** `way`: from the top level down to the node; empty where it does not exist. */
  detail: (way: readonly Node[], forms: FormActions<Node>) => ReactNode
  /** The form below `parent` (null: at the top), or of `node`. */
  form: (of: { parent: Node | null } | { node: Node }, onClose: () => void) => ReactNode
}

export function NodePage<Node extends OrderedNode>({
  texts,
  code,
  sumsOf,
  columns,
  access,
  open,
  actions,
  detail,
  form,
  ...tree
}: NodePageProps<Node>) {
  const { title } = usePage()
  const forms = useNodeForms<Node>()
  const mayAdd = usePermission(access.insert)
  const { query, shape } = tree
  return (
    <>
      <TreePage
        {...tree}
        title={title}
        measure={texts.measure}
        nameTitle={texts.fields.name}
        columns={nodeColumns<Node>({
          code: { title: texts.fields.code, ...code },
          ...(columns && { own: columns }),
          actions: (node) => actions(node, forms.actions),
          codes: [access.insert, access.update, access.delete],
        })}
        second={(node) => {
          const sums = sumsOf?.(node)
          return [texts.codeOf(code.of(node)), sums && treeTexts.sums(sums)].filter(Boolean).join(' · ')
        }}
        placeholder={texts.search}
        onOpen={(node) => open.open(shape.keyOf(node))}
        openKey={open.id}
        actions={
          <AddButton code={access.insert} onClick={forms.add}>
            {texts.add}
          </AddButton>
        }
        empty={emptyList(texts.empty, mayAdd && { hint: texts.emptyHint, onAdd: forms.add })}
      />
      {open.id && query.data && detail(wayTo(query.data, open.id, shape), forms.actions)}
      {forms.parent !== undefined && form({ parent: forms.parent }, forms.closeAdding)}
      {forms.edited && form({ node: forms.edited }, forms.closeEditing)}
    </>
  )
}
