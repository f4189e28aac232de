import type { Actor } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { assertGrantable, functionCodesOf } from './grants.service.ts'
import * as queries from './roles.queries.ts'

export type Roles = ReturnType<typeof createRoleService>

export function createRoleService({ db }: { db: Db }) {
  return {
    listRoles: () => queries.listRoles(db),
    listRolesOf: (actor: Actor) => queries.listRolesOf(db, actor.userId),
    assertGrantable,
    functionCodesOf,
  }
}
