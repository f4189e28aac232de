import type { endSession, listSessions, ParsedInputFor } from '@voltkeep/contract'
import { holdsAllOf, readHoldings } from '../../domain/access/holdings.ts'
import { lockManaged } from '../../domain/access/managing.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import * as queries from './online.queries.ts'

/** The sessions in use, for administrators. */
export function createOnlineSessions(db: Db) {
  return {
    async listSessions(actor: Actor, input: ParsedInputFor<typeof listSessions>) {
      const { pageNum, pageSize, organizationId, ...filter } = input
      const matching = queries.onlineMatching(actor, {
        ...filter,
        organizationId: organizationId === undefined ? undefined : idNumber(organizationId),
      })
      const page = pageOf({ pageNum, pageSize })
      const [rows, total] = await Promise.all([
        queries.listOnline(db, matching, actor.tokenHash, page),
        queries.countOnline(db, matching),
      ])
      const holdings = await readHoldings(db, [actor.userId, ...rows.map(({ userId }) => userId)])
      const caller = holdings.get(actor.userId)
      return {
        rows: rows.map((row) => {
          const held = holdings.get(row.userId)
          return { ...row, isManageable: !!caller && !!held && holdsAllOf(caller, held) }
        }),
        total,
      }
    },

    /**
     * The token of the session answers 50012 from the commit on. Refuses 404 `sessionNotFound`, 403 `holdsMore` for a
     * user who has more than the caller, and 403 `ownSessionKept`.
     */
    async endSession(actor: Actor, { id }: ParsedInputFor<typeof endSession>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const session = (await queries.findOnline(trx, id)) ?? refuse('sessionNotFound')
        try {
          await lockManaged(trx, actor, session.userId)
        } catch (error) {
          // Outside the caller's organizations a session is answered like one that does not exist.
          if (error instanceof Refusal && error.refusal === 'userNotFound') refuse('sessionNotFound')
          throw error
        }
        if (session.tokenHash.equals(actor.tokenHash)) refuse('ownSessionKept')
        if (!(await queries.endOne(trx, session.tokenHash))) refuse('sessionNotFound')
        await recordOperation(trx, actor, {
          target: `用户 ${session.loginName}`,
          changes: { before: { address: session.address } },
        })
      })
    },
  }
}
