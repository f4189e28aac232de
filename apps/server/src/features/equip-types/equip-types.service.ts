// Equipment types as everybody reads them and administrators change them.
import type { insertEquipType, ParsedInputFor, updateEquipType } from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import type { Dictionary } from '../dictionary/index.ts'
import * as queries from './equip-types.queries.ts'
import * as models from './models.queries.ts'
import { createModels, keepingFirstParts } from './models.service.ts'
import { lockPartTypesShared } from './part-types.queries.ts'
import { createPartTypes } from './part-types.service.ts'

export interface EquipTypesNeeds {
  db: Db
  dictionary: Pick<Dictionary, 'lockCodesShared'>
}

export type EquipTypes = ReturnType<typeof createEquipTypes>

/** The kinds of devices: types, their models, and the parts of each. */
export function createEquipTypes({ db, dictionary }: EquipTypesNeeds) {
  const requireClassify = async (trx: Trx, classify: string) => {
    const known = await dictionary.lockCodesShared(trx, 'EQUIP_CLASSIFY', [classify])
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

    /** Refuses 409 `equipTypeCodeTaken`, and 400 for an unknown equipment class or part type. */
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

    /**
     * Models follow with the parts that they have by default: they get the added ones and lose the removed ones.
     * Refuses `equipTypeMissing`, `conflict`, what `insertEquipType` and `keepingFirstParts` do, and 409
     * `equipTypeHasDevices` for another class.
     */
    async updateEquipType(actor: Actor, input: ParsedInputFor<typeof updateEquipType>): Promise<void> {
      const { id, version, partTypes: given, ...values } = input
      const subject = { ...subjectOf((trx) => queries.lockEquipType(trx, idNumber(id))), version }
      await changing(db, actor, subject, async (trx, before) => {
        if (values.classify !== before.classify) {
          await requireClassify(trx, values.classify)
          // Advertisements would be withdrawn from its cabinets, or go to devices that are none, whoever made them.
          if (await models.typeHasDevices(trx, before.id)) refuse('equipTypeHasDevices')
        }
        const partTypes = given ? [...new Set(given)] : before.partTypes
        const added = partTypes.filter((code) => !before.partTypes.includes(code))
        const removed = before.partTypes.filter((code) => !partTypes.includes(code))
        await requirePartTypes(trx, added)
        await queries.updateEquipType(trx, before.id, values)
        await queries.deleteTypeParts(trx, before.id, removed)
        await queries.insertTypeParts(trx, before.id, added)
        await keepingFirstParts(trx, actor, await models.listModelIds(trx, before.id), async () => {
          await models.dropDefaultParts(trx, { equipTypeId: before.id, partTypes: removed })
          await models.addDefaultParts(trx, { equipTypeId: before.id, partTypes: added })
        })
        return { before: shownOf(before), after: { ...values, partTypes } }
      })
    },

    /** Refuses `equipTypeMissing`, and 409 where models or data permissions refer to the type. */
    async deleteEquipType(actor: Actor, { id }: { id: string }): Promise<void> {
      const subject = subjectOf((trx) => queries.lockEquipType(trx, idNumber(id), { isToDelete: true }))
      await changing(db, actor, subject, async (trx, before) => {
        if (await queries.hasModels(trx, before.id)) refuse('equipTypeHasModels')
        // Deleting the user's entry along with the type would let the user see more devices.
        if (await queries.isInPermissions(trx, before.id)) refuse('equipTypeInPermissions')
        await queries.deleteEquipType(trx, before.id)
        return { before: shownOf(before) }
      })
    },
  }
}

const subjectOf = (lock: Subject<queries.EquipTypeRow>['lock']): Subject<queries.EquipTypeRow> => ({
  lock,
  notFound: 'equipTypeMissing',
  target: targetOf,
})

/** Refuses (400) a code that no part type has; locks the part types against deletion. */
async function requirePartTypes(trx: Trx, codes: readonly string[]): Promise<void> {
  const known = await lockPartTypesShared(trx, codes)
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
