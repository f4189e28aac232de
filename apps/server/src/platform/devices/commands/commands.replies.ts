import type { CommandReply } from '@voltkeep/contract/topics/index'
import type { Statements } from '../../database/statements.ts'
import type { Report } from '../ingest/reports.ts'
import type { Writer } from '../ingest/writer.ts'
import { isCommandId } from './command-ids.ts'
import { lockAnswered } from './commands.queries.ts'
import type { CommandStates } from './commands.ts'

/**
 * Writes devices' replies. A reply to a command that is not the device's own, or that does not exist, is refused; a
 * reply that is repeated, or comes too late, changes nothing that was final.
 *
 * `answered` is called after the commit with the ids of the commands.
 */
export function createReplyWriter(
  states: CommandStates,
  answered: (ids: readonly string[]) => void,
): Writer<Report<CommandReply>> {
  return {
    name: 'reply',
    // What a device has done by a command it often reports together with its reply.
    isLast: true,
    async write(connection, reports) {
      const replies = new Map<string, CommandReply[]>()
      const pairs: { id: string; deviceId: number }[] = []
      const keyOf = (id: string, deviceId: number) => `${deviceId} ${id}`
      for (const { deviceId, payload } of reports) {
        if (!isCommandId(payload.commandId)) continue
        const key = keyOf(payload.commandId, deviceId)
        const known = replies.get(key)
        if (known) known.push(payload)
        else {
          replies.set(key, [payload])
          pairs.push({ id: payload.commandId, deviceId })
        }
      }
      const rows = pairs.length > 0 ? await lockAnswered(connection as Statements, pairs) : []
      const { afterCommit } = await states.advance(connection, rows, ({ id, deviceId }) =>
        (replies.get(keyOf(id, deviceId)) ?? []).map(({ outcome, reason = null }) => ({
          name: 'replied',
          outcome,
          reason,
        })),
      )
      const found = new Set(rows.map(({ id, deviceId }) => keyOf(id, deviceId)))
      const refused = reports.filter(
        ({ deviceId, payload }) => !found.has(keyOf(payload.commandId, deviceId)),
      )
      return () => {
        for (const report of refused) report.refuse('unknownCommand', '没有发给该设备的这条命令')
        answered(rows.map(({ id }) => id))
        afterCommit()
      }
    },
  }
}
