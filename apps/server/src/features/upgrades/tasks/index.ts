export { createAutomaticJob } from './automatic.jobs.ts'
export { createUpgradeControl, type UpgradeControl } from './control.service.ts'
export { createDirectUpgrades, type DirectUpgrades } from './direct.service.ts'
export { createUpgradePlanning, type UpgradePlanning } from './planning.service.ts'
export { isBeyondControl, isBeyondScope } from './tasks.beyond.ts'
export {
  countTasks,
  findTask,
  listTasks,
  readPlacesOfTasks,
  type TaskFilter,
  type TaskRecord,
} from './tasks.lists.queries.ts'
export { decisionsOn, stopsAhead } from './tasks.plan.ts'
export { stageShown, statesOf, statusOf } from './tasks.states.ts'
export { createTaskQueue, taskTable } from './tasks.work.ts'
