import {
  countOrganizations,
  deleteOrganization,
  insertOrganization,
  listOrganizations,
  updateOrganization,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Organizations } from './organizations.service.ts'

export function mountOrganizations(api: Api, organizations: Organizations): void {
  api.mount(listOrganizations, ({ actor }) => organizations.listOrganizations(actor))
  api.mount(countOrganizations, ({ actor }) => organizations.countOrganizations(actor))
  api.mount(insertOrganization, ({ actor, input }) => organizations.insertOrganization(actor, input))
  api.mount(updateOrganization, ({ actor, input }) => organizations.updateOrganization(actor, input))
  api.mount(deleteOrganization, ({ actor, input }) => organizations.deleteOrganization(actor, input))
}
