import { queryOf } from '../lib/wire/outgoing.ts'

/** Where to go after signing in: a path of this site, nothing else. */
export function safeRedirect(asked: string | null | undefined): string {
  if (!asked?.startsWith('/')) return '/'
  try {
    const { origin, pathname, search, hash } = new URL(asked, location.origin)
    // A path that begins with two slashes is read as another site's address elsewhere.
    const isOfThisSite = origin === location.origin && !pathname.startsWith('//')
    return isOfThisSite && pathname !== '/login' ? pathname + search + hash : '/'
  } catch {
    return '/'
  }
}

/** The sign-in page's address, with the path to continue to. */
export function loginAddress(path: string): string {
  return `/login?${queryOf({ redirect: path })}`
}
