import { readFirmwareJson, readUpgradeJson } from '@voltkeep/contract'
import { feature } from '../../platform/feature.ts'
import { approvals } from '../approvals/index.ts'
import { createAutomaticConsent } from './automatic.service.ts'
import { mountFirmware } from './firmware.routes.ts'
import { firmwareSeeds } from './firmware.seeds.ts'
import { createFirmware } from './firmware.service.ts'

export { type PackageRecord, withCreation } from './package-columns.ts'

import { isFileNeeded, isFileOfDevice } from './firmware.queries.ts'

export type { AutomaticConsent } from './automatic.service.ts'
export { lockPackage, lockPackagesShared } from './firmware.queries.ts'
export { hasStopped, noteGate } from './gate-notes.ts'
export {
  isOlder,
  isOnVersion,
  isRecommended,
  packageFitsDevice,
  packageFitsPart,
  packageMatches,
  packageVersion,
  packageVersionText,
  reportedVersion,
} from './matching.queries.ts'

export {
  type AutomaticPeople,
  automaticApprover,
  type Bytes,
  isReached,
  limitsOf,
  type ReachLimit,
  standingOf,
  type WithCreation,
} from './people.ts'

/** The functions by which a user gets the address of a package's file. */
const jsonCodes = [readFirmwareJson.access, readUpgradeJson.access]

/** Packages that devices are upgraded with: the firmware packages and the software versions of the console. */
export const firmware = feature({
  name: 'firmware',
  tables: ['software_package'],
  seeds: firmwareSeeds,
  constraints: { software_package_taken: 'packageVersionTaken' },
  create({ db, files, use }) {
    const automatic = createAutomaticConsent(use(approvals))
    const service = { ...createFirmware({ db, files, consent: automatic }), automatic }
    return {
      service,
      mount: (api) => mountFirmware(api, service),
      async offers(fileId, deviceCode) {
        const isGiven =
          (await isFileNeeded(db, fileId)) &&
          (deviceCode === null || (await isFileOfDevice(db, fileId, deviceCode)))
        return isGiven ? { functionCodes: jsonCodes } : null
      },
    }
  },
})
