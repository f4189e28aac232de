import { feature } from '../../platform/feature.ts'
import { mountRoles } from './roles.routes.ts'
import { roleSeeds } from './roles.seeds.ts'
import { createRoles } from './roles.service.ts'

export type { Roles } from './roles.service.ts'

export const roles = feature({
  name: 'roles',
  tables: ['role', 'role_menu'],
  constraints: { role_code_taken: 'roleCodeTaken' },
  seeds: roleSeeds,
  create({ db }) {
    const service = createRoles({ db })
    return { service, mount: (api) => mountRoles(api, service) }
  },
})
