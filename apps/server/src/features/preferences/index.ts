import { feature } from '../../platform/feature.ts'
import { mountPreferences } from './preferences.routes.ts'
import { createPreferences } from './preferences.service.ts'

export type { Preferences } from './preferences.service.ts'

/** What each user has chosen in the console: columns, density, page sizes, notices. */
export const preferences = feature({
  name: 'preferences',
  tables: ['user_preference'],
  create({ db }) {
    const service = createPreferences({ db })
    return { service, mount: (api) => mountPreferences(api, service) }
  },
})
