import type { listModels, listPartTypes, ParsedInputFor } from '@voltkeep/contract'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import * as queries from './equip-types.queries.ts'

export type EquipTypes = ReturnType<typeof createEquipTypes>

/** What kinds of devices there are: types, their models, and the parts they are made of. */
export function createEquipTypes({ db }: { db: Db }) {
  return {
    async listEquipTypes() {
      const [types, models, parts] = await Promise.all([
        queries.listEquipTypes(db),
        queries.listModels(db, null),
        queries.listPartsOfTypes(db),
      ])
      return types.map((type) => ({
        ...type,
        equipModels: models.filter(({ equipTypeId }) => equipTypeId === type.id),
        partTypes: parts.filter(({ equipTypeId }) => equipTypeId === type.id),
      }))
    },

    listModels: ({ equipTypeId }: ParsedInputFor<typeof listModels>) =>
      queries.listModels(db, equipTypeId === undefined ? null : idNumber(equipTypeId)),

    listPartTypes: ({ equipTypeId }: ParsedInputFor<typeof listPartTypes>) =>
      queries.listPartTypes(db, equipTypeId === undefined ? null : idNumber(equipTypeId)),
  }
}
