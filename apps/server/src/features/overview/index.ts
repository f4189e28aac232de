import { feature } from '../../platform/feature.ts'
import { mountOverview } from './overview.routes.ts'
import { overviewSeeds } from './overview.seeds.ts'
import { createOverview } from './overview.service.ts'

/** The home page: what is wrong right now. */
export const overview = feature({
  name: 'overview',
  seeds: overviewSeeds,
  create({ db }) {
    const service = createOverview({ db })
    return { service, mount: (api) => mountOverview(api, service) }
  },
})
