// From alarm to done, as a record of a fire has it: pure.
import type { AlarmAction } from '@voltkeep/contract/alarmHandling'

export interface Step {
  time: string
  userName: string
  note: string | null
}

export interface RecordSteps {
  confirmed: Step | null
  onSite: Step | null
  closed: (Step & { cause: string | null }) | null
}

const confirming: readonly AlarmAction['kind'][] = ['ack', 'claim', 'assign', 'close']
/** How people write that they are there. */
const arrival = /到场|[到达]了?现场|抵达/

const stepOf = ({ time, userName, note }: AlarmAction): Step => ({ time, userName, note })

/**
 * What people did, of actions in their order: the first who confirmed, the first note that somebody is on site, and the
 * closing that still stands.
 */
export function stepsOf(actions: readonly AlarmAction[]): RecordSteps {
  const confirmed = actions.find(({ kind }) => confirming.includes(kind))
  const onSite = actions.find(({ note }) => note !== null && arrival.test(note))
  const closing = actions.findLast(({ kind }) => kind === 'close')
  const isClosed = closing !== undefined && actions.at(-1)?.after.handling === 'closed'
  return {
    confirmed: confirmed ? stepOf(confirmed) : null,
    onSite: onSite ? stepOf(onSite) : null,
    closed: isClosed ? { ...stepOf(closing), cause: closing.after.causeName ?? null } : null,
  }
}
