import type { Transaction } from 'kysely'
import type { Actor } from './access/actor.ts'
import type { Database } from './database/tables.ts'

/** What a write did: to what, and what it changed. Secrets never stand in `changes`. */
export interface Operation {
  /** What it was done to, e.g. `设备 EC0001`. */
  target: string
  changes?: { before?: Record<string, unknown>; after?: Record<string, unknown> }
}

/** Records a write in the transaction that makes it, so that neither can be without the other. */
export async function recordOperation(
  trx: Transaction<Database>,
  actor: Pick<Actor, 'userId' | 'loginName' | 'client'>,
  operation: Operation,
): Promise<void> {
  await trx
    .insertInto('operation_log')
    .values({
      user_id: actor.userId,
      login_name: actor.loginName,
      address: actor.client.address,
      request_id: actor.client.requestId,
      call: actor.client.call,
      summary: actor.client.summary,
      target: operation.target,
      result_code: 200,
      changes: operation.changes ? JSON.stringify(withoutSecrets(operation.changes)) : null,
    })
    .execute()
}

const secretName = /password|passwd|secret|token|credential|authorization|hash|密码|密钥|口令/i

/**
 * The second net: who records a change gives no secret, and a field that is named like one is left out here
 * whatever its value, unless that only says yes or no.
 */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => typeof one === 'boolean' || !secretName.test(name))
      .map(([name, one]) => [name, withoutSecrets(one)]),
  )
}
