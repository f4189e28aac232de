import { feature } from '../../platform/feature.ts'
import { createFleetCounter } from './fleet-counter.ts'
import { createLiveOverview } from './overview.live.ts'
import { fleetCounted } from './overview.notices.ts'
import { mountOverview } from './overview.routes.ts'
import { overviewSeeds } from './overview.seeds.ts'
import { createOverview } from './overview.service.ts'

/** The home page: the state of the fleet, from figures that are kept. */
export const overview = feature({
  name: 'overview',
  tables: ['fleet_count', 'fleet_change', 'fleet_figure'],
  notices: [fleetCounted],
  seeds: overviewSeeds,
  create({ db, notices, log }) {
    const service = createOverview({ db })
    return {
      service,
      mount: (api) => mountOverview(api, service),
      live: [createLiveOverview({ notices })],
      workers: [createFleetCounter({ db, notices, log })],
    }
  },
})
