import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { TreeSelect } from 'antd'
import { useOrganizations } from './choices.ts'
import { Owned } from './Owned.tsx'
import { unread } from './Unread.tsx'

export interface OrganizationTreeProps {
  id?: string
  describedBy?: string | undefined
  value?: string | undefined
  onChange?: (id: string | undefined) => void
  hasProblem?: boolean
  placeholder?: string
  isDisabled?: boolean
  /** Told what is typed to search by. */
  onSearch?: (typed: string) => void
  /** An organization that cannot be chosen, nor any under it: nothing is its own parent. */
  without?: string | undefined
  /** Offered below the tree. */
  also?: readonly Pick<OrganizationNode, 'id' | 'name'>[]
  /** Also offers '0', called so: no organization above. */
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

/** A manufacturer out of the organization tree. */
export default function OrganizationTree({
  id,
  describedBy,
  value,
  onChange,
  hasProblem = false,
  placeholder,
  isDisabled = false,
  onSearch,
  without,
  also = [],
  top,
}: OrganizationTreeProps) {
  const organizations = useOrganizations()
  const known = organizations.data ?? []
  const tree: readonly Choice[] = without === undefined ? known : closedAt(known, without)
  const choices = [...tree, ...also.map((one) => ({ ...one, children: [] }))]
  return (
    <TreeSelect<string, Choice>
      id={id}
      aria-describedby={describedBy}
      status={hasProblem ? 'error' : ''}
      style={{ width: '100%' }}
      treeData={top === undefined ? choices : [{ id: '0', name: top, children: [] }, ...choices]}
      disabled={isDisabled}
      fieldNames={{ label: 'name', value: 'id', children: 'children' }}
      // Until the tree is there, an id out of the address would be shown as a number.
      value={organizations.data ? value : undefined}
      treeDefaultExpandAll
      showSearch={{ treeNodeFilterProp: 'name', onSearch }}
      allowClear
      loading={organizations.isPending}
      placeholder={placeholder}
      notFoundContent={unread(organizations)}
      // In pixels: `false` would draw every organization at once, thousands of them.
      popupMatchSelectWidth={360}
      popupRender={(list) => <Owned by={id}>{list}</Owned>}
      onChange={(chosen) => onChange?.(chosen ?? undefined)}
    />
  )
}
