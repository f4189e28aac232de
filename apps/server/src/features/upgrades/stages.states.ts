/**
 * A stage's states: a pure table (state, event) -> state. A stage runs until nothing of it is under way, soaks while
 * its devices are watched, and passes where they raise no more alarms than chance would have it.
 */
import type { UpgradeStageState } from '@voltkeep/contract'

export type StageEvent =
  /** The one before it has passed, or it is the first. */
  | 'begun'
  /** Nothing of it is under way, and it is to be watched. */
  | 'executed'
  /** Its watch is over and the gate passes, or it needs none. */
  | 'proven'
  /** Too many failures or alarms: the task pauses. Alarms may come after the stage has passed. */
  | 'stopped'
  /** A user lets it go on where it was not through yet. It is not judged again. */
  | 'waived'
  /** The same, where it was watched already. */
  | 'waivedInSoak'
  /** The same, where it had passed. */
  | 'waivedWhenPassed'
  /** Some of its targets are tried once more while it is watched. */
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
    // What is tried again in a stage that has passed runs beside the later ones, and opens nothing.
    case 'passed':
      return event === 'stopped' ? 'failed' : null
    default:
      return state satisfies never
  }
}
