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
import { knownForSeconds } from './browsers.service.ts'
import type { Sessions } from './sessions.service.ts'

/** By which a browser that has signed in before is known. */
const browserCookie = 'voltkeep_browser'
const keptFor = { path: '/api/user', maxAgeSeconds: knownForSeconds }

export function mountSessions(api: Api, sessions: Sessions): void {
  api.mount(login, async ({ input, client, cookies, signal, leaveTurn }) => {
    // Attempts wait in a room of their own, by name and by address.
    leaveTurn()
    const { token, browser, language } = await sessions.login(
      input,
      client,
      cookies.read(browserCookie),
      signal,
    )
    cookies.keep(browserCookie, browser, keptFor)
    cookies.keepLanguage(language)
    return { token }
  })
  api.mount(logout, ({ actor }) => sessions.logout(actor))
  api.mount(readCurrentUser, ({ actor }) => sessions.readCurrentUser(actor))
  api.mount(readJurisdiction, ({ actor }) => sessions.readJurisdiction(actor))
  api.mount(changePassword, async ({ actor, input, cookies }) => {
    const { browser } = await sessions.changePassword(actor, input)
    cookies.keep(browserCookie, browser, keptFor)
  })
  api.mount(listSessions, ({ actor, input }) => sessions.listSessions(actor, input))
  api.mount(endSession, ({ actor, input }) => sessions.endSession(actor, input))
}
