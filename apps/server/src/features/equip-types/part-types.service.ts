import type { insertPartType, listPartTypes, ParsedInputFor, updatePartType } from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import * as queries from './part-types.queries.ts'

/** The kinds of parts that types and models are made of; devices report their versions by these codes. */
export function createPartTypes({ db }: { db: Db }) {
  return {
    listPartTypes: ({ equipTypeId }: ParsedInputFor<typeof listPartTypes>) =>
      queries.listPartTypes(db, equipTypeId === undefined ? null : idNumber(equipTypeId)),

    /** Refuses 409 `partTypeTaken`. */
    async insertPartType(actor: Actor, partType: ParsedInputFor<typeof insertPartType>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        if (!(await queries.insertPartType(trx, partType))) refuse('partTypeTaken')
        await recordOperation(trx, actor, { target: targetOf(partType), changes: { after: { ...partType } } })
      })
    },

    /** Refuses `partTypeNotFound` and `conflict`. */
    async updatePartType(actor: Actor, input: ParsedInputFor<typeof updatePartType>): Promise<void> {
      const { code, name, version } = input
      await changing(db, actor, { ...partTypeOf(code), version }, async (trx, before) => {
        await queries.updatePartType(trx, code, { name })
        return { before: { name: before.name }, after: { name } }
      })
    },

    /** Refuses `partTypeNotFound`, and 409 `partTypeInUse` where a type or a model has it. */
    async deletePartType(actor: Actor, { code }: { code: string }): Promise<void> {
      await changing(db, actor, partTypeOf(code), async (trx, { name }) => {
        if (await queries.isPartTypeUsed(trx, code)) refuse('partTypeInUse')
        await queries.deletePartType(trx, code)
        return { before: { code, name } }
      })
    },
  }
}

const partTypeOf = (code: string): Subject<queries.PartTypeRow> => ({
  lock: (trx) => queries.lockPartType(trx, code),
  notFound: 'partTypeNotFound',
  target: targetOf,
})

const targetOf = ({ code }: { code: string }) => `部件类型 ${code}`
