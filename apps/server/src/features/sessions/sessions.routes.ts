import {
  changePassword,
  endSession,
  listSessions,
  login,
  logout,
  readCurrentUser,
  readJurisdiction,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Sessions } from './sessions.service.ts'

export function mountSessions(api: Api, sessions: Sessions): void {
  api.mount(login, ({ input, client }) => sessions.login(input, client))
  api.mount(logout, ({ actor }) => sessions.logout(actor))
  api.mount(readCurrentUser, ({ actor }) => sessions.readCurrentUser(actor))
  api.mount(readJurisdiction, ({ actor }) => sessions.readJurisdiction(actor))
  api.mount(changePassword, ({ actor, input }) => sessions.changePassword(actor, input))
  api.mount(listSessions, ({ actor, input }) => sessions.listSessions(actor, input))
  api.mount(endSession, ({ actor, input }) => sessions.endSession(actor, input))
}
