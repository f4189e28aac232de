import type { insertPartType, listPartTypes, ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse } from '../../platform/refusal.ts'
import * as queries from './part-types.queries.ts'

type PartType = ParsedInputFor<typeof insertPartType>

/** The kinds of parts that types and models are made of; devices report their versions by these codes. */
export function createPartTypes({ db }: { db: Db }) {
  return {
    listPartTypes: ({ equipTypeId }: ParsedInputFor<typeof listPartTypes>) =>
      queries.listPartTypes(db, equipTypeId === undefined ? null : idNumber(equipTypeId)),

    async insertPartType(actor: Actor, partType: PartType): Promise<void> {
      await db.transaction().execute(async (trx) => {
        if (!(await queries.insertPartType(trx, partType))) refuse('partTypeTaken')
        await recordOperation(trx, actor, { target: targetOf(partType), changes: { after: { ...partType } } })
      })
    },

    async updatePartType(actor: Actor, partType: PartType): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before = (await queries.lockPartType(trx, partType.code)) ?? refuse('partTypeNotFound')
        await queries.updatePartType(trx, partType)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: { name: before.name }, after: { name: partType.name } },
        })
      })
    },

    async deletePartType(actor: Actor, { code }: { code: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before = (await queries.lockPartType(trx, code)) ?? refuse('partTypeNotFound')
        if (await queries.isPartTypeUsed(trx, code)) refuse('partTypeInUse')
        await queries.deletePartType(trx, code)
        await recordOperation(trx, actor, { target: targetOf(before), changes: { before } })
      })
    },
  }
}

const targetOf = ({ code }: { code: string }) => `部件类型 ${code}`
