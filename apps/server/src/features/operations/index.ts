import { feature } from '../../platform/feature.ts'
import { mountOperations } from './operations.routes.ts'
import { operationSeeds } from './operations.seeds.ts'
import { createOperations } from './operations.service.ts'

export type { Operations } from './operations.service.ts'

/** The operation log: who did what, when and from where. */
export const operations = feature({
  name: 'operations',
  seeds: operationSeeds,
  create({ db, log }) {
    const service = createOperations({ db, log })
    return { service, mount: (api) => mountOperations(api, service) }
  },
})
