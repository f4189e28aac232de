import type { EarlyAnswer } from '../src/lib/wire/early.ts'

/** What the page's own script is told by the build. */
export interface Plan {
  /** Paths that look the same to everybody: no frame of a console, nothing fetched for one. */
  publicPaths: readonly string[]
  /** Scripts and styles, named below by their place in this list. */
  files: readonly string[]
  /** What every page of the console needs. */
  always: readonly number[]
  /** What a page needs besides, by its usual path: a page that a menu put elsewhere is fetched without it. */
  byPath: Readonly<Record<string, readonly number[]>>
}

/**
 * The script inside of index.html, before anything else: the chosen theme, so that a dark room is not lit up, and for
 * who is signed in the frame of the console, the files of the page, and the user, all asked for at once. Its text is
 * put into the page by the build: it can use nothing from outside.
 */
export function begin({ publicPaths, files, always, byPath }: Plan): void {
  const page = document.documentElement
  try {
    const choice = localStorage.getItem('voltkeep-theme')
    if (choice === 'light' || choice === 'dark') page.dataset.theme = choice
  } catch {
    // A browser that keeps nothing has the system's theme.
  }
  const cookie = (name: string) =>
    document.cookie
      .split('; ')
      .find((pair) => pair.startsWith(`${name}=`))
      ?.slice(name.length + 1)
  const token = cookie('voltkeep_token')
  const path = location.pathname.replace(/\/+$/, '')
  if (!token || publicPaths.includes(path)) return
  page.dataset.shell = cookie('voltkeep_sidebar') === 'closed' ? 'rail' : 'open'
  for (const at of [...always, ...(byPath[path || '/dashboard'] ?? [])]) {
    const link = document.createElement('link')
    const href = files[at] ?? ''
    if (href.endsWith('.css')) {
      link.rel = 'preload'
      link.as = 'style'
    } else link.rel = 'modulepreload'
    // As the scripts themselves are asked for.
    link.crossOrigin = ''
    link.href = href
    document.head.append(link)
  }
  const address = '/user/info'
  const response = fetch(`/api${address}`, {
    headers: { 'X-Requested-With': 'XMLHttpRequest', Authorization: `Bearer ${decodeURIComponent(token)}` },
  })
  // Whoever takes it is told.
  response.catch(() => undefined)
  const early: EarlyAnswer = {
    method: 'GET',
    address,
    body: undefined,
    token: decodeURIComponent(token),
    askedAtMs: performance.now(),
    response,
  }
  Object.assign(window, { early: [early] })
}
