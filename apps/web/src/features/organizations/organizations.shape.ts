import type { OrganizationNode } from '@voltkeep/contract/organizations'
import type { TreeShape } from '../../ui/tree/treeRows.ts'

export const organizationShape: TreeShape<OrganizationNode> = {
  keyOf: ({ id }) => id,
  childrenOf: ({ children }) => children,
  textOf: ({ name, code }) => `${name} ${code}`,
}
