import { feature } from '../../platform/feature.ts'
import { dictionary } from '../dictionary/index.ts'
import { mountEquipTypes } from './equip-types.routes.ts'
import { equipTypeSeeds } from './equip-types.seeds.ts'
import { createEquipTypes } from './equip-types.service.ts'

export { firstPartOf } from './models.queries.ts'

/** Equipment types, their models, and the parts that both are made of. */
export const equipTypes = feature({
  name: 'equip-types',
  tables: ['equip_model', 'equip_model_part', 'equip_type', 'equip_type_part', 'part_type'],
  constraints: {
    equip_type_code_taken: 'equipTypeCodeTaken',
    equip_model_code_taken: 'modelCodeTaken',
    equip_model_part_taken: 'modelPartTaken',
    // A reference made while its target was being deleted: answered as if it had been made before.
    equip_model_equip_type_id_fkey: 'equipTypeHasModels',
  },
  seeds: equipTypeSeeds,
  create({ db, use }) {
    const service = createEquipTypes({ db, dictionary: use(dictionary) })
    return { service, mount: (api) => mountEquipTypes(api, service) }
  },
})
