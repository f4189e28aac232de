/**
 * What people do about an alarm, beside what its device says of it. Pure: no clock, no database; times are milliseconds
 * since 1970.
 *
 * Two halves, each with its own writer: reports and recoveries write the device's half, users the people's half. What
 * is shown is derived from both (`handlingOf`; handling-shown.queries.ts has the same in SQL), so that neither has to
 * know when the other changes.
 */
import type { AlarmHandling } from '@voltkeep/contract'

/** As far as the shown state depends on it. */
export interface DeviceHalf {
  isActive: boolean
  /** The last value other than zero, as text: an int8. */
  value: string
  recoveredAtMs: number | null
  /** Of the dictionary, as of now; null where it does not know the alarm. */
  level: number | null
  /** Each value is a trouble of its own; otherwise each bit is. */
  isByValue: boolean
  /** When a shelf last left it while it lasted; null where none has. */
  unshelvedAtMs: number | null
}

export interface PeopleHalf {
  /** The number of actions. */
  version: number
  ack: Acknowledgement | null
  assignee: Assignee | null
  closed: { atMs: number; cause: string; causeName: string } | null
  /** What was shown when it had been over for a while, and is from then on: neither half has changed since. */
  settled: SettledHandling | null
}

/** States of what is over. */
export type SettledHandling = Extract<AlarmHandling, 'inProgress' | 'recoveredUnacknowledged' | 'closed'>

export interface Acknowledgement {
  atMs: number
  byName: string
  /** What was acknowledged. */
  seenValue: string
  seenLevel: number | null
  /** Until then; without end while somebody has the alarm. */
  lastsUntilMs: number
}

export interface Assignee {
  id: number
  name: string
}

export const untouched: PeopleHalf = { version: 0, ack: null, assignee: null, closed: null, settled: null }

/** Behind every level of the dictionary. */
export const unknownLevel = 9

/** The state that is shown. */
export function handlingOf(device: DeviceHalf, people: PeopleHalf, nowMs: number): AlarmHandling {
  if (!isSeen(device, people, nowMs)) return device.isActive ? 'unacknowledged' : 'recoveredUnacknowledged'
  if (people.closed) return 'closed'
  if (people.assignee) return 'inProgress'
  return device.isActive ? 'acknowledged' : 'closed'
}

/** Whether the acknowledgement covers what the device says, and is not forgotten. */
function isSeen(device: DeviceHalf, { ack, assignee, closed, settled }: PeopleHalf, nowMs: number): boolean {
  if (settled) return settled !== 'recoveredUnacknowledged'
  if (!ack) return false
  const isGraver = (device.level ?? unknownLevel) < (ack.seenLevel ?? unknownLevel)
  const hasNews = device.isByValue
    ? device.value !== ack.seenValue
    : (BigInt(device.value) & ~BigInt(ack.seenValue)) !== 0n
  // What was over before an acknowledgement is forgotten was seen in time.
  const isForgotten = (!assignee || closed !== null) && (device.recoveredAtMs ?? nowMs) >= ack.lastsUntilMs
  // What was acknowledged before or while it was kept quiet is looked at anew.
  const isBack = device.unshelvedAtMs !== null && device.unshelvedAtMs > ack.atMs
  return !isGraver && !hasNews && !isForgotten && !isBack
}

/**
 * What is left of it for the same trouble that has come again: whoever saw it has seen it, whoever has it still has it, for
 * as long as the acknowledgement lasts. Null where it is open anew: it was not seen, or somebody said that it is done.
 */
export function carriedOn(device: DeviceHalf, people: PeopleHalf, nowMs: number): PeopleHalf | null {
  if (!isSeen(device, people, nowMs) || people.closed) return null
  return { version: 1, ack: people.ack, assignee: people.assignee, closed: null, settled: null }
}

/** What a user asks for, with what the decision needs to know of the user. */
export type HandlingAct =
  | { kind: 'ack' | 'unack' | 'note' }
  | { kind: 'claim'; me: Assignee }
  | { kind: 'release'; me: Assignee; mayAssign: boolean }
  | { kind: 'assign'; to: Assignee }
  | { kind: 'close'; cause: string; causeName: string }

export interface Circumstances {
  nowMs: number
  byName: string
  /** How long an acknowledgement counts. */
  lastsMs: number
}

/** The people's half after the act, or why it is left as it is. */
export function afterAct(
  act: HandlingAct,
  device: DeviceHalf,
  people: PeopleHalf,
  { nowMs, byName, lastsMs }: Circumstances,
): { after: PeopleHalf } | { skipped: string } {
  const shown = handlingOf(device, people, nowMs)
  const isOpen = shown === 'unacknowledged' || shown === 'recoveredUnacknowledged'
  const isClosed = people.closed !== null && !isOpen
  const seen: Acknowledgement = {
    atMs: nowMs,
    byName,
    seenValue: device.value,
    seenLevel: device.level,
    lastsUntilMs: nowMs + lastsMs,
  }
  // The time after which an acknowledgement is forgotten begins anew with what is done about the alarm.
  const seenAnew = isOpen || !people.ack ? seen : { ...people.ack, lastsUntilMs: nowMs + lastsMs }
  const changed = (half: Partial<PeopleHalf>) => ({
    after: { ...people, ...half, version: people.version + 1, settled: null },
  })
  switch (act.kind) {
    case 'ack':
      if (!isOpen) return { skipped: '告警已确认' }
      // What was closed and stands again is not closed any more.
      return changed({ ack: seen, closed: null })
    case 'unack':
      if (!people.ack) return { skipped: '告警尚未确认' }
      return changed({ ack: null, closed: null })
    case 'claim':
    case 'assign': {
      const to = act.kind === 'claim' ? act.me : act.to
      if (isClosed) return { skipped: '告警已关闭' }
      if (people.assignee?.id === to.id && !isOpen) return { skipped: `已由 ${to.name} 负责` }
      if (act.kind === 'claim' && people.assignee && people.assignee.id !== to.id)
        return { skipped: `已由 ${people.assignee.name} 负责` }
      return changed({ ack: seenAnew, assignee: to, closed: null })
    }
    case 'release':
      if (!people.assignee) return { skipped: '告警没有负责人' }
      if (people.assignee.id !== act.me.id && !act.mayAssign)
        return { skipped: `由 ${people.assignee.name} 负责，不能释放` }
      return changed({
        assignee: null,
        ack: isOpen || !people.ack ? people.ack : seenAnew,
      })
    case 'note':
      return changed({})
    case 'close':
      if (isClosed) return { skipped: '告警已关闭' }
      return changed({
        ack: seenAnew,
        closed: { atMs: nowMs, cause: act.cause, causeName: act.causeName },
      })
  }
}
