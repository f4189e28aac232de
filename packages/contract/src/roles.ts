import * as z from 'zod/mini'
import { endpoint, nothing, one, page } from './endpoint.ts'
import { byId, id, idOut, list, nothingIn, paging, text, version } from './fields.ts'

export const listRoles = endpoint({
  method: 'GET',
  path: '/role/all',
  access: 'signedIn',
  summary: '全部角色',
  input: nothingIn,
  reply: one(
    z.array(
      z.object({
        id: idOut,
        name: z.string(),
        code: z.string(),
        /** Whether the caller may give it to a user: role 1 never, others where he holds all that it holds. */
        isAssignable: z.boolean(),
      }),
    ),
  ),
})

/** The spec's spelling. */
export const listRoleNames = endpoint({
  method: 'GET',
  path: '/role/selecAll',
  access: 'signedIn',
  summary: '角色名称',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, name: z.string() }))),
})

export const RoleRow = z.object({
  id: idOut,
  name: z.string(),
  code: z.string(),
  remark: z.nullable(z.string()),
  /**
   * The menus granted, as they were saved. What stands above a granted menu is seen with it, whether its
   * id (half-checked in the tree) is among them or not.
   */
  menuIds: z.array(idOut),
  /** Users who hold it. */
  userCount: z.number(),
  version: z.number(),
  /** Whether the caller may change or delete it. */
  isEditable: z.boolean(),
})
export type RoleRow = z.output<typeof RoleRow>

export const searchRoles = endpoint({
  method: 'GET',
  path: '/role/list',
  access: 'role:list',
  summary: '角色列表',
  input: z.object({ name: z.optional(text('角色名称', 64)), ...paging }),
  reply: page(RoleRow),
})

export const readRole = endpoint({
  method: 'GET',
  path: '/role/detail/:id',
  access: 'role:list',
  summary: '角色详情',
  input: byId,
  reply: one(RoleRow),
})

const roleForm = {
  name: text('角色名称', 64),
  code: text('角色编码', 64).check(z.regex(/^[^\s\p{C}]*$/u, '角色编码不能包含空格')),
  remark: z.optional(text('备注', 200)),
}
const menuIds = list(id('菜单'), '菜单', 10_000)

export const insertRole = endpoint({
  method: 'POST',
  path: '/role/insert',
  access: 'role:insert',
  summary: '新增角色',
  input: z.object({ ...roleForm, menuIds: z.optional(menuIds) }),
  reply: one(z.object({ id: idOut })),
  isWrite: true,
  done: '创建成功',
})

export const updateRole = endpoint({
  method: 'POST',
  path: '/role/update',
  access: 'role:update',
  summary: '修改角色',
  input: z.object({
    id: id('角色'),
    ...roleForm,
    /** The menus are left as they are where this is absent; an empty list takes all away. */
    menuIds: z.optional(menuIds),
    version,
  }),
  reply: nothing(),
  isWrite: true,
})

export const deleteRole = endpoint({
  method: 'POST',
  path: '/role/delete/:id',
  access: 'role:delete',
  summary: '删除角色',
  input: byId,
  reply: nothing(),
  isWrite: true,
})
