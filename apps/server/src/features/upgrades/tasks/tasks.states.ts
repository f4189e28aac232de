/** A task's states: a pure table (state, event) -> state. Stages and targets have tables of their own. */
import type {
  UpgradeStageShownState,
  UpgradeStageState,
  UpgradeStatus,
  UpgradeTaskState,
} from '@voltkeep/contract'

export type TaskEvent =
  /** Its time has come: its targets are planned. */
  | 'started'
  /** By a user, by failures or by the gate. */
  | 'paused'
  | 'resumed'
  /** Every target has a final state. */
  | 'completed'
  | 'cancelled'
  /** A user asks for another attempt for failed targets. */
  | 'retried'

export const taskEvents = ['started', 'paused', 'resumed', 'completed', 'cancelled', 'retried'] as const

/** The state after the event; null where the event cannot happen in that state. */
export function taskAfter(state: UpgradeTaskState, event: TaskEvent): UpgradeTaskState | null {
  switch (state) {
    case 'planned':
      switch (event) {
        case 'started':
          return 'running'
        case 'cancelled':
          return 'cancelled'
        case 'paused':
        case 'resumed':
        case 'completed':
        case 'retried':
          return null
      }
      return event satisfies never
    case 'running':
      switch (event) {
        case 'paused':
          return 'paused'
        case 'completed':
          return 'finished'
        case 'cancelled':
          return 'cancelled'
        case 'retried':
          return 'running'
        case 'started':
        case 'resumed':
          return null
      }
      return event satisfies never
    case 'paused':
      switch (event) {
        case 'resumed':
          return 'running'
        case 'completed':
          return 'finished'
        case 'cancelled':
          return 'cancelled'
        case 'retried':
          return 'paused'
        case 'started':
        case 'paused':
          return null
      }
      return event satisfies never
    case 'finished':
      switch (event) {
        case 'retried':
          return 'running'
        case 'started':
        case 'paused':
        case 'resumed':
        case 'completed':
        case 'cancelled':
          return null
      }
      return event satisfies never
    case 'cancelled':
      return null
    default:
      return state satisfies never
  }
}

/** The `status` of the wire: 0 未开始, 1 进行中, 2 已完成. */
export function statusOf(state: UpgradeTaskState): UpgradeStatus {
  switch (state) {
    case 'planned':
      return 0
    case 'running':
    case 'paused':
      return 1
    case 'finished':
    case 'cancelled':
      return 2
    default:
      return state satisfies never
  }
}

/** The states of a status, for SQL. */
export const statesOf = (status: UpgradeStatus): UpgradeTaskState[] =>
  (['planned', 'running', 'paused', 'finished', 'cancelled'] as const).filter(
    (state) => statusOf(state) === status,
  )

/**
 * A stage's state as an answer has it. What is stored stays as it was when the task ended, since a retry continues the stage.
 */
export function stageShown(state: UpgradeStageState, task: UpgradeTaskState): UpgradeStageShownState {
  const isUnderWay = state === 'running' || state === 'soaking'
  return isUnderWay && statusOf(task) === 2 ? 'ended' : state
}
