// Firmware packages and software versions are two views of the same rows, each with its own calls and function codes.
import {
  countFirmwareReach,
  countSoftwareVersionReach,
  deleteFirmware,
  deleteSoftwareVersion,
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
} from '@voltkeep/contract/firmware'
import { firmwareTexts } from './firmware.texts.ts'

export const firmwareView = {
  list: listFirmware,
  upload: uploadFirmware,
  insert: insertFirmware,
  update: updateFirmware,
  remove: deleteFirmware,
  json: readFirmwareJson,
  reach: countFirmwareReach,
  words: firmwareTexts.views.firmware,
}

export const softwareVersionView = {
  list: listSoftwareVersions,
  upload: uploadSoftwareVersion,
  insert: insertSoftwareVersion,
  update: updateSoftwareVersion,
  remove: deleteSoftwareVersion,
  json: readUpgradeJson,
  reach: countSoftwareVersionReach,
  words: firmwareTexts.views.softwareVersion,
}

export type PackageView = typeof firmwareView | typeof softwareVersionView

/** The reads that a write of either view makes stale. */
export const packageLists = [listFirmware, listSoftwareVersions, listAutoUpgradeVersions]
