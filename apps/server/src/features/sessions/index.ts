import { readSecret } from '../../platform/database/secrets.ts'
import { feature } from '../../platform/feature.ts'
import { apiKeys } from '../api-keys/index.ts'
import { menus } from '../menus/index.ts'
import { preferences } from '../preferences/index.ts'
import { roles } from '../roles/index.ts'
import { createAttempts } from './attempts.service.ts'
import { createBrowsers } from './browsers.service.ts'
import { sessionJobs } from './sessions.jobs.ts'
import { mountSessions } from './sessions.routes.ts'
import { sessionSeeds } from './sessions.seeds.ts'
import { createSessions } from './sessions.service.ts'
import { measureRoom, reportTurnedAway } from './turned-away-reports.ts'
import { createUses } from './uses.service.ts'

export type { Sessions } from './sessions.service.ts'

/** Sign-in, sessions and who is signed in. */
export const sessions = feature({
  name: 'sessions',
  tables: ['login_failure', 'user_session'],
  seeds: sessionSeeds,
  create({ db, config, log, metrics, use }) {
    let key: Promise<Buffer> | undefined
    const readKey = async () => {
      key ??= readSecret(db, 'browsers').catch((error: unknown) => {
        key = undefined
        throw error
      })
      return key
    }
    const attempts = createAttempts({
      db,
      poolSize: config.dbPoolSize,
      addressLimit: config.signInAddressLimit,
      onTurnedAway: reportTurnedAway({ log, metrics }),
    })
    measureRoom(attempts, metrics)
    const uses = createUses({ db, log })
    const service = createSessions({
      db,
      menus: use(menus),
      roles: use(roles),
      preferences: use(preferences),
      attempts,
      browsers: createBrowsers(readKey),
      uses,
      apiKeys: use(apiKeys),
      sessionsAtMost: config.sessionsPerUser,
    })
    return {
      service,
      mount: (api) => mountSessions(api, service),
      unmount: () => uses.close(),
      jobs: sessionJobs(service),
    }
  },
})
