import { intakeReasons, type listIntakeRefusals, type ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { scopeOf } from '../../platform/access/data-scope.ts'
import { rangeEdges } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { isUnrestrictedAtRoot, listRefusals, trimRefusals } from './intake.queries.ts'

const keptRows = 200_000
const keptMs = 90 * 86_400_000

/** What operators see of devices that were turned away. */
export function createIntakeRecords({ db }: { db: Db }) {
  return {
    /** Codes that nobody registered belong to no scope: those who see the whole of an organization's devices see them. */
    async listIntakeRefusals(actor: Actor, input: ParsedInputFor<typeof listIntakeRefusals>) {
      const { pageNum, pageSize, code, reason } = input
      const { rows, total } = await listRefusals(
        db,
        await scopeOf(db, actor),
        { code, reason, ...rangeEdges(input) },
        {
          seesStrangers: actor.isSystem || (await isUnrestrictedAtRoot(db, actor)),
          limit: pageSize,
          offset: (pageNum - 1) * pageSize,
        },
      )
      return { rows: rows.map((row) => ({ ...row, reasonName: intakeReasons[row.reason] })), total }
    },

    /** Forgets old refusals, and the oldest of too many. */
    trimIntakeRefusals: () => trimRefusals(db, { keep: keptRows, before: new Date(Date.now() - keptMs) }),
  }
}

export type IntakeRecords = ReturnType<typeof createIntakeRecords>
