// How the devices' answers change extractions. Runs in the transaction that ends the commands.

import { kyselyOn } from '../../platform/database/statements.ts'
import type { FinishedCommand } from '../../platform/devices/commands/commands.moves.ts'
import type { CommandResultHandler } from '../../platform/devices/commands/commands.ts'
import { move } from './log-extraction.moves.ts'
import { type MovingExtraction, ofCommands } from './log-extraction.queries.ts'
import type { ExtractionEvent } from './log-extraction.states.ts'

export function createResultHandler(
  tellChanged: (extractions: readonly MovingExtraction[]) => void,
): CommandResultHandler {
  return {
    async finished(connection, commands) {
      const byId = new Map(commands.map((command) => [command.id, command]))
      const moved = await move(kyselyOn(connection), ofCommands([...byId.keys()]), ({ commandId }) =>
        eventOf(byId.get(commandId as string) as FinishedCommand),
      )
      return () => tellChanged(moved)
    },
  }
}

function eventOf({ result, outcome, reason }: FinishedCommand): ExtractionEvent | null {
  switch (result) {
    case 'answered':
      return outcome === 'done' ? { kind: 'taken' } : { kind: 'refused', reason: reason ?? '设备执行失败' }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行' }
    // The extraction has a deadline of its own, and a cancelled command was cancelled by the extraction.
    case 'expired':
    case 'cancelled':
      return null
  }
}
