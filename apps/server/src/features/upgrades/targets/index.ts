export {
  bytesColumns,
  readBytes,
  readBytesBehind,
  readBytesOfTask,
  readBytesOfTasks,
  type TaskLimits,
} from './bytes.queries.ts'
export { noTargets, reachesBeyond, readCounts, readUnderWay, refreshTally, sumOf } from './tally.queries.ts'
export { createProgressWriter } from './targets.intake.ts'
export {
  countLog,
  countTargets,
  countTransitions,
  findTaskOfTarget,
  listLog,
  listReasons,
  listTargets,
  listTransitions,
} from './targets.lists.queries.ts'
export { type MovingTarget, targets } from './targets.moves.ts'
export {
  countBeyond,
  countPlanned,
  insertTally,
  insertTargets,
  listEarlierPackages,
  lockActivation,
  type Plan,
  type RollbackPlan,
  readPreview,
  resolvePlan,
  skipTexts,
} from './targets.plan.queries.ts'
export { ofTask, retryableWithin } from './targets.queries.ts'
export { createUpgradeResults } from './targets.results.ts'
export { openTargetStates } from './targets.states.ts'
export { endOpen, recallUnsent, sweepTargets, type TargetsSwept } from './targets.sweep.ts'
export { createTargetQueue, type Decisions } from './targets.work.ts'
