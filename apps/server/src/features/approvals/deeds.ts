// What a feature says of its deeds that may need a second person.
import type { ApprovalCause, ApprovalKind, ApprovalState, FunctionCode } from '@voltkeep/contract'
import type { DataScope } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

/** A deed that was agreed to. */
export interface Consent {
  approvalId: string
  /** The second person. What goes on after that moment keeps who it is, and asks for that user as for who asked. */
  agreedBy: { userId: number; name: string }
  /** How many devices it would have reached when it was asked for. */
  deviceCount: number
}

export interface Deed {
  /**
   * Whether somebody of this scope sees all devices that the deed would reach now. `own`: the scope of who asked.
   */
  isWithin(db: Db, scope: DataScope, payload: unknown, own: DataScope): Promise<boolean>
  /**
   * Does it, as who asked for it. Refuses as the call itself would; then the deed keeps waiting. Returns the id of what
   * came of it, and what is to be done after the commit.
   */
  carryOut(
    trx: Trx,
    actor: Actor,
    payload: unknown,
    consent: Consent,
  ): Promise<{ resultId: string; afterCommit: () => void }>
}

export interface AskedDeed {
  kind: ApprovalKind
  functionCode: FunctionCode
  /** The input of the call as it was parsed, with what tells it from other calls of the kind. */
  payload: object
  /** Asked for twice while it waits, it is one. */
  sameAs?: string
  /** How long it waits; as the contract has it by default, for somebody who waits in front of it. */
  waitMinutes?: number
  subject: string
  details: readonly DeedDetail[]
  causes: readonly ApprovalCause[]
  deviceId?: number
  deviceCount: number
}

/** Something that is told of a deed. */
export interface DeedDetail {
  name: string
  value: string
  /** The value is the product's, and is told in the language of the reader; other values are what people have written. */
  isSaid?: true
}

/** Who asks: a user's call, or the server for a user whose decision has come to need a second person. */
export type Asking = Pick<Actor, 'userId' | 'loginName' | 'organizationId' | 'isSystem' | 'client'>

/** What became of a deed when it was asked for last. */
export interface LastAsked {
  state: ApprovalState
  askedBy: string
  decidedBy: string | null
}

/** How long a deed waits that nobody waits for in front of a screen: a week. */
export const patientMinutes = 7 * 24 * 60

/**
 * Whether the server is to ask for a deed that needs a second person: not where it waits already, and not again after
 * somebody refused it or took it back.
 */
export const isToBeAsked = (last: LastAsked | undefined): boolean =>
  last === undefined || !['waiting', 'refused', 'withdrawn'].includes(last.state)

/** Whether a deed that somebody agreed to for so many devices is the same one for so many. */
export const isAgreed = (agreedCount: number, nowCount: number): boolean =>
  nowCount <= Math.ceil(agreedCount * 1.1)

/**
 * What a deed that goes on waiting waits for. It stands where people read it who see none of its devices, and has neither
 * their number nor anybody's words.
 */
export function describeWait(last: LastAsked | undefined): string {
  switch (last?.state) {
    case 'waiting':
      return `${last.askedBy} 已申请，待另一人同意`
    case 'refused':
      return `${last.decidedBy} 已拒绝`
    case 'withdrawn':
      return `${last.askedBy} 已撤回申请`
    default:
      return '须由另一人同意'
  }
}

/** What a call answers whose deed waits: see `madeOrAsked` of the contract. */
export const asWaiting = (approvalId: string) => ({ approvalId }) as { id: string; approvalId: string }

/** A deed that was agreed to and reaches many more devices by now is another one. */
export function refuseGrown({ deviceCount }: Consent, nowCount: number): void {
  if (!isAgreed(deviceCount, nowCount)) refuse('approvalGrown')
}
