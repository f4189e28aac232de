import { feature } from '../../platform/feature.ts'
import { mappings } from '../mappings/index.ts'
import { createParameterWriter, createVersionWriter, newestStatus } from './devices.intake.ts'
import { deviceJobs } from './devices.jobs.ts'
import { createLiveDevices, createLiveParameters } from './devices.live.ts'
import {
  devicesChanged,
  devicesOnline,
  devicesTaken,
  devicesThrottled,
  parametersReported,
  versionsReported,
} from './devices.notices.ts'
import { mountDevices } from './devices.routes.ts'
import { deviceSeeds } from './devices.seeds.ts'
import { createDevices } from './devices.service.ts'
import { mountDeviceImport } from './import/import.routes.ts'
import { createDeviceImport } from './import/import.service.ts'
import { createImportTasks } from './import/import.tasks.ts'
import { readPlacesOfDevices } from './live-devices.queries.ts'
import { isRegistered, updateSecret as replaceSecret } from './registry.queries.ts'

export { createPresence } from './connection/device-presence.ts'
export { createReachability } from './connection/device-reachability.ts'
export { createHolding } from './connection/holding.ts'
export { createPolledPresence, type PolledPresence } from './connection/polled-presence.ts'
export { createThrottleMarks } from './connection/throttle-marks.ts'
export { devicesChosen, isSeenWhole, listUnknownCodes } from './device-choice.queries.ts'
export { hashSecret, makeSecret } from './device-secrets.ts'
export type { Devices } from './devices.service.ts'
export {
  devicesChanged,
  devicesOnline,
  newestStatus,
  parametersReported,
  readPlacesOfDevices,
  replaceSecret,
  versionsReported,
}

/** The registry of devices, and what devices report about themselves. */
export const devices = feature({
  name: 'devices',
  tables: [
    'device',
    'device_connection',
    'device_import',
    'device_listing',
    'device_parameter',
    'device_state',
    'device_version',
  ],
  constraints: {
    device_code_taken: 'deviceCodeTaken',
    device_protocol_identity_taken: 'protocolIdentityTaken',
    // A device registered while its model was being deleted: answered as if it had been there before.
    device_model_id_fkey: 'modelHasDevices',
  },
  notices: [
    devicesChanged,
    devicesOnline,
    devicesTaken,
    devicesThrottled,
    parametersReported,
    versionsReported,
  ],
  seeds: deviceSeeds,
  create({ db, log, metrics, notices, ports, use }) {
    const service = createDevices({ db, notices, ports, spokenBy: use(mappings).spokenBy })
    const deviceImport = createDeviceImport({ db, log, metrics, notices })
    return {
      service,
      mount(api) {
        mountDevices(api, service)
        mountDeviceImport(api, deviceImport)
      },
      isDevice: (code) => isRegistered(db, code),
      jobs: deviceJobs(db),
      tasks: [createImportTasks({ db })],
      live: [createLiveDevices({ db, notices }), createLiveParameters({ db, notices })],
      writers: {
        version: createVersionWriter((ids) => notices.publish(versionsReported, ids)),
        parameter: createParameterWriter((ids) => notices.publish(parametersReported, ids)),
      },
    }
  },
})
