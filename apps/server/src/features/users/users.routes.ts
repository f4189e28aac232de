import {
  deleteUser,
  deleteUserByUpdate,
  grantSystem,
  insertUser,
  listPhoneUsers,
  listUsers,
  resetUserPassword,
  revokeSystem,
  saveLanguage,
  updateUser,
  updateUserOfBody,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Users } from './users.service.ts'

export function mountUsers(api: Api, users: Users): void {
  api.mount(listUsers, ({ actor, input }) => users.listUsers(actor, input))
  api.mount(listPhoneUsers, ({ actor }) => users.listPhoneUsers(actor))
  api.mount(insertUser, ({ actor, input }) => users.insertUser(actor, input))
  api.mount(updateUser, ({ actor, input }) => users.updateUser(actor, input))
  api.mount(updateUserOfBody, ({ actor, input }) => users.updateUser(actor, input))
  api.mount(deleteUser, ({ actor, input }) => users.deleteUser(actor, input))
  api.mount(deleteUserByUpdate, ({ actor, input }) => users.deleteUser(actor, input))
  api.mount(grantSystem, ({ actor, input }) => users.grantSystem(actor, input))
  api.mount(revokeSystem, ({ actor, input }) => users.revokeSystem(actor, input))
  api.mount(saveLanguage, ({ actor, input }) => users.saveLanguage(actor, input))
  api.mount(resetUserPassword, ({ actor, input }) => users.resetUserPassword(actor, input))
}
