import type { Actor } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './users.queries.ts'

export type Users = ReturnType<typeof createUserService>

export function createUserService({ db }: { db: Db }) {
  return {
    /** For pickers: the colleagues of one's own organization and those under it; SYSTEM sees everyone. */
    listPhoneUsers: (actor: Actor) =>
      queries.listPhoneUsers(db, actor.isSystem ? null : actor.organizationId),
  }
}
