export { createAutomaticJob } from './automatic.jobs.ts'
export { createUpgradeControl, type UpgradeControl } from './control.service.ts'
export { createDirectUpgrades, type DirectUpgrades } from './direct.service.ts'
export { createUpgradePlanning, type UpgradePlanning } from './planning.service.ts'
export {
  countTasks,
  findTask,
  listTasks,
  readPlacesOfTasks,
  type TaskFilter,
  type TaskRecord,
} from './task-lists.queries.ts'
export { decisionsOn, stopsAhead } from './task-plan.ts'
export { isBeyondControl, isBeyondScope } from './task-reach.ts'
export { createTaskQueue, taskTable } from './tasks.queue.ts'
export { stageShown, statesOf, statusOf } from './tasks.states.ts'
