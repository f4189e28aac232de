import { listOperators, listOrganizations } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Organizations } from './organizations.service.ts'

export function mountOrganizations(api: Api, organizations: Organizations): void {
  api.mount(listOrganizations, ({ actor }) => organizations.listOrganizations(actor))
  api.mount(listOperators, ({ actor, input }) => organizations.listOperators(actor, input))
}
