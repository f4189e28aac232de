import { ackAlarms, claimAlarms, releaseAlarms, unackAlarms } from '@voltkeep/contract/alarmHandling'
import type { AlarmRow } from '@voltkeep/contract/alarms'

/** What a user may do about an alarm, in the order in which it is offered. */
export const deeds = ['ack', 'claim', 'close', 'assign', 'note', 'shelve', 'release', 'unack'] as const
export type Deed = (typeof deeds)[number]

/** Those that are done at once; the others ask for something. */
export const callsAtOnce = {
  ack: ackAlarms,
  claim: claimAlarms,
  release: releaseAlarms,
  unack: unackAlarms,
} as const
export type DeedAtOnce = keyof typeof callsAtOnce

export const isAtOnce = (deed: Deed): deed is DeedAtOnce => deed in callsAtOnce

export interface Rights {
  mayAck: boolean
  mayAssign: boolean
  mayClose: boolean
  mayShelve: boolean
  /** By which an alarm of one's own is recognized; the server knows better. */
  ownName: string
}

/** Those that apply to the alarm as it is now. */
export function deedsOf(
  { handling, assigneeName, ackTime, causeName, status, isShelved }: AlarmRow,
  { mayAck, mayAssign, mayClose, mayShelve, ownName }: Rights,
): Deed[] {
  const isOpen = handling === 'unacknowledged' || handling === 'recoveredUnacknowledged'
  const isClosed = handling === 'closed'
  const applies: Record<Deed, boolean> = {
    ack: mayAck && isOpen,
    claim: mayAck && (!isClosed || causeName === null) && assigneeName === null,
    // What is done by having been seen may still get its cause.
    close: mayClose && (!isClosed || causeName === null),
    assign: mayAssign && (!isClosed || causeName === null),
    note: mayAck,
    shelve: mayShelve && status === 1 && !isShelved,
    release: mayAck && !isClosed && assigneeName !== null && (mayAssign || assigneeName === ownName),
    unack: mayAck && ackTime !== null && !isOpen,
  }
  return deeds.filter((deed) => applies[deed])
}
