import { redirect } from '@tanstack/react-router'
import { type CurrentUser, readCurrentUser } from '@voltkeep/contract/session'
import { setServerTime } from '../lib/clock.ts'
import { notify } from '../lib/notices.ts'
import { currentUser, dropToken, readToken } from '../lib/session.ts'
import { texts } from '../lib/texts/index.ts'
import { CallError, call } from '../lib/wire/call.ts'
import { admitUser } from './menus.ts'

// A page that is being left fails its calls, too: that says nothing about the token.
let isLeaving = false
addEventListener('beforeunload', () => {
  isLeaving = true
})
addEventListener('pageshow', () => {
  isLeaving = false
})

/** Lets in who is signed in; reads who that is, once. Everyone else goes to the sign-in page. */
export async function admit(path: string): Promise<CurrentUser> {
  if (!readToken()) throw toLogin(path)
  const known = currentUser.get()
  if (known) return known
  try {
    const user = await call(readCurrentUser, {}, { ownsSessionEnd: true })
    if (!user?.userName) throw new CallError(0, texts.errors.verification)
    admitUser(user)
    return user
  } catch (error) {
    if (isLeaving) return new Promise(() => undefined)
    dropToken()
    if (error instanceof CallError) notify.error(texts.errors.verification, detailOf(error))
    else notify.error(error instanceof Error && error.message ? error.message : texts.errors.guard)
    throw toLogin(path)
  }
}

let reading: AbortController | undefined

/**
 * Reads again who the user is and what he may do: an administrator may have changed it. Takes it in and
 * answers true where it differs. A try that fails says nothing: whatever is called next fails by itself.
 */
export async function readmit(): Promise<boolean> {
  const known = currentUser.get()
  if (!known) return false
  // Only the last one counts: what an earlier one read may be what was changed since.
  reading?.abort()
  const own = new AbortController()
  reading = own
  try {
    const user = await call(readCurrentUser, {}, { signal: own.signal })
    if (reading !== own || !currentUser.get()) return false
    if (user.serverTime) setServerTime(user.serverTime)
    if (accessOf(user) === accessOf(currentUser.get() ?? known)) return false
    admitUser(user)
    return true
  } catch {
    return false
  }
}

/** Everything but the clock. */
const accessOf = ({ serverTime: _, ...user }: CurrentUser) => JSON.stringify(user)

function detailOf(error: CallError): string | undefined {
  return error.message === texts.errors.verification ? undefined : error.message
}

function toLogin(path: string) {
  return redirect({ to: '/login', search: { redirect: path } })
}
