import { listRoleNames, listRoles } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Roles } from './roles.service.ts'

export function mountRoles(api: Api, roles: Roles): void {
  api.mount(listRoles, () => roles.listRoles())
  // The reply's schema leaves the code out.
  api.mount(listRoleNames, () => roles.listRoles())
}
