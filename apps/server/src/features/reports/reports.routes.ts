import {
  deleteReportSubscription,
  exportAlarmReport,
  exportAvailability,
  insertReportSubscription,
  listReportSubscriptions,
  nameMailChannels,
  readAlarmReport,
  readAvailability,
  updateReportSubscription,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Availability } from './availability/availability.service.ts'
import type { Quality } from './quality/quality.service.ts'
import type { Subscriptions } from './subscriptions/subscriptions.service.ts'

export function mountReports(
  api: Api,
  {
    quality,
    availability,
    subscriptions,
  }: { quality: Quality; availability: Availability; subscriptions: Subscriptions },
): void {
  api.mount(readAlarmReport, ({ actor, input }) => quality.readAlarmReport(actor, input))
  api.mount(exportAlarmReport, ({ actor, input }) => quality.exportAlarmReport(actor, input))
  api.mount(readAvailability, ({ actor, input }) => availability.readAvailability(actor, input))
  api.mount(exportAvailability, ({ actor, input }) => availability.exportAvailability(actor, input))
  api.mount(listReportSubscriptions, ({ actor, input }) =>
    subscriptions.listReportSubscriptions(actor, input),
  )
  api.mount(nameMailChannels, ({ actor }) => subscriptions.nameMailChannels(actor))
  api.mount(insertReportSubscription, ({ actor, input }) =>
    subscriptions.insertReportSubscription(actor, input),
  )
  api.mount(updateReportSubscription, ({ actor, input }) =>
    subscriptions.updateReportSubscription(actor, input),
  )
  api.mount(deleteReportSubscription, ({ actor, input }) =>
    subscriptions.deleteReportSubscription(actor, input),
  )
}
