import {
  deleteRole,
  insertRole,
  listRoleNames,
  listRoles,
  readRole,
  searchRoles,
  updateRole,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Roles } from './roles.service.ts'

export function mountRoles(api: Api, roles: Roles): void {
  api.mount(listRoles, ({ actor }) => roles.listRoles(actor))
  // The reply's schema leaves the rest out.
  api.mount(listRoleNames, ({ actor }) => roles.listRoles(actor))
  api.mount(searchRoles, ({ actor, input }) => roles.searchRoles(actor, input))
  api.mount(readRole, ({ actor, input }) => roles.readRole(actor, input))
  api.mount(insertRole, ({ actor, input }) => roles.insertRole(actor, input))
  api.mount(updateRole, ({ actor, input }) => roles.updateRole(actor, input))
  api.mount(deleteRole, ({ actor, input }) => roles.deleteRole(actor, input))
}
