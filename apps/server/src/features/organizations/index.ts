import { feature } from '../../platform/feature.ts'
import { mountOrganizations } from './organizations.routes.ts'
import { organizationSeeds } from './organizations.seeds.ts'
import { createOrganizations } from './organizations.service.ts'

export { assertSeesWhole } from './operator-handover.ts'

export const organizations = feature({
  name: 'organizations',
  tables: ['organization'],
  constraints: { organization_code_taken: 'organizationCodeTaken' },
  seeds: organizationSeeds,
  create({ db }) {
    const service = createOrganizations({ db })
    return { service, mount: (api) => mountOrganizations(api, service) }
  },
})
