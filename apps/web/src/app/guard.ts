import { redirect } from '@tanstack/react-router'
import { type CurrentUser, readCurrentUser } from '@voltkeep/contract/session'
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

function detailOf(error: CallError): string | undefined {
  return error.message === texts.errors.verification ? undefined : error.message
}

function toLogin(path: string) {
  return redirect({ to: '/login', search: { redirect: path } })
}
