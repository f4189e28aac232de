import { liveBatteries, liveStock } from '@voltkeep/contract'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import { feature } from '../../platform/feature.ts'
import { alarms } from '../alarms/index.ts'
import { devices, readPlacesOfDevices } from '../devices/index.ts'
import { batteryJobs } from './batteries.jobs.ts'
import { batteriesChanged, batteriesMoved } from './batteries.notices.ts'
import { readPlacesOfBatteries } from './batteries.queries.ts'
import { mountBatteries } from './batteries.routes.ts'
import { batterySeeds } from './batteries.seeds.ts'
import { createBatteries } from './batteries.service.ts'
import { createStayConsumer } from './stays.intake.ts'

export type { Batteries } from './batteries.service.ts'
export { batteriesMoved }

/** Batteries that move through the cabinets, and what cabinets have in stock. */
export const batteries = feature({
  name: 'batteries',
  tables: ['battery', 'battery_stay', 'device_stock'],
  notices: [batteriesChanged, batteriesMoved],
  seeds: batterySeeds,
  create({ db, pool, notices, use }) {
    const service = createBatteries({
      db,
      devices: use(devices),
      alarms: use(alarms),
      statusConsumer: createStayConsumer({ notices }),
    })
    return {
      service,
      mount: (api) => mountBatteries(api, service),
      jobs: batteryJobs(db, pool),
      live: [
        liveNoun(liveBatteries, notices, {
          changed: batteriesChanged,
          placesOf: (codes) => readPlacesOfBatteries(db, codes),
        }),
        liveNoun(liveStock, notices, {
          changed: batteriesMoved,
          placesOf: (ids) => readPlacesOfDevices(db, ids),
        }),
      ],
    }
  },
})
