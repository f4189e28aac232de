/**
 * A stage's states: a pure table (state, event) -> state. A stage runs until nothing of it is under way, soaks while
 * its devices are watched, and passes where they raise no more alarms than chance explains.
 */
import type { UpgradeStageState } from '@voltkeep/contract'

export type StageEvent =
  /** The one before it has passed, or it is the first. */
  | 'begun'
  /** Nothing of it is under way: its soak begins. */
  | 'executed'
  /** Its soak is over and the gate passes, or it needs none. */
  | 'proven'
  /** Too many failures or alarms: the task pauses. Alarms may come after the stage has passed. */
  | 'stopped'
  /** A user lets it go on where it was still running. It is not judged again. */
  | 'waived'
  /** The same during its soak. */
  | 'waivedInSoak'
  /** The same after it had passed. */
  | 'waivedWhenPassed'
  /** Some of its targets are tried again during its soak. */
  | 'reopened'

export const stageEvents = [
  'begun',
  'executed',
  'proven',
  'stopped',
  'waived',
  'waivedInSoak',
  'waivedWhenPassed',
  'reopened',
] as const

/** The state after the event; null where the event changes nothing. */
export function stageAfter(state: UpgradeStageState, event: StageEvent): UpgradeStageState | null {
  switch (state) {
    case 'pending':
      return event === 'begun' ? 'running' : null
    case 'running':
      switch (event) {
        case 'executed':
          return 'soaking'
        case 'proven':
          return 'passed'
        case 'stopped':
          return 'failed'
        case 'begun':
        case 'waived':
        case 'waivedInSoak':
        case 'waivedWhenPassed':
        case 'reopened':
          return null
      }
      return event satisfies never
    case 'soaking':
      switch (event) {
        case 'proven':
          return 'passed'
        case 'stopped':
          return 'failed'
        case 'reopened':
          return 'running'
        case 'begun':
        case 'executed':
        case 'waived':
        case 'waivedInSoak':
        case 'waivedWhenPassed':
          return null
      }
      return event satisfies never
    case 'failed':
      switch (event) {
        case 'waived':
          return 'running'
        case 'waivedInSoak':
          return 'soaking'
        case 'waivedWhenPassed':
          return 'passed'
        case 'begun':
        case 'executed':
        case 'proven':
        case 'stopped':
        case 'reopened':
          return null
      }
      return event satisfies never
    // Targets that are tried again in a stage that has passed run beside later stages, and reopen nothing.
    case 'passed':
      return event === 'stopped' ? 'failed' : null
    default:
      return state satisfies never
  }
}
