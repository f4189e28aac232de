import { useQuery } from '@tanstack/react-query'
import { listMenus, type MenuNode } from '@voltkeep/contract/menus'
import { useCurrentUser } from '../../lib/session.ts'
import { reading } from '../../lib/wire/reading.ts'
import { below } from './roles.grants.ts'

export interface Grantable {
  /** Undefined while it is being read. */
  tree: readonly MenuNode[] | undefined
  mayGrant: (node: MenuNode) => boolean
}

/**
 * The menus that a role may be made of: all of them for who may read them, one's own for everybody else.
 * Who is not SYSTEM grants the functions he holds, on pages that he sees.
 */
export function useGrantable(): Grantable {
  const user = useCurrentUser()
  const isSystem = user.resultVOS.some(({ code }) => code === 'SYSTEM')
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
