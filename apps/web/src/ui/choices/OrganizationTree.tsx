import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { TreeSelect } from 'antd'
import { useOrganizations } from './choices.ts'

export interface OrganizationTreeProps {
  id?: string
  describedBy?: string | undefined
  value?: string | undefined
  onChange?: (id: string | undefined) => void
  hasProblem?: boolean
  placeholder?: string
}

/** A manufacturer out of the organization tree. */
export default function OrganizationTree({
  id,
  describedBy,
  value,
  onChange,
  hasProblem = false,
  placeholder,
}: OrganizationTreeProps) {
  const organizations = useOrganizations()
  return (
    <TreeSelect<string, OrganizationNode>
      id={id}
      aria-describedby={describedBy}
      status={hasProblem ? 'error' : ''}
      style={{ width: '100%' }}
      treeData={organizations.data ?? []}
      fieldNames={{ label: 'name', value: 'id', children: 'children' }}
      // Until the tree is there, an id out of the address would be shown as a number.
      value={organizations.data ? value : undefined}
      treeDefaultExpandAll
      showSearch={{ treeNodeFilterProp: 'name' }}
      allowClear
      loading={organizations.isPending}
      placeholder={placeholder}
      popupMatchSelectWidth={false}
      onChange={(chosen) => onChange?.(chosen ?? undefined)}
    />
  )
}
