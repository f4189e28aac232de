import {
  deleteDuty,
  deleteNotifyChannel,
  deleteNotifyContact,
  deleteNotifyRule,
  insertDuty,
  insertNotifyChannel,
  insertNotifyRule,
  listAlarmNotices,
  listDuties,
  listDutyPeople,
  listNotifyChannels,
  listNotifyContacts,
  listNotifyDeliveries,
  listNotifyRules,
  nameDuties,
  nameNotifyChannels,
  readDutyNow,
  saveNotifyContact,
  testNotifyChannel,
  updateDuty,
  updateNotifyChannel,
  updateNotifyRule,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Channels } from './channels/channels.service.ts'
import type { Contacts } from './contacts/contacts.service.ts'
import type { Duties } from './duties/duties.service.ts'
import type { Deliveries } from './outbox/deliveries.service.ts'
import type { Told } from './outbox/told.service.ts'
import type { Rules } from './rules/rules.service.ts'

interface NotificationParts {
  channels: Channels
  rules: Rules
  deliveries: Deliveries
  told: Told
  contacts: Contacts
  duties: Duties
}

export function mountNotifications(
  api: Api,
  { channels, rules, deliveries, told, contacts, duties }: NotificationParts,
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
  api.mount(listNotifyContacts, ({ actor }) => contacts.listNotifyContacts(actor))
  api.mount(saveNotifyContact, ({ actor, input }) => contacts.saveNotifyContact(actor, input))
  api.mount(deleteNotifyContact, ({ actor, input }) => contacts.deleteNotifyContact(actor, input))
  api.mount(listDuties, ({ actor, input }) => duties.listDuties(actor, input))
  api.mount(readDutyNow, ({ actor, input }) => duties.readDutyNow(actor, input))
  api.mount(nameDuties, ({ actor }) => duties.nameDuties(actor))
  api.mount(listDutyPeople, ({ actor, input }) => duties.listDutyPeople(actor, input))
  api.mount(insertDuty, ({ actor, input }) => duties.insertDuty(actor, input))
  api.mount(updateDuty, ({ actor, input }) => duties.updateDuty(actor, input))
  api.mount(deleteDuty, ({ actor, input }) => duties.deleteDuty(actor, input))
}
