// How devices' answers to the command change targets. Runs in the transaction that ends the commands.

import { kyselyOn } from '../../platform/database/statements.ts'
import type { FinishedCommand } from '../../platform/devices/commands/commands.moves.ts'
import type { CommandResultHandler } from '../../platform/devices/commands/commands.ts'
import { move } from './targets.moves.ts'
import { type MovingTarget, ofCommands } from './targets.queries.ts'
import type { TargetEvent } from './targets.states.ts'

/** Only the newest command of a target counts: the result of an older one says nothing about now. */
export function createBatchResults(
  tellChanged: (targets: readonly MovingTarget[]) => void,
): CommandResultHandler {
  return {
    async finished(connection, commands) {
      const byId = new Map(commands.map((command) => [command.id, command]))
      const moved = await move(kyselyOn(connection), ofCommands([...byId.keys()]), ({ commandId }) => {
        const command = byId.get(commandId ?? '')
        return command ? eventOf(command) : null
      })
      return () => tellChanged(moved)
    },
  }
}

function eventOf({ result, outcome, reason, attempts }: FinishedCommand): TargetEvent | null {
  const nowMs = Date.now()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? { kind: 'claimed', nowMs }
        : { kind: 'failed', reason: reason ?? '设备执行失败', nowMs }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行' }
    // The command's deadline is the batch's end.
    case 'expired':
      return attempts > 0 ? { kind: 'ended' } : { kind: 'neverThere' }
    // Cancelled by a stop, a verified value or a timeout, which have moved the target themselves.
    case 'cancelled':
      return null
  }
}
