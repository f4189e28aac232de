import type { endSession, listSessions, ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { holdsAllOf, readHoldings } from '../../platform/access/holdings.ts'
import { lockManaged } from '../../platform/access/managing.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import * as queries from './online.queries.ts'

/** Who is signed in, as administrators see it. */
export function createOnlineSessions(db: Db) {
  return {
    async listSessions(actor: Actor, input: ParsedInputFor<typeof listSessions>) {
      const { pageNum, pageSize, organizationId, ...filter } = input
      const matching = queries.onlineMatching(actor, {
        ...filter,
        organizationId: organizationId === undefined ? undefined : idNumber(organizationId),
      })
      const page = { limit: pageSize, offset: (pageNum - 1) * pageSize }
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

    /** Its token answers 50012 from now on. */
    async endSession(actor: Actor, { id }: ParsedInputFor<typeof endSession>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const session = (await queries.findOnline(trx, id)) ?? refuse('sessionNotFound')
        try {
          await lockManaged(trx, actor, session.userId)
        } catch (error) {
          // That somebody else's session exists is not the caller's to know either.
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
