import { intakeReasons, type listIntakeRefusals, type ParsedInputFor } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { rangeEdges } from '../../platform/process/clock.ts'
import { isUnrestrictedAtRoot, listRefusals, trimRefusals } from './intake.queries.ts'

const keptRows = 200_000
const keptMs = 90 * 86_400_000

/** The refused connections and messages, as operators see them. */
export function createIntakeRecords({ db }: { db: Db }) {
  return {
    /**
     * Codes that are not registered belong to no scope: users who see all devices of a root organization see them, until
     * a device beyond their scope has the code. What a deleted device sent is for SYSTEM users: its scope went with it.
     */
    async listIntakeRefusals(actor: Actor, input: ParsedInputFor<typeof listIntakeRefusals>) {
      const { pageNum, pageSize, code, reason } = input
      const { rows, total } = await listRefusals(
        db,
        await scopeOf(db, actor),
        { code, reason, ...rangeEdges(input) },
        {
          sees: {
            strangers: actor.isSystem || (await isUnrestrictedAtRoot(db, actor)),
            deleted: actor.isSystem,
          },
          ...pageOf({ pageNum, pageSize }),
        },
      )
      return { rows: rows.map((row) => ({ ...row, reasonName: intakeReasons[row.reason] })), total }
    },

    /** Deletes old refusals, and the oldest ones beyond the most rows. */
    trimIntakeRefusals: () => trimRefusals(db, { keep: keptRows, before: new Date(Date.now() - keptMs) }),
  }
}

export type IntakeRecords = ReturnType<typeof createIntakeRecords>
