import { feature } from '../../platform/feature.ts'
import { regionsChanged } from './regions.notices.ts'
import { mountRegions } from './regions.routes.ts'
import { regionSeeds } from './regions.seeds.ts'
import { createRegions } from './regions.service.ts'

export const regions = feature({
  name: 'regions',
  tables: ['region'],
  constraints: { region_code_taken: 'regionCodeTaken' },
  notices: [regionsChanged],
  seeds: regionSeeds,
  create({ db, notices }) {
    const service = createRegions({ db, notices })
    return { service, mount: (api) => mountRegions(api, service) }
  },
})
