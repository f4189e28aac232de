import type { insertLogLevel, ParsedInputFor, updateLogLevel } from '@voltkeep/contract'
import { reachesEverything } from '../../../domain/access/holdings.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../../platform/database/operation-log.ts'
import type { Dictionary } from '../../dictionary/index.ts'
import * as queries from './log-levels.queries.ts'

export type LogLevels = ReturnType<typeof createLogLevels>

/**
 * The logs that families of devices keep. Their codes go to devices of all organizations, in everybody's extractions, so
 * whoever changes them reaches all devices: each change refuses `logLevelReachesBeyond` otherwise.
 */
export function createLogLevels({
  db,
  dictionary,
  limitBytes,
}: {
  db: Db
  dictionary: Pick<Dictionary, 'lockCodesShared'>
  limitBytes: number
}) {
  return {
    async listLogLevels({ equipClassify }: { equipClassify?: string | undefined }) {
      const levels = await queries.listLevels(db, equipClassify)
      return levels.map((level) => ({ ...level, limitBytes }))
    },

    /** Refuses 409 `logLevelTaken`, and 400 for a family that does not exist. */
    async insertLogLevel(actor: Actor, form: ParsedInputFor<typeof insertLogLevel>) {
      const id = await db.transaction().execute(async (trx) => {
        await requireReach(trx, actor)
        await requireClassify(trx, form)
        const newId = await queries.insertLevel(trx, form)
        await recordOperation(trx, actor, { target: targetOf(form), changes: { after: form } })
        return newId
      })
      return { id }
    },

    /** Refuses `logLevelNotFound`, `conflict`, and what `insertLogLevel` does. */
    async updateLogLevel(
      actor: Actor,
      { id, version, ...form }: ParsedInputFor<typeof updateLogLevel>,
    ): Promise<void> {
      await changing(db, actor, { ...subjectOf(id), version }, async (trx, before) => {
        await requireReach(trx, actor)
        await requireClassify(trx, form)
        await queries.updateLevel(trx, before.id, form)
        return differenceOf(before, form)
      })
    },

    /** Refuses `logLevelNotFound`. */
    async deleteLogLevel(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, subjectOf(id), async (trx, { id: levelId, version: _, ...before }) => {
        await requireReach(trx, actor)
        await queries.deleteLevel(trx, levelId)
        return { before }
      })
    },
  }

  async function requireReach(trx: Trx, { userId }: Actor): Promise<void> {
    if (!(await reachesEverything(trx, userId))) refuse('logLevelReachesBeyond')
  }

  async function requireClassify(trx: Trx, { equipClassify }: { equipClassify: string }): Promise<void> {
    const known = await dictionary.lockCodesShared(trx, 'EQUIP_CLASSIFY', [equipClassify])
    if (!known.has(equipClassify)) refuseInput({ field: 'equipClassify', message: '设备类别不存在' })
  }
}

const subjectOf = (id: string): Subject<queries.LogLevelRow> => ({
  lock: (trx) => queries.lockLevel(trx, idNumber(id)),
  notFound: 'logLevelNotFound',
  target: targetOf,
})

const targetOf = ({ equipClassify, code }: { equipClassify: string; code: string }) =>
  `日志级别 ${equipClassify} ${code}`
