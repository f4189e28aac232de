import { useQuery } from '@tanstack/react-query'
import { listMenus, type MenuNode } from '@voltkeep/contract/menus'
import { useCurrentUser, useIsSystem } from '../../lib/session.ts'
import { reading } from '../../lib/wire/reading.ts'
import { below } from './roles.grants.ts'

export interface Grantable {
  /** Undefined while it is read. */
  tree: readonly MenuNode[] | undefined
  mayGrant: (node: MenuNode) => boolean
}

/**
 * The menus that a role may contain: all of them for a user who may read them, otherwise the user's own. A user who
 * is not SYSTEM may grant their own functions, on pages that they see.
 */
export function useGrantable(): Grantable {
  const user = useCurrentUser()
  const isSystem = useIsSystem()
  const mayReadAll = isSystem || user.functionCodes.includes(listMenus.access)
  const all = useQuery({ ...reading(listMenus, {}), enabled: mayReadAll })
  const codes = new Set(user.functionCodes)
  const visible = new Set(user.tree.flatMap(below).map(({ id }) => id))
  return {
    tree: mayReadAll ? all.data : user.tree,
    mayGrant: (node) =>
      isSystem ||
      (node.type === 'F' ? codes.has(node.remark) && visible.has(node.parentId) : visible.has(node.id)),
  }
}
