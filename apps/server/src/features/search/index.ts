import { feature } from '../../platform/feature.ts'
import { devices } from '../devices/index.ts'
import { users } from '../users/index.ts'
import { mountSearch } from './search.routes.ts'
import { createSearch } from './search.service.ts'

/** Devices and users by a few letters, from anywhere in the console. */
export const search = feature({
  name: 'search',
  create({ use }) {
    const service = createSearch({ devices: use(devices), users: use(users) })
    return { service, mount: (api) => mountSearch(api, service) }
  },
})
