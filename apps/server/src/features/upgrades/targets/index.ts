export {
  bytesColumns,
  readBytes,
  readBytesBehind,
  readBytesOfTask,
  readBytesOfTasks,
  type TaskLimits,
} from './bytes.queries.ts'
export { readRollbackPreview } from './rollback-preview.queries.ts'
export { noTargets, reachesBeyond, readCounts, readUnderWay, refreshTally, sumOf } from './tally.queries.ts'
export {
  countLog,
  countTargets,
  countTransitions,
  findTaskOfTarget,
  listLog,
  listReasons,
  listTargets,
  listTransitions,
} from './target-lists.queries.ts'
export {
  type ChoicePlan,
  countBeyond,
  countPlanned,
  insertTally,
  insertTargets,
  leftOutBy,
  listEarlierFiles,
  listEarlierPackages,
  lockActivation,
  type Plan,
  type RollbackPlan,
  readPreview,
  resolvePlan,
  skipTexts,
} from './target-plan.queries.ts'
export { endOpen, recallUnsent, sweepTargets, type TargetsSwept } from './target-sweep.ts'
export { createProgressWriter } from './targets.intake.ts'
export { isOpenTarget, ofTask, retryableWithin } from './targets.queries.ts'
export { createTargetQueue, type Decisions } from './targets.queue.ts'
export { createUpgradeResults } from './targets.results.ts'
export { openTargetStates } from './targets.states.ts'
export { type MovingTarget, targets } from './targets.work.ts'
