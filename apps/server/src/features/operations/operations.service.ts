import type { Actor, Client } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import * as queries from './operations.queries.ts'

export type Operations = ReturnType<typeof createOperationService>

/** The keys of an input that say what a write was meant for. All others stay out of the log. */
const targetKeys = ['id', 'code', 'name', 'loginname']
const targetLimit = 200

export function createOperationService({ db, log }: { db: Db; log: Log }) {
  return {
    /**
     * Keeps a write that was refused. Those that succeed are recorded in their own transaction; here
     * there is none, and a log that cannot be written must not turn the refusal into another answer.
     */
    async recordRefusedWrite(
      actor: Actor | null,
      client: Client,
      input: unknown,
      refusal: { code: number; message: string },
    ): Promise<void> {
      const target = targetOf(input)
      try {
        await queries.insertRefusedOperation(db, {
          userId: actor?.userId ?? null,
          loginName: actor?.loginName ?? null,
          client,
          target,
          ...refusal,
        })
      } catch (err) {
        log.error({ err, call: client.call }, '操作日志写入失败')
      }
    },
  }
}

function targetOf(input: unknown): string | null {
  const known = targetKeys.flatMap((key) => {
    const value = (input as Record<string, unknown> | null)?.[key]
    return typeof value === 'string' || typeof value === 'number' ? [`${key}=${value}`] : []
  })
  return known.length === 0 ? null : known.join(' ').slice(0, targetLimit)
}
