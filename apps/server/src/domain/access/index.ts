import { feature } from '../../platform/feature.ts'

/**
 * What a user may see, manage and give away: conditions and look-ups that the queries of features are made of.
 * It has no tables, calls or state of its own; these are the tables that its conditions name.
 */
export const access = feature({
  name: 'access',
  inputs: [
    'app_user',
    'device_listing',
    'equip_model',
    'equip_type',
    'menu',
    'operator',
    'organization',
    'region',
    'role',
    'role_menu',
    'user_authority',
    'user_role',
  ],
  create: () => ({ service: null }),
})
