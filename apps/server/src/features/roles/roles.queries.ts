import type { Db } from '../../platform/database/database.ts'

export interface RoleRow {
  id: number
  name: string
  code: string
}

export async function listRoles(db: Db): Promise<RoleRow[]> {
  return db.selectFrom('role').select(['id', 'name', 'code']).orderBy('id').execute()
}

export async function listRolesOf(db: Db, userId: number): Promise<RoleRow[]> {
  return db
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_id', 'role.id')
    .select(['role.id', 'role.name', 'role.code'])
    .where('user_role.user_id', '=', userId)
    .orderBy('role.id')
    .execute()
}
