import {
  exportBatteries,
  exportStock,
  listBatteries,
  listBatteryAlarms,
  listStock,
  readBattery,
  readStock,
  trackBattery,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Batteries } from './batteries.service.ts'

export function mountBatteries(api: Api, batteries: Batteries): void {
  api.mount(listBatteries, ({ actor, input }) => batteries.listBatteries(actor, input))
  api.mount(exportBatteries, ({ actor, input }) => batteries.exportBatteries(actor, input))
  api.mount(readBattery, ({ actor, input }) => batteries.readBattery(actor, input))
  api.mount(trackBattery, ({ actor, input }) => batteries.trackBattery(actor, input))
  api.mount(listBatteryAlarms, ({ actor, input }) => batteries.listBatteryAlarms(actor, input))
  api.mount(listStock, ({ actor, input }) => batteries.listStock(actor, input))
  api.mount(exportStock, ({ actor, input }) => batteries.exportStock(actor, input))
  api.mount(readStock, ({ actor, input }) => batteries.readStock(actor, input))
}
