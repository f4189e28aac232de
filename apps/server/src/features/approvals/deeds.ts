// What a feature says of its deeds that may need a second person.
import type { ApprovalCause, ApprovalKind, FunctionCode } from '@voltkeep/contract'
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
  subject: string
  details: readonly { name: string; value: string }[]
  causes: readonly ApprovalCause[]
  deviceId?: number
  deviceCount: number
}

/** What a call answers whose deed waits: see `madeOrAsked` of the contract. */
export const asWaiting = (approvalId: string) => ({ approvalId }) as { id: string; approvalId: string }

/** A deed that was agreed to and reaches many more devices by now is another one. */
export function refuseGrown({ deviceCount }: Consent, nowCount: number): void {
  if (nowCount > Math.ceil(deviceCount * 1.1)) refuse('approvalGrown')
}
