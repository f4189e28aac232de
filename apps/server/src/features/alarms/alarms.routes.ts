import {
  countAlarmLevels,
  decodeAlarms,
  exportAlarmHistory,
  exportAlarms,
  listAlarmHistory,
  listAlarms,
  readAlarm,
  readAlarmTimeline,
  recoverAlarm,
  recoverAlarms,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Alarms } from './alarms.service.ts'
import type { Recoveries } from './recoveries/recoveries.service.ts'

export function mountAlarms(api: Api, alarms: Alarms, recoveries: Recoveries): void {
  api.mount(listAlarms, ({ actor, input }) => alarms.listAlarms(actor, input))
  api.mount(countAlarmLevels, ({ actor, input }) => alarms.countAlarmLevels(actor, input))
  api.mount(exportAlarms, ({ actor, input }) => alarms.exportAlarms(actor, input))
  api.mount(listAlarmHistory, ({ actor, input }) => alarms.listAlarmHistory(actor, input))
  api.mount(exportAlarmHistory, ({ actor, input }) => alarms.exportAlarmHistory(actor, input))
  api.mount(readAlarm, ({ actor, input }) => alarms.readAlarm(actor, input))
  api.mount(readAlarmTimeline, ({ actor, input }) => alarms.readAlarmTimeline(actor, input))
  api.mount(decodeAlarms, ({ input }) => alarms.decodeAlarms(input))
  api.mount(recoverAlarm, ({ actor, input }) => alarms.recoverAlarm(actor, input))
  api.mount(recoverAlarms, ({ actor, input }) => recoveries.recoverAlarms(actor, input))
}
