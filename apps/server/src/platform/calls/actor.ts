import { type Access, functionCodesOf } from '@voltkeep/contract'

/** The user who makes a call, from where, and the call itself: what rules and the operation log need. */
export interface Actor {
  userId: number
  loginName: string
  organizationId: number
  /** Has a role with code SYSTEM: may make every call, sees every device. */
  isSystem: boolean
  functionCodes: ReadonlySet<string>
  mustChangePassword: boolean
  /** Of an API key, which is a user of its own: the person who made it, further than whom it reaches never. */
  makerId: number | null
  /** SHA-256 of the token this call came with. */
  tokenHash: Buffer
  client: Client
}

/** Where a call came from, known before anyone has signed in. */
export interface Client {
  address: string
  userAgent: string | null
  requestId: string
  /** Path template and Chinese summary of the endpoint called. */
  call: string
  summary: string
}

/**
 * Whose turns and places a call takes: the user's; the API keys of one maker are one caller beside that user, or each key
 * would be a further share.
 */
export const callerOf = ({ userId, makerId }: Pick<Actor, 'userId' | 'makerId'>): number =>
  makerId === null ? userId : -makerId

/** Whether the actor may make a call with this access. */
export function mayCall(actor: Actor, access: Access): boolean {
  if (access === 'public' || access === 'signedIn' || actor.isSystem) return true
  return functionCodesOf({ access }).some((code) => actor.functionCodes.has(code))
}
