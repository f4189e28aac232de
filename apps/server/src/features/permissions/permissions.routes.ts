import {
  deletePermissions,
  explainPermissions,
  previewPermissions,
  readPermissions,
  updatePermissions,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Permissions } from './permissions.service.ts'

export function mountPermissions(api: Api, permissions: Permissions): void {
  api.mount(readPermissions, ({ actor, input }) => permissions.readPermissions(actor, input))
  api.mount(updatePermissions, ({ actor, input }) => permissions.updatePermissions(actor, input))
  api.mount(deletePermissions, ({ actor, input }) => permissions.deletePermissions(actor, input))
  api.mount(previewPermissions, ({ actor, input }) => permissions.previewPermissions(actor, input))
  api.mount(explainPermissions, ({ actor, input }) => permissions.explainPermissions(actor, input))
}
