import { feature } from '../../platform/feature.ts'
import { alarms } from '../alarms/index.ts'
import { devices, devicesOnline, newestStatus } from '../devices/index.ts'
import {
  catalogueSeeds,
  createCatalogue,
  createKnownRules,
  listDefinitionsOfDevice,
  mountCatalogue,
  readingCatalogueChanged,
} from './catalogue/index.ts'
import { createReadingHistory, readingHistoryTables, wordsBy } from './history/index.ts'
import { createLiveReadings } from './readings.live.ts'
import { readingsReported, readingsWatched } from './readings.notices.ts'
import { mountReadings } from './readings.routes.ts'
import { createReadings } from './readings.service.ts'
import { createStatusWriter } from './status.intake.ts'
import { createWatchedDevices } from './watched-devices.ts'

/** What devices measure: status reports taken in, and the newest values shown. */
export const readings = feature({
  name: 'readings',
  tables: ['reading_definition', ...readingHistoryTables],
  constraints: { reading_definition_taken: 'readingDefinitionTaken' },
  notices: [readingCatalogueChanged, readingsReported, readingsWatched],
  seeds: catalogueSeeds,
  create({ db, notices, use, ...parts }) {
    const watched = createWatchedDevices(notices)
    const newest = createReadings({
      db,
      devices: use(devices),
      alarms: use(alarms),
      watch: watched.watch,
    })
    const catalogue = createCatalogue({ db, notices })
    const rules = createKnownRules({ db, notices })
    const history = createReadingHistory({
      ...parts,
      db,
      notices,
      findCode: use(devices).findCode,
      rulesFor: rules.rulesFor,
      wordsOf: async (deviceId) => wordsBy(await listDefinitionsOfDevice(db, deviceId)),
    })
    rules.onChanged(history.rulesChanged)
    notices.subscribe(devicesOnline, history.forget)
    const service = { ...newest, readHistoryFigures: history.readFigures }
    return {
      service,
      prepare: history.prepare,
      jobs: history.jobs,
      mount(api) {
        mountReadings(api, service)
        mountCatalogue(api, catalogue)
        history.mount(api)
      },
      live: [createLiveReadings({ db, notices })],
      writers: {
        status: createStatusWriter([newestStatus, history.consumer], {
          whenReady: rules.whenKnown,
          tellReported: watched.tellReported,
        }),
      },
    }
  },
})
