import { feature } from '../../platform/feature.ts'
import { alarms } from '../alarms/index.ts'
import { devices, devicesOnline, newestStatus } from '../devices/index.ts'
import { createReadingHistory, readingHistoryTables } from './history/index.ts'
import { createLiveReadings } from './readings.live.ts'
import { readingsReported, readingsWatched } from './readings.notices.ts'
import { mountReadings } from './readings.routes.ts'
import { createReadings } from './readings.service.ts'
import { createStatusWriter } from './status.intake.ts'
import { createWatchedDevices } from './watched-devices.ts'

/** What devices measure: status reports taken in, and the newest values shown. */
export const readings = feature({
  name: 'readings',
  tables: readingHistoryTables,
  notices: [readingsReported, readingsWatched],
  create({ db, notices, use, ...parts }) {
    const history = createReadingHistory({ db, notices, ...parts, findCode: use(devices).findCode })
    notices.subscribe(devicesOnline, history.forget)
    const watched = createWatchedDevices(notices)
    const service = createReadings({
      db,
      devices: use(devices),
      alarms: use(alarms),
      watch: watched.watch,
    })
    return {
      service,
      prepare: history.prepare,
      jobs: history.jobs,
      mount(api) {
        mountReadings(api, service)
        history.mount(api)
      },
      live: [createLiveReadings({ db, notices })],
      writers: { status: createStatusWriter([newestStatus, history.consumer], watched.tellReported) },
    }
  },
})
