import type { Client } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'

export interface RefusedOperation {
  userId: number | null
  loginName: string | null
  client: Client
  target: string | null
  code: number
  message: string
}

export async function insertRefusedOperation(db: Db, operation: RefusedOperation): Promise<void> {
  const { userId, loginName, client, target, code, message } = operation
  await db
    .insertInto('operation_log')
    .values({
      user_id: userId,
      login_name: loginName,
      address: client.address,
      request_id: client.requestId,
      call: client.call,
      summary: client.summary,
      target,
      result_code: code,
      result_message: message,
    })
    .execute()
}
