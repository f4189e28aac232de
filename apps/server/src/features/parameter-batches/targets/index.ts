export { createAttemptsJob } from './attempts.jobs.ts'
export {
  insertTargets,
  leftOutBy,
  lockPlanning,
  type Plan,
  type PlanSummary,
  planOfRestoration,
  planOfValues,
  previewTrial,
  skipTexts,
  summarize,
  type Wanted,
} from './plan.queries.ts'
export * as lists from './target-lists.queries.ts'
export { readPlacesOfBatches, type TargetRecord } from './target-lists.queries.ts'
export {
  countHeld,
  countUnsent,
  isHeld,
  isOpenTarget,
  isSilent,
  ofBatch,
  readMismatches,
  readOrders,
  retryableWithin,
  type TargetOrder,
} from './targets.queries.ts'
export { confirms, eventOf } from './targets.results.ts'
export { reasons, type TargetEvent } from './targets.states.ts'
export { type AskerDeed, type MovingTarget, targets } from './targets.work.ts'
export {
  forgetTrial,
  listCodesNotOnTrial,
  readTrialAlarms,
  readTrialFigures,
  type TrialFigures,
} from './trial.queries.ts'
