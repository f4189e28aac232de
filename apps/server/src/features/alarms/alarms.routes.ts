import {
  ackAlarms,
  assignAlarms,
  claimAlarms,
  closeAlarms,
  countAlarmLevels,
  countHistoryLevels,
  decodeAlarms,
  endAlarmShelf,
  endIdleShelves,
  exportAlarmHistory,
  exportAlarms,
  insertAlarmShelf,
  listAlarmAssignees,
  listAlarmCauses,
  listAlarmHistory,
  listAlarmShelves,
  listAlarms,
  noteAlarm,
  previewAlarmShelf,
  readAlarm,
  readAlarmHandling,
  readAlarmTimeline,
  readHistorySums,
  recoverAlarm,
  recoverAlarms,
  releaseAlarms,
  unackAlarms,
  updateAlarmShelf,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Alarms } from './alarms.service.ts'
import type { Causes } from './causes/causes.service.ts'
import type { Handling } from './handling/handling.service.ts'
import type { Recoveries } from './recoveries/recoveries.service.ts'
import type { Shelves } from './shelves/shelves.service.ts'

export function mountAlarms(
  api: Api,
  alarms: Alarms,
  recoveries: Recoveries,
  handling: Handling,
  shelves: Shelves,
  causes: Causes,
): void {
  api.mount(listAlarms, ({ actor, input }) => alarms.listAlarms(actor, input))
  api.mount(countAlarmLevels, ({ actor, input }) => alarms.countAlarmLevels(actor, input))
  api.mount(exportAlarms, ({ actor, input }) => alarms.exportAlarms(actor, input))
  api.mount(listAlarmHistory, ({ actor, input }) => alarms.listAlarmHistory(actor, input))
  api.mount(countHistoryLevels, ({ actor, input }) => alarms.countHistoryLevels(actor, input))
  api.mount(readHistorySums, ({ actor, input }) => alarms.readHistorySums(actor, input))
  api.mount(exportAlarmHistory, ({ actor, input }) => alarms.exportAlarmHistory(actor, input))
  api.mount(readAlarm, ({ actor, input }) => alarms.readAlarm(actor, input))
  api.mount(readAlarmTimeline, ({ actor, input }) => alarms.readAlarmTimeline(actor, input))
  api.mount(decodeAlarms, ({ input }) => alarms.decodeAlarms(input))
  api.mount(recoverAlarm, ({ actor, input }) => alarms.recoverAlarm(actor, input))
  api.mount(recoverAlarms, ({ actor, input }) => recoveries.recoverAlarms(actor, input))
  api.mount(ackAlarms, ({ actor, input }) => handling.ackAlarms(actor, input))
  api.mount(unackAlarms, ({ actor, input }) => handling.unackAlarms(actor, input))
  api.mount(claimAlarms, ({ actor, input }) => handling.claimAlarms(actor, input))
  api.mount(releaseAlarms, ({ actor, input }) => handling.releaseAlarms(actor, input))
  api.mount(assignAlarms, ({ actor, input }) => handling.assignAlarms(actor, input))
  api.mount(closeAlarms, ({ actor, input }) => handling.closeAlarms(actor, input))
  api.mount(noteAlarm, ({ actor, input }) => handling.noteAlarm(actor, input))
  api.mount(readAlarmHandling, ({ actor, input }) => handling.readAlarmHandling(actor, input))
  api.mount(listAlarmAssignees, ({ actor, input }) => handling.listAlarmAssignees(actor, input))
  api.mount(listAlarmShelves, ({ actor, input }) => shelves.listAlarmShelves(actor, input))
  api.mount(previewAlarmShelf, ({ actor, input }) => shelves.previewAlarmShelf(actor, input))
  api.mount(insertAlarmShelf, ({ actor, input }) => shelves.insertAlarmShelf(actor, input))
  api.mount(updateAlarmShelf, ({ actor, input }) => shelves.updateAlarmShelf(actor, input))
  api.mount(endIdleShelves, ({ actor, input }) => shelves.endIdleShelves(actor, input))
  api.mount(endAlarmShelf, ({ actor, input }) => shelves.endAlarmShelf(actor, input))
  api.mount(listAlarmCauses, ({ actor, input }) => causes.listAlarmCauses(actor, input))
}
