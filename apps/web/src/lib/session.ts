import type { CurrentUser } from '@voltkeep/contract/session'
import { readCookie, writeCookie } from './browser/cookie.ts'
import { createStore, useStore } from './store.ts'

const tokenCookie = 'voltkeep_token'
/** The server's sessions slide by as much; the cookie follows so that a dead token is not kept. */
const sessionSlideS = 8 * 60 * 60
const renewAfterMs = 60_000
let renewedAt = 0

export function readToken(): string | undefined {
  return readCookie(tokenCookie) || undefined
}

export function keepToken(token: string): void {
  renewedAt = Date.now()
  writeCookie(tokenCookie, token, sessionSlideS)
}

/** Called after each answered call: the session slid on the server, so it slides here. */
export function renewToken(): void {
  if (Date.now() - renewedAt < renewAfterMs) return
  const token = readToken()
  if (token) keepToken(token)
}

export function dropToken(): void {
  writeCookie(tokenCookie, '', 0)
}

export const currentUser = createStore<CurrentUser | undefined>(undefined)

/** Counts actions of a page that may have changed its own reader's access: the app then reads the access again. */
export const accessChanges = createStore(0)

export function tellAccessChanged(): void {
  accessChanges.set(accessChanges.get() + 1)
}

/** The signed-in user. Only for components inside the layout, where the guard has read it. */
export function useCurrentUser(): CurrentUser {
  const user = useStore(currentUser)
  if (!user) throw new Error('useCurrentUser outside the signed-in layout')
  return user
}

/** Whether the signed-in user is SYSTEM, who may do everything and sees every device. */
export function useIsSystem(): boolean {
  return useCurrentUser().resultVOS.some(({ code }) => code === 'SYSTEM')
}
