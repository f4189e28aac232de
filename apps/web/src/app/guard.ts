import { redirect } from '@tanstack/react-router'
import { type CurrentUser, readCurrentUser } from '@voltkeep/contract/session'
import { setServerTime } from '../lib/clock.ts'
import { isLeaving } from '../lib/leaving.ts'
import { notify } from '../lib/notices.ts'
import { currentUser, dropToken, readToken } from '../lib/session.ts'
import { texts } from '../lib/texts/index.ts'
import { CallError, call } from '../lib/wire/call.ts'
import { admitUser } from './menus.ts'

const readAgainMs = 1_000

/** Returns the signed-in user, read once. Redirects to the sign-in page without a token or when reading fails. */
export async function admit(path: string): Promise<CurrentUser> {
  if (!readToken()) {
    if (isLeaving()) return stayPut()
    throw toLogin(path)
  }
  const known = currentUser.get()
  if (known) return known
  try {
    const user = await readUser()
    // An answer without a name is no user: reported as a failed verification, without further detail.
    if (!user?.userName) throw new CallError(0, '')
    admitUser(user)
    return user
  } catch (error) {
    if (isLeaving()) return stayPut()
    dropToken()
    if (error instanceof CallError) notify.error(texts.errors.verification, error.message || undefined)
    else notify.error(error instanceof Error && error.message ? error.message : texts.errors.guard)
    throw toLogin(path)
  }
}

/** Retries while the server is starting up or out of reach for a moment: a signed-in user need not sign in again. */
async function readUser(): Promise<CurrentUser> {
  const read = () => call(readCurrentUser, {}, { ownsSessionEnd: true })
  try {
    return await read()
  } catch (error) {
    const isMomentary =
      error instanceof CallError && (error.code === 0 || (error.code >= 500 && error.code < 600))
    if (!isMomentary) throw error
    await new Promise((resolve) => setTimeout(resolve, readAgainMs))
    return read()
  }
}

let reading: AbortController | undefined

/**
 * Reads the user and their access again: an administrator may have changed it. Stores it and returns true where it
 * differs. A failed try is silent: the next call fails by itself.
 */
export async function readmit(): Promise<boolean> {
  const known = currentUser.get()
  if (!known) return false
  // Only the last reading counts: an earlier one may have read the former access.
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

/** Everything except the clock and the user's preferences. */
const accessOf = ({ serverTime: _, preferences: _own, ...user }: CurrentUser) => JSON.stringify(user)

/** Never resolves: the page is about to be left. */
const stayPut = () => new Promise<never>(() => undefined)

function toLogin(path: string) {
  return redirect({ to: '/login', search: { redirect: path } })
}
