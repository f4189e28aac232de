import { feature } from '../../platform/feature.ts'
import { batteries } from '../batteries/index.ts'
import { devices } from '../devices/index.ts'
import { users } from '../users/index.ts'
import { mountSearch } from './search.routes.ts'
import { createSearch } from './search.service.ts'

/** Devices, batteries, places, owners, work and packages by a few letters, from anywhere in the console. */
export const search = feature({
  name: 'search',
  create({ db, use }) {
    const service = createSearch({
      db,
      devices: use(devices),
      batteries: use(batteries),
      users: use(users),
    })
    return { service, mount: (api) => mountSearch(api, service) }
  },
})
