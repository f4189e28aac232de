import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertRole } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listRoles: shared,
    listRoleNames: shared,
    searchRoles: shared,
    readRole: shared,
    insertRole: shared,
    updateRole: shared,
    deleteRole: shared,
  },
  scope: {
    searchRoles: {
      model: 'roles are the same for everyone; what may be done with them is another test',
      isFoundAnyway: true,
    },
  },
  versions: {
    async updateRole(app) {
      const id = String(await insertRole(app.db))
      return { table: 'role', key: { id }, change: () => ({ name: fresh('改名'), code: fresh('role') }) }
    },
  },
  screens: [['/system/role', { roles: asItIs, 'the form of a role': pressFirst('新增角色') }]],
  forms: {
    'a new role': {
      of: 'roles/RoleDialog',
      path: '/system/role',
      open: press('新增角色'),
      problems: ['请输入角色名称', '请输入角色编码'],
      typed: { 角色编码: 'TESTER' },
      sends: 'role/insert',
    },
  },
  additions: {
    readRole: reasons.oneRow,
  },
}
