import { feature } from '../../platform/feature.ts'
import { mountOperators } from './operators.routes.ts'
import { operatorSeeds } from './operators.seeds.ts'
import { createOperators } from './operators.service.ts'

export const operators = feature({
  name: 'operators',
  tables: ['operator'],
  constraints: { operator_code_taken: 'operatorCodeTaken' },
  seeds: operatorSeeds,
  create({ db }) {
    const service = createOperators({ db })
    return { service, mount: (api) => mountOperators(api, service) }
  },
})
