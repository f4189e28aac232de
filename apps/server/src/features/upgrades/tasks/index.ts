export { createUpgradeControl, type UpgradeControl } from './control.service.ts'
export { createDirectUpgrades, type DirectUpgrades } from './direct.service.ts'
export { createUpgradePlanning, type UpgradePlanning } from './planning.service.ts'
export { createStartConsent, type StartConsent } from './start-consent.ts'
export {
  countTasks,
  findTask,
  listTasks,
  readPlacesOfTasks,
  type TaskFilter,
  type TaskRecord,
  targetOf,
} from './task-lists.queries.ts'
export { wakeTasks } from './task-moves.ts'
export { decisionsOn, planChoice, stopsAhead } from './task-plan.ts'
export { isBeyondControl, isBeyondScope } from './task-reach.ts'
export { insertTask, isOwnChoice } from './tasks.queries.ts'
export { createTaskQueue, taskTable } from './tasks.queue.ts'
export { stageShown, statesOf, statusOf } from './tasks.states.ts'
