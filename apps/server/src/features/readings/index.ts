import { feature } from '../../platform/feature.ts'
import { actions } from '../actions/index.ts'
import { alarms } from '../alarms/index.ts'
import { devices, newestStatus } from '../devices/index.ts'
import {
  catalogueSeeds,
  createCatalogue,
  createKnownRules,
  mountCatalogue,
  readingCatalogueChanged,
} from './catalogue/index.ts'
import { createLiveReadings } from './readings.live.ts'
import { readingsReported, readingsWatched } from './readings.notices.ts'
import { mountReadings } from './readings.routes.ts'
import { createReadings } from './readings.service.ts'
import { createStatusWriter } from './status.intake.ts'
import { createWatchedDevices } from './watched-devices.ts'

/** What devices measure: status reports taken in, and the newest values shown. */
export const readings = feature({
  name: 'readings',
  tables: ['reading_definition'],
  constraints: { reading_definition_taken: 'readingDefinitionTaken' },
  notices: [readingCatalogueChanged, readingsReported, readingsWatched],
  seeds: catalogueSeeds,
  create({ db, notices, use }) {
    const watched = createWatchedDevices(notices)
    const service = createReadings({
      db,
      devices: use(devices),
      alarms: use(alarms),
      watch: watched.watch,
    })
    const catalogue = createCatalogue({ db, notices })
    const rules = createKnownRules({ db, notices })
    return {
      service,
      mount(api) {
        mountReadings(api, service)
        mountCatalogue(api, catalogue)
      },
      live: [createLiveReadings({ db, notices })],
      writers: {
        status: createStatusWriter([newestStatus, use(actions).evidence], {
          whenReady: rules.whenKnown,
          tellReported: watched.tellReported,
        }),
      },
    }
  },
})
