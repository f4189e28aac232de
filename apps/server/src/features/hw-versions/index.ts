import { feature } from '../../platform/feature.ts'
import { mountHwVersions } from './hw-versions.routes.ts'
import { hwVersionSeeds } from './hw-versions.seeds.ts'
import { createHwVersions } from './hw-versions.service.ts'

/** Hardware versions of the parts of models. */
export const hwVersions = feature({
  name: 'hw-versions',
  tables: ['hw_version'],
  seeds: hwVersionSeeds,
  constraints: {
    hw_version_taken: 'hwVersionTaken',
    // A deletion that meets a hardware version made at the same moment is answered as if it had come after it.
    hw_version_equip_model_id_fkey: 'modelHasHwVersions',
    hw_version_part_type_fkey: 'partTypeHasHwVersions',
  },
  create({ db }) {
    const service = createHwVersions({ db })
    return { service, mount: (api) => mountHwVersions(api, service) }
  },
})
