import { logout } from '@voltkeep/contract/session'
import { dropToken } from '../lib/session.ts'
import { texts } from '../lib/texts/index.ts'
import { call } from '../lib/wire/call.ts'
import { ask } from '../ui/Asking.tsx'

/** Asks, ends the session on the server, and leaves nothing of it in memory: the page loads anew. */
export async function logOut(): Promise<void> {
  const goes = await ask({
    title: texts.session.logoutTitle,
    body: texts.session.logoutBody,
    go: texts.session.logout,
  })
  if (!goes) return
  try {
    await call(logout, {}, { ownsSessionEnd: true })
  } catch {
    // Signed out here in any case; the session on the server ends by itself.
  }
  dropToken()
  location.assign('/login')
}
