import {
  countFirmwareReach,
  countSoftwareVersionReach,
  deleteFirmware,
  deleteSoftwareVersion,
  downloadFirmware,
  insertFirmware,
  insertSoftwareVersion,
  listAutoUpgradeVersions,
  listFirmware,
  listSoftwareVersions,
  readFirmwareJson,
  readUpgradeJson,
  updateFirmware,
  updateSoftwareVersion,
  uploadFirmware,
  uploadSoftwareVersion,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Firmware } from './firmware.service.ts'

export function mountFirmware(api: Api, firmware: Firmware): void {
  api.mount(listFirmware, ({ input }) => firmware.listFirmware(input))
  api.mount(uploadFirmware, ({ actor, input }) => firmware.uploadFirmware(actor, input))
  api.mount(insertFirmware, ({ actor, input }) => firmware.insertFirmware(actor, input))
  api.mount(updateFirmware, ({ actor, input }) => firmware.updateFirmware(actor, input))
  api.mount(deleteFirmware, ({ actor, input }) => firmware.deleteFirmware(actor, input))
  api.mount(readFirmwareJson, ({ actor, input }) => firmware.readUpgradeJson(actor, input))
  api.mount(countFirmwareReach, ({ actor, input }) => firmware.countFirmwareReach(actor, input))
  api.mount(downloadFirmware, ({ actor, input }) => firmware.downloadFirmware(actor, input.filePath))

  api.mount(listSoftwareVersions, ({ input }) => firmware.listFirmware(input))
  api.mount(uploadSoftwareVersion, ({ actor, input }) => firmware.uploadFirmware(actor, input))
  api.mount(insertSoftwareVersion, ({ actor, input }) => firmware.insertFirmware(actor, input))
  api.mount(updateSoftwareVersion, ({ actor, input }) => firmware.updateFirmware(actor, input))
  api.mount(deleteSoftwareVersion, ({ actor, input }) => firmware.deleteFirmware(actor, input))
  api.mount(countSoftwareVersionReach, ({ actor, input }) => firmware.countFirmwareReach(actor, input))
  api.mount(listAutoUpgradeVersions, ({ input }) =>
    firmware.listFirmware({ ...input, isAutoUpgrade: 1 as const }),
  )
  api.mount(readUpgradeJson, ({ actor, input }) => firmware.readUpgradeJson(actor, input))
}
