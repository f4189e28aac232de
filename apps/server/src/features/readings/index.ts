import { feature } from '../../platform/feature.ts'
import { actions } from '../actions/index.ts'
import { alarms } from '../alarms/index.ts'
import { batteries } from '../batteries/index.ts'
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

/** What devices measure: status reports taken in, the newest values shown, and what is kept of them. */
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
      staysOf: use(batteries).staysWithin,
      rulesFor: rules.rulesFor,
      rulesKnown: rules.whenKnown,
      wordsOf: async (deviceId) => wordsBy(await listDefinitionsOfDevice(db, deviceId)),
    })
    rules.onChanged(history.rulesChanged)
    notices.subscribe(devicesOnline, history.forget)
    const consumers = [newestStatus, history.consumer, use(batteries).statusConsumer, use(actions).evidence]
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
        status: createStatusWriter(consumers, {
          whenReady: rules.whenKnown,
          tellReported: watched.tellReported,
        }),
      },
    }
  },
})
