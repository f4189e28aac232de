import {
  decodeAlarms,
  exportAlarmHistory,
  exportAlarms,
  listAlarmHistory,
  listAlarms,
  readAlarm,
  recoverAlarm,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Alarms } from './alarms.service.ts'

export function mountAlarms(api: Api, alarms: Alarms): void {
  api.mount(listAlarms, ({ actor, input }) => alarms.listAlarms(actor, input))
  api.mount(exportAlarms, ({ actor, input }) => alarms.exportAlarms(actor, input))
  api.mount(listAlarmHistory, ({ actor, input }) => alarms.listAlarmHistory(actor, input))
  api.mount(exportAlarmHistory, ({ actor, input }) => alarms.exportAlarmHistory(actor, input))
  api.mount(readAlarm, ({ actor, input }) => alarms.readAlarm(actor, input))
  api.mount(decodeAlarms, ({ input }) => alarms.decodeAlarms(input))
  api.mount(recoverAlarm, ({ actor, input }) => alarms.recoverAlarm(actor, input))
}
