import { logout } from '@voltkeep/contract/session'
import { dropToken } from '../lib/session.ts'
import { texts } from '../lib/texts/index.ts'
import { call } from '../lib/wire/call.ts'
import { askToConfirm } from '../ui/buttons/Confirmation.tsx'

/** Asks, ends the session on the server, and reloads the page, so that nothing of the session stays in memory. */
export async function logOut(): Promise<void> {
  const isConfirmed = await askToConfirm({
    title: texts.session.logoutTitle,
    body: texts.session.logoutBody,
    confirmLabel: texts.session.logout,
  })
  if (!isConfirmed) return
  try {
    await call(logout, {}, { ownsSessionEnd: true })
  } catch {
    // Signed out here in any case; on the server the session expires.
  }
  dropToken()
  location.assign('/login')
}
