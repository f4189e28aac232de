import {
  cancelUpgradeTask,
  deleteUpgradeTask,
  endUpgradeSoak,
  exportLeftOutOfRollback,
  exportLeftOutOfUpgrade,
  insertUpgradeTask,
  listUpgradeFailures,
  listUpgradeLog,
  listUpgradeTargets,
  listUpgradeTasks,
  listUpgradeTransitions,
  pauseUpgradeTask,
  previewRollback,
  previewUpgradeTask,
  readUpgradeTask,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  updateUpgradeTask,
  upgradeDevices,
  upgradeDevicesByBoard,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { DirectUpgrades, UpgradeControl, UpgradePlanning } from './tasks/index.ts'
import type { Upgrades } from './upgrades.service.ts'

export function mountUpgrades(
  api: Api,
  upgrades: Upgrades,
  planning: UpgradePlanning,
  control: UpgradeControl,
  direct: DirectUpgrades,
): void {
  api.mount(listUpgradeTasks, ({ actor, input }) => upgrades.listTasks(actor, input))
  api.mount(readUpgradeTask, ({ actor, input }) => upgrades.readTask(actor, input.id))
  api.mount(insertUpgradeTask, ({ actor, input }) => planning.insertTask(actor, input))
  api.mount(updateUpgradeTask, ({ actor, input }) => planning.updateTask(actor, input))
  api.mount(deleteUpgradeTask, ({ actor, input }) => planning.deleteTask(actor, input))
  api.mount(previewUpgradeTask, ({ actor, input }) => planning.previewTask(actor, input))
  api.mount(pauseUpgradeTask, ({ actor, input }) => control.pauseTask(actor, input.id))
  api.mount(endUpgradeSoak, ({ actor, input }) => control.endSoak(actor, input.id))
  api.mount(resumeUpgradeTask, ({ actor, input }) => control.resumeTask(actor, input.id))
  api.mount(cancelUpgradeTask, ({ actor, input }) => control.cancelTask(actor, input.id))
  api.mount(retryUpgradeTask, ({ actor, input }) => control.retryTask(actor, input))
  api.mount(exportLeftOutOfUpgrade, ({ actor, input }) => planning.exportLeftOut(actor, input))
  api.mount(exportLeftOutOfRollback, ({ actor, input }) => direct.exportLeftOutOfRollback(actor, input))
  api.mount(previewRollback, ({ actor, input }) => direct.previewRollback(actor, input))
  api.mount(rollBackUpgradeTask, ({ actor, input }) => direct.rollBack(actor, input))
  api.mount(upgradeDevices, ({ actor, input }) => direct.upgradeDevices(actor, input))
  api.mount(upgradeDevicesByBoard, ({ actor, input }) => direct.upgradeByBoard(actor, input))
  api.mount(listUpgradeTargets, ({ actor, input }) => upgrades.listTargets(actor, input))
  api.mount(listUpgradeFailures, ({ actor, input }) => upgrades.listFailures(actor, input))
  api.mount(listUpgradeTransitions, ({ actor, input }) => upgrades.listTransitions(actor, input))
  api.mount(listUpgradeLog, ({ actor, input }) => upgrades.listLog(actor, input))
}
