import { feature } from '../../platform/feature.ts'
import { menus } from '../menus/index.ts'
import { preferences } from '../preferences/index.ts'
import { roles } from '../roles/index.ts'
import { sessionJobs } from './sessions.jobs.ts'
import { mountSessions } from './sessions.routes.ts'
import { sessionSeeds } from './sessions.seeds.ts'
import { createSessions } from './sessions.service.ts'

export type { Sessions } from './sessions.service.ts'

/** Sign-in, sessions and who is signed in. */
export const sessions = feature({
  name: 'sessions',
  tables: ['login_failure', 'user_session'],
  seeds: sessionSeeds,
  create({ db, use }) {
    const service = createSessions({
      db,
      menus: use(menus),
      roles: use(roles),
      preferences: use(preferences),
    })
    return { service, mount: (api) => mountSessions(api, service), jobs: sessionJobs(service) }
  },
})
