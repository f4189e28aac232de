import { feature } from '../../platform/feature.ts'
import { readBranches } from './organization-tree.ts'

/**
 * What a user may see, manage and give away: conditions and look-ups that the queries of features are made of.
 * It has no calls of its own, and of tables the former reach of users; the inputs are those that its conditions name.
 */
export const access = feature({
  name: 'access',
  tables: ['former_user_reach', 'narrowed_reach'],
  inputs: [
    'api_key',
    'app_user',
    'device_listing',
    'equip_model',
    'equip_type',
    'menu',
    'operation_log',
    'operator',
    'organization',
    'region',
    'role',
    'role_menu',
    'user_authority',
    'user_role',
    'user_set_by',
  ],
  create: ({ db }) => ({
    service: { branchOf: async (organizationId: number) => (await readBranches(db))(organizationId) },
  }),
})
