import { feature } from '../../platform/feature.ts'
import { mountPermissions } from './permissions.routes.ts'
import { permissionSeeds } from './permissions.seeds.ts'
import { createPermissions } from './permissions.service.ts'

export type { Permissions } from './permissions.service.ts'

/** Data permissions: the entries that narrow which devices a user sees. */
export const permissions = feature({
  name: 'permissions',
  tables: ['user_authority'],
  seeds: permissionSeeds,
  create({ db }) {
    const service = createPermissions({ db })
    return { service, mount: (api) => mountPermissions(api, service) }
  },
})
