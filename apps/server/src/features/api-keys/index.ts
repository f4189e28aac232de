import { feature } from '../../platform/feature.ts'
import { permissions } from '../permissions/index.ts'
import { mountApiKeys } from './api-keys.routes.ts'
import { apiKeySeeds } from './api-keys.seeds.ts'
import { createApiKeys } from './api-keys.service.ts'

export type { ApiKeys } from './api-keys.service.ts'
export { isApiKey } from './secrets.ts'

/** Keys with which other systems call the API. */
export const apiKeys = feature({
  name: 'api-keys',
  tables: ['api_key', 'api_key_secret'],
  seeds: apiKeySeeds,
  create({ db, log, use }) {
    const service = createApiKeys({ db, log, permissions: use(permissions) })
    return { service, mount: (api) => mountApiKeys(api, service) }
  },
})
