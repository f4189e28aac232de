import {
  deleteNotifyChannel,
  deleteNotifyRule,
  insertNotifyChannel,
  insertNotifyRule,
  listAlarmNotices,
  listNotifyChannels,
  listNotifyDeliveries,
  listNotifyRules,
  nameNotifyChannels,
  testNotifyChannel,
  updateNotifyChannel,
  updateNotifyRule,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Channels } from './channels/channels.service.ts'
import type { Deliveries } from './outbox/deliveries.service.ts'
import type { Told } from './outbox/told.service.ts'
import type { Rules } from './rules/rules.service.ts'

export function mountNotifications(
  api: Api,
  {
    channels,
    rules,
    deliveries,
    told,
  }: { channels: Channels; rules: Rules; deliveries: Deliveries; told: Told },
): void {
  api.mount(listNotifyChannels, ({ actor, input }) => channels.listNotifyChannels(actor, input))
  api.mount(nameNotifyChannels, ({ actor }) => channels.nameNotifyChannels(actor))
  api.mount(insertNotifyChannel, ({ actor, input }) => channels.insertNotifyChannel(actor, input))
  api.mount(updateNotifyChannel, ({ actor, input }) => channels.updateNotifyChannel(actor, input))
  api.mount(deleteNotifyChannel, ({ actor, input }) => channels.deleteNotifyChannel(actor, input))
  api.mount(testNotifyChannel, ({ actor, input }) => channels.testNotifyChannel(actor, input))
  api.mount(listNotifyRules, ({ actor, input }) => rules.listNotifyRules(actor, input))
  api.mount(insertNotifyRule, ({ actor, input }) => rules.insertNotifyRule(actor, input))
  api.mount(updateNotifyRule, ({ actor, input }) => rules.updateNotifyRule(actor, input))
  api.mount(deleteNotifyRule, ({ actor, input }) => rules.deleteNotifyRule(actor, input))
  api.mount(listNotifyDeliveries, ({ actor, input }) => deliveries.listNotifyDeliveries(actor, input))
  api.mount(listAlarmNotices, ({ actor, input }) => told.listAlarmNotices(actor, input))
}
