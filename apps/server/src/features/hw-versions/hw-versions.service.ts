import type { insertHwVersion, listHwVersions, ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import * as queries from './hw-versions.queries.ts'

export type HwVersions = ReturnType<typeof createHwVersions>

/** Hardware versions. They belong to models, which every user may see; no data scope narrows them. */
export function createHwVersions({ db }: { db: Db }) {
  return {
    async listHwVersions(input: ParsedInputFor<typeof listHwVersions>) {
      const { equipType, equipTypeId = equipType, equipModelId, partType, versionName } = input
      const filter = {
        equipTypeId: equipTypeId === undefined ? undefined : idNumber(equipTypeId),
        modelId: equipModelId === undefined ? undefined : idNumber(equipModelId),
        partType,
        versionName,
      }
      const [rows, total] = await Promise.all([
        queries.listHwVersions(db, filter, pageOf(input)),
        queries.countHwVersions(db, filter),
      ])
      return { rows, total }
    },

    /**
     * Refuses (400) a type that does not exist, a model that is not of the type, and a part that the model does not
     * have; 409 `hwVersionTaken`.
     */
    async insertHwVersion(actor: Actor, input: ParsedInputFor<typeof insertHwVersion>) {
      const { equipType, equipModelId, partType, versionName, versionCode, versionNote = null } = input
      const id = await db.transaction().execute(async (trx) => {
        const place = await queries.findPlace(trx, idNumber(equipType), idNumber(equipModelId), partType)
        if (!place) return refuseInput({ field: 'equipType', message: '设备类型不存在' })
        if (place.modelName === null) {
          return refuseInput({ field: 'equipModelId', message: '设备型号不存在，或不属于该设备类型' })
        }
        if (!place.hasPart) return refuseInput({ field: 'partType', message: '该型号没有此部件' })
        const newId = await queries.insertHwVersion(trx, {
          modelId: idNumber(equipModelId),
          partType,
          name: versionName,
          code: versionCode,
          note: versionNote,
        })
        await recordOperation(trx, actor, {
          target: targetOf({ equipModelName: place.modelName, versionCode }),
          changes: {
            after: { equipModel: place.modelName, partType, versionName, versionCode, versionNote },
          },
        })
        return newId
      })
      return { id }
    },

    /** Refuses `hwVersionNotFound`. */
    async deleteHwVersion(actor: Actor, { id }: { id: string }): Promise<void> {
      const subject: Subject<queries.HwVersionEntry> = {
        lock: (trx) => queries.lockHwVersion(trx, idNumber(id)),
        notFound: 'hwVersionNotFound',
        target: targetOf,
      }
      await changing(db, actor, subject, async (trx, { id: hwVersionId, version: _, ...before }) => {
        await queries.deleteHwVersion(trx, hwVersionId)
        return { before }
      })
    },
  }
}

const targetOf = ({ equipModelName, versionCode }: { equipModelName: string; versionCode: string }) =>
  `硬件版本 ${equipModelName} ${versionCode}`
