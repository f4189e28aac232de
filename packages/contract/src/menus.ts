import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, nothingIn } from './fields.ts'

/** M directory, C page, F function. */
export const menuTypes = ['M', 'C', 'F'] as const

/** A menu as it stands in the tree. `parentId` '0' means top level. */
export interface MenuNode {
  id: string
  parentId: string
  name: string
  type: (typeof menuTypes)[number]
  /** The route's own path segment, or the whole path where it starts with a slash. */
  path: string
  /** The route's name; for type F the function code, e.g. `user:insert`. */
  remark: string
  icon: string | null
  /** Component path; the address for an external link. */
  url: string | null
  orderNum: number
  /** 0 internal, 1 external (which forces the path /iframe). */
  openType: 0 | 1
  children: MenuNode[]
}

export const MenuNodeSchema: z.ZodMiniType<MenuNode, MenuNodeInput> = z.object({
  id: idOut,
  parentId: idOut,
  name: z.string(),
  type: z.enum(menuTypes),
  path: z.string(),
  remark: z.string(),
  icon: z.nullable(z.string()),
  url: z.nullable(z.string()),
  orderNum: z.number(),
  openType: z.literal([0, 1]),
  get children() {
    return z.array(MenuNodeSchema)
  },
}) as unknown as z.ZodMiniType<MenuNode, MenuNodeInput>

interface MenuNodeInput extends Omit<MenuNode, 'id' | 'parentId' | 'children'> {
  id: string | number
  parentId: string | number
  children: MenuNodeInput[]
}

export const MenuTree = z.array(MenuNodeSchema)

export const listMenus = endpoint({
  method: 'POST',
  path: '/menu/all',
  access: 'menu:list',
  summary: '全部菜单',
  input: nothingIn,
  reply: one(MenuTree),
})
