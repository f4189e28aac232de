// The choice of an organization or manufacturer from the organization tree.
import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { TreeSelect } from 'antd'
import { useId, useMemo, useState } from 'react'
import { clearable } from '../typed/clearable.ts'
import { Typed } from '../typed/Typed.tsx'
import { useTyped } from '../typed/useTyped.ts'
import { firstHit } from './choices.trees.ts'
import { useOrganizations } from './choices.ts'
import { Owned } from './Owned.tsx'
import { unread } from './Unread.tsx'

export interface OrganizationTreeProps {
  id?: string
  /** Where no label names it. */
  label?: string
  describedBy?: string | undefined
  value?: string | undefined
  onChange?: (id: string | undefined) => void
  hasProblem?: boolean
  placeholder?: string
  isDisabled?: boolean
  /** Called with the typed search text. */
  onSearch?: (typed: string) => void
  /** An organization that cannot be chosen, nor any under it: an organization cannot be its own parent. */
  without?: string | undefined
  /** Further choices, below the tree. */
  also?: readonly Pick<OrganizationNode, 'id' | 'name'>[]
  /** These are still loading. */
  isReadingAlso?: boolean
  /** Also offers '0' under this name: no organization above. */
  top?: string | undefined
}

type Choice = Pick<OrganizationNode, 'id' | 'name'> & { children: Choice[]; disabled?: boolean }

/** The tree with one organization, and all under it, greyed out. */
function closedAt(nodes: readonly Choice[], id: string, isInside = false): Choice[] {
  return nodes.map((node) => {
    const disabled = isInside || node.id === id
    return { id: node.id, name: node.name, disabled, children: closedAt(node.children, id, disabled) }
  })
}

const keysOf = (nodes: readonly Choice[]): string[] =>
  nodes.flatMap(({ id, children }) => [id, ...keysOf(children)])
const noneKnown: readonly OrganizationNode[] = []

export default function OrganizationTree({
  id,
  label,
  describedBy,
  value,
  onChange,
  hasProblem = false,
  placeholder,
  isDisabled = false,
  onSearch,
  without,
  also = [],
  isReadingAlso = false,
  top,
}: OrganizationTreeProps) {
  const organizations = useOrganizations()
  const known = organizations.data ?? noneKnown
  const tree: readonly Choice[] = without === undefined ? known : closedAt(known, without)
  const choices: readonly Choice[] = [
    ...(top === undefined ? [] : [{ id: '0', name: top, children: [] }]),
    ...tree,
    ...also.map((one) => ({ ...one, children: [] })),
  ]
  const keys = useMemo(() => keysOf(known), [known])
  // All nodes are open from the beginning. antd by itself opens the nodes that are there when the control, or a search,
  // begins.
  const [closed, setClosed] = useState<readonly string[]>([])
  const noteId = useId()
  const give = (chosen: string | undefined) => {
    typed.onChosen()
    onChange?.(chosen)
  }
  const typed = useTyped({
    isReading: organizations.isPending || isReadingAlso,
    chooseFirst(text) {
      const hit = firstHit(choices, text, ({ name }) => name)
      if (hit) give(hit.id)
      return hit !== undefined
    },
  })
  const treeSelect = (
    <TreeSelect<string, Choice>
      id={id}
      aria-label={label}
      aria-describedby={typed.note ? noteId : describedBy}
      status={hasProblem || typed.isDropped ? 'error' : ''}
      style={{ width: '100%' }}
      treeData={choices as Choice[]}
      disabled={isDisabled}
      fieldNames={{ label: 'name', value: 'id', children: 'children' }}
      // Until the tree is there, an id from the address would be shown as a number.
      value={organizations.data ? value : undefined}
      treeExpandedKeys={keys.filter((key) => !closed.includes(key))}
      onTreeExpand={(open) => setClosed(keys.filter((key) => !open.includes(key)))}
      showSearch={{
        treeNodeFilterProp: 'name',
        onSearch(text) {
          setClosed([])
          onSearch?.(text)
        },
      }}
      allowClear={clearable}
      loading={organizations.isPending}
      placeholder={placeholder}
      notFoundContent={unread(organizations)}
      // In pixels: `false` would draw every organization at once, thousands of them.
      popupMatchSelectWidth={360}
      popupRender={(list) => <Owned by={id}>{list}</Owned>}
      onChange={(chosen) => give(chosen ?? undefined)}
    />
  )
  return (
    <Typed of={typed} noteId={noteId}>
      {treeSelect}
    </Typed>
  )
}
