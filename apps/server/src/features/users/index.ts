import { mayCallAny } from '../../domain/access/granted.ts'
import { feature } from '../../platform/feature.ts'
import { permissions } from '../permissions/index.ts'
import { roles } from '../roles/index.ts'
import { sessions } from '../sessions/index.ts'
import { mountUsers } from './users.routes.ts'
import { userSeeds } from './users.seeds.ts'
import { createUsers } from './users.service.ts'

export {
  ensureAdministrator,
  type FirstSignIn,
  findSignIn,
  makeFirstSignIn,
  resetAdministrator,
} from './administrator.service.ts'

export type { Users } from './users.service.ts'

export const users = feature({
  name: 'users',
  tables: ['app_user', 'user_role', 'user_set_by'],
  seeds: userSeeds,
  create({ db, use }) {
    const service = createUsers({
      db,
      permissions: use(permissions),
      roles: use(roles),
      sessions: use(sessions),
    })
    return {
      service,
      mount: (api) => mountUsers(api, service),
      isUser: (userId, functionCodes) => mayCallAny(db, userId, functionCodes),
    }
  },
})
