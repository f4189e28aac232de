import type { insertEquipType, ParsedInputFor, updateEquipType } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import type { Dictionary } from '../dictionary/index.ts'
import * as queries from './equip-types.queries.ts'
import * as models from './models.queries.ts'
import { createModels } from './models.service.ts'
import { holdPartTypes } from './part-types.queries.ts'
import { createPartTypes } from './part-types.service.ts'

export interface EquipTypesNeeds {
  db: Db
  dictionary: Pick<Dictionary, 'holdCodes'>
}

export type EquipTypes = ReturnType<typeof createEquipTypes>

/** What kinds of devices there are: types, their models, and the parts they are made of. */
export function createEquipTypes({ db, dictionary }: EquipTypesNeeds) {
  const requireClassify = async (trx: Trx, classify: string) => {
    const known = await dictionary.holdCodes(trx, 'EQUIP_CLASSIFY', [classify])
    if (!known.has(classify)) refuseInput({ field: 'classify', message: '设备类别不存在' })
  }

  return {
    ...createModels({ db }),
    ...createPartTypes({ db }),

    async listEquipTypes() {
      const [types, ofTypes, parts] = await Promise.all([
        queries.listEquipTypes(db),
        models.listModels(db, null),
        queries.listPartsOfTypes(db),
      ])
      return types.map((type) => ({
        ...type,
        equipModels: ofTypes.filter(({ equipTypeId }) => equipTypeId === type.id),
        partTypes: parts.filter(({ equipTypeId }) => equipTypeId === type.id),
      }))
    },

    async insertEquipType(actor: Actor, input: ParsedInputFor<typeof insertEquipType>) {
      const { partTypes, ...values } = { ...input, partTypes: [...new Set(input.partTypes)] }
      const id = await db.transaction().execute(async (trx) => {
        await requireClassify(trx, values.classify)
        await requirePartTypes(trx, partTypes)
        const newId = await queries.insertEquipType(trx, values)
        await queries.insertTypeParts(trx, newId, partTypes)
        await recordOperation(trx, actor, {
          target: targetOf(values),
          changes: { after: { ...values, partTypes } },
        })
        return newId
      })
      return { id }
    },

    /** Its models follow with what they have by default: a part that comes comes to them, one that goes goes. */
    async updateEquipType(actor: Actor, input: ParsedInputFor<typeof updateEquipType>): Promise<void> {
      const { id, version, partTypes: given, ...values } = input
      await db.transaction().execute(async (trx) => {
        const before = (await queries.lockEquipType(trx, idNumber(id))) ?? refuse('equipTypeMissing')
        if (version !== undefined && version !== before.version) refuse('conflict')
        if (values.classify !== before.classify) await requireClassify(trx, values.classify)
        const partTypes = given ? [...new Set(given)] : before.partTypes
        const come = partTypes.filter((code) => !before.partTypes.includes(code))
        const gone = before.partTypes.filter((code) => !partTypes.includes(code))
        await requirePartTypes(trx, come)
        await queries.updateEquipType(trx, before.id, values)
        await queries.deleteTypeParts(trx, before.id, gone)
        await queries.insertTypeParts(trx, before.id, come)
        await models.dropDefaultParts(trx, { equipTypeId: before.id, partTypes: gone })
        await models.addDefaultParts(trx, { equipTypeId: before.id, partTypes: come })
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: shownOf(before), after: { ...values, partTypes } },
        })
      })
    },

    async deleteEquipType(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before =
          (await queries.lockEquipType(trx, idNumber(id), { isToDelete: true })) ?? refuse('equipTypeMissing')
        if (await queries.hasModels(trx, before.id)) refuse('equipTypeHasModels')
        // Taking the entry away instead would let its user see more than he was meant to.
        if (await queries.isInPermissions(trx, before.id)) refuse('equipTypeInPermissions')
        await queries.deleteEquipType(trx, before.id)
        await recordOperation(trx, actor, { target: targetOf(before), changes: { before: shownOf(before) } })
      })
    },
  }
}

async function requirePartTypes(trx: Trx, codes: readonly string[]): Promise<void> {
  const known = await holdPartTypes(trx, codes)
  const missing = codes.find((code) => !known.has(code))
  if (missing) refuseInput({ field: 'partTypes', message: `部件类型${missing}不存在` })
}

const targetOf = ({ name }: { name: string }) => `设备类型 ${name}`

const shownOf = ({ name, code, classify, partTypes }: queries.EquipTypeRow) => ({
  name,
  code,
  classify,
  partTypes,
})
