import { exportAlarmReport, exportAvailability, readAlarmReport, readAvailability } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Availability } from './availability/availability.service.ts'
import type { Quality } from './quality/quality.service.ts'

export function mountReports(api: Api, quality: Quality, availability: Availability): void {
  api.mount(readAlarmReport, ({ actor, input }) => quality.readAlarmReport(actor, input))
  api.mount(exportAlarmReport, ({ actor, input }) => quality.exportAlarmReport(actor, input))
  api.mount(readAvailability, ({ actor, input }) => availability.readAvailability(actor, input))
  api.mount(exportAvailability, ({ actor, input }) => availability.exportAvailability(actor, input))
}
