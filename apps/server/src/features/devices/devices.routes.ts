import {
  countChosenDevices,
  deleteDevice,
  exportDevices,
  insertDevice,
  listDevices,
  readDevice,
  renewDeviceSecret,
  updateDevice,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Devices } from './devices.service.ts'

export function mountDevices(api: Api, devices: Devices): void {
  api.mount(listDevices, ({ actor, input }) => devices.listDevices(actor, input))
  api.mount(countChosenDevices, ({ actor, input }) => devices.countChosenDevices(actor, input))
  api.mount(readDevice, ({ actor, input }) => devices.readDevice(actor, input))
  api.mount(exportDevices, ({ actor, input }) => devices.exportDevices(actor, input))
  api.mount(insertDevice, ({ actor, input }) => devices.insertDevice(actor, input))
  api.mount(updateDevice, ({ actor, input }) => devices.updateDevice(actor, input))
  api.mount(renewDeviceSecret, ({ actor, input }) => devices.renewDeviceSecret(actor, input))
  api.mount(deleteDevice, ({ actor, input }) => devices.deleteDevice(actor, input))
}
