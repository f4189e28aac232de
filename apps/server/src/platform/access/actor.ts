/** Who makes a call, from where, and the call itself: what rules and the operation log ask for. */
export interface Actor {
  userId: number
  loginName: string
  organizationId: number
  /** Holds a role with code SYSTEM: may do everything, sees every device. */
  isSystem: boolean
  functionCodes: ReadonlySet<string>
  mustChangePassword: boolean
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

/** May the actor call what asks for this function code? */
export function holds(actor: Actor, functionCode: string): boolean {
  return actor.isSystem || actor.functionCodes.has(functionCode)
}
