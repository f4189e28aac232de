import { queryOf } from '../lib/wire/outgoing.ts'

/** Where to go after signing in: a path of this site, nothing else. */
export function safeRedirect(asked: string | null | undefined): string {
  if (!asked?.startsWith('/')) return '/'
  try {
    const { origin, pathname, search, hash } = new URL(asked, location.origin)
    return origin === location.origin && pathname !== '/login' ? pathname + search + hash : '/'
  } catch {
    return '/'
  }
}

/** The sign-in page's address, with the path to continue to. */
export function loginAddress(path: string): string {
  return `/login?${queryOf({ redirect: path })}`
}
