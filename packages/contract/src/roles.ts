// Roles and the menus that they grant.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import { byId, exactText, id, idOut, list, nothingIn, paging, seededOut, text, version } from './fields.ts'

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
        name: seededOut,
        code: z.string(),
        /** Whether the caller may assign it: never role 1, others if the caller has all its permissions. */
        isAssignable: z.boolean(),
      }),
    ),
  ),
})

/** The specification's spelling. */
export const listRoleNames = endpoint({
  method: 'GET',
  path: '/role/selecAll',
  access: 'signedIn',
  summary: '角色名称',
  input: nothingIn,
  reply: one(z.array(z.object({ id: idOut, name: seededOut }))),
})

export const RoleRow = z.object({
  id: idOut,
  name: z.string(),
  /** Name and remark as they are shown: the form keeps what was given. */
  shownName: seededOut,
  shownRemark: z.nullable(seededOut),
  code: z.string(),
  remark: z.nullable(z.string()),
  /**
   * The granted menus as saved. Ancestors of a granted menu are visible too, whether or not their ids (half-checked
   * in the tree) are in the list.
   */
  menuIds: z.array(idOut),
  /** Number of users who have this role. */
  userCount: z.number(),
  version: z.number(),
  /** Whether the caller may change or delete this role. */
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
  code: exactText('角色编码', 64).check(
    z.normalize('NFKC'),
    z.regex(/^[A-Za-z0-9\p{Unified_Ideograph}._:-]*$/u, '角色编码只能由汉字、字母、数字和 . _ : - 组成'),
  ),
  remark: z.optional(text('备注', 200)),
}
const menuIds = list(id('菜单'), '菜单', 10_000)

export const insertRole = endpoint({
  ...adding,
  path: '/role/insert',
  access: 'role:insert',
  summary: '新增角色',
  bodyLimitBytes: 262_144,
  input: z.object({ ...roleForm, menuIds: z.optional(menuIds) }),
})

export const updateRole = endpoint({
  ...changing,
  path: '/role/update',
  access: 'role:update',
  summary: '修改角色',
  bodyLimitBytes: 262_144,
  input: z.object({
    id: id('角色'),
    ...roleForm,
    /** Absent: the menus are unchanged. An empty list removes all. */
    menuIds: z.optional(menuIds),
    version,
  }),
})

export const deleteRole = endpoint({
  ...deleting,
  path: '/role/delete/:id',
  access: 'role:delete',
  summary: '删除角色',
})
