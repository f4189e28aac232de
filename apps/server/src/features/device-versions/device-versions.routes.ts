import {
  exportUnmatchedVersions,
  listDevicesByBoard,
  listDevicesByPartType,
  listDeviceVersions,
  readDeviceVersions,
  readPartVersions,
  readUpgradeRate,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { DeviceVersions } from './device-versions.service.ts'

export function mountDeviceVersions(api: Api, versions: DeviceVersions): void {
  api.mount(listDeviceVersions, ({ actor, input }) => versions.listDeviceVersions(actor, input))
  api.mount(exportUnmatchedVersions, ({ actor, input }) => versions.exportUnmatchedVersions(actor, input))
  api.mount(listDevicesByPartType, ({ actor, input }) => versions.listDevicesByPartType(actor, input))
  api.mount(listDevicesByBoard, ({ actor, input }) => versions.listDevicesByBoard(actor, input))
  api.mount(readDeviceVersions, ({ actor, input }) => versions.readDeviceVersions(actor, input))
  api.mount(readPartVersions, ({ actor, input }) => versions.readPartVersions(actor, input))
  api.mount(readUpgradeRate, ({ actor, input }) => versions.readUpgradeRate(actor, input))
}
