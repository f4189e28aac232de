// How devices' answers to the upgrade command change targets. Runs in the transaction that ends the commands.

import { kyselyOn } from '../../../platform/database/statements.ts'
import type { FinishedCommand } from '../../../platform/devices/commands/commands.moves.ts'
import type { CommandResultHandler } from '../../../platform/devices/commands/commands.ts'
import { move } from './targets.moves.ts'
import { type MovingTarget, ofCommands } from './targets.queries.ts'
import type { TargetEvent } from './targets.states.ts'

/** Only the newest command of a target counts: the result of an older one says nothing about now. */
export function createUpgradeResults(
  tellChanged: (targets: readonly MovingTarget[]) => void,
): CommandResultHandler {
  return {
    async finished(connection, commands) {
      const byId = new Map(commands.map((command) => [command.id, command]))
      const moved = await move(kyselyOn(connection), ofCommands([...byId.keys()]), ({ commandId }) => {
        const command = byId.get(commandId ?? '')
        return command ? eventsOf(command) : []
      })
      return () => tellChanged(moved)
    },

    /** A late answer shows that the device had the command, although it was given up or taken back. */
    async late(connection, answers) {
      const taken = answers.filter(({ outcome }) => outcome === 'done').map(({ id }) => id)
      if (taken.length === 0) return undefined
      const moved = await move(kyselyOn(connection), ofCommands(taken), () => [
        { kind: 'taken', nowMs: Date.now() },
      ])
      return () => tellChanged(moved)
    },
  }
}

function eventsOf({ result, outcome, reason, attempts }: FinishedCommand): TargetEvent[] {
  const nowMs = Date.now()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? [{ kind: 'taken', nowMs }]
        : [{ kind: 'failed', reason: reason ?? '设备执行失败', nowMs }]
    case 'refused':
      return [{ kind: 'refused', reason: reason ?? '设备拒绝升级' }]
    case 'expired':
      return attempts > 0 ? [{ kind: 'unanswered', nowMs }] : [{ kind: 'neverThere' }]
    // Cancelled by a pause, a cancellation or a verified version, which have moved the target themselves.
    case 'cancelled':
      return []
  }
}
