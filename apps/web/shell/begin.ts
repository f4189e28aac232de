// The first script of index.html: theme, frame, and the requests that need not wait for the bundle.
import type { EarlyAnswer } from '../src/lib/wire/early.ts'
import type { fittingSize, PageSize } from '../src/ui/list/fittingSize.ts'

/** The build's data for the page's own script. */
export interface Plan {
  /**
   * Paths of pages that look the same to everybody: they have no frame of the console, and nothing is fetched for one.
   */
  publicPaths: readonly string[]
  /** Scripts and styles, named below by their place in this list. */
  files: readonly string[]
  /** The files that a page needs, by its usual path, … */
  byPath: Readonly<Record<string, readonly number[]>>
  /** … and those that every page of the console needs: a page that a menu put elsewhere is fetched with these alone. */
  others: readonly number[]
  /** Lists that are open as soon as their page is, by the usual path of the page. */
  lists: Readonly<Record<string, FirstList>>
  /** How a list finds the number of rows that fill the window. */
  fitting: { sizes: readonly PageSize[]; rowPx: number; compactRowPx: number; narrowQuery: string }
}

/** The call of a list without filters. */
export interface FirstList {
  /** The function code that it takes. */
  access: string
  /** The key of its reader's page size. */
  path: string
  /** With a page size, which is replaced by the reader's. */
  address: string
}

/** The fields of the user's answer that are read here. */
interface User {
  functionCodes: string[]
  mustChangePassword: boolean
  preferences: Record<string, unknown>
}

/**
 * The script inside index.html, before anything else. It sets the chosen theme, so that a dark room is not lit up. For
 * a signed-in user it also draws the frame of the console and requests the files of the page and the user at once, and
 * the first rows when the user is known. The build puts its text into the page, with that of `fitting`: it can use
 * nothing else from outside.
 */
export function begin(
  { publicPaths, files, byPath, others, lists, fitting }: Plan,
  fittingFor: typeof fittingSize,
): void {
  const page = document.documentElement
  try {
    const choice = localStorage.getItem('voltkeep-theme')
    if (choice === 'light' || choice === 'dark') page.dataset.theme = choice
  } catch {
    // A browser without storage has the system's theme.
  }
  const cookie = (name: string) =>
    document.cookie
      .split('; ')
      .find((pair) => pair.startsWith(`${name}=`))
      ?.slice(name.length + 1)
  const kept = cookie('voltkeep_token')
  const path = location.pathname.replace(/\/+$/, '')
  if (!kept || publicPaths.includes(path)) return
  page.dataset.shell = cookie('voltkeep_sidebar') === 'closed' ? 'rail' : 'open'
  const token = decodeURIComponent(kept)
  const early: EarlyAnswer[] = []
  Object.assign(window, { early })
  const ask = (address: string) => {
    const response = fetch(`/api${address}`, {
      headers: { 'X-Requested-With': 'XMLHttpRequest', Authorization: `Bearer ${token}` },
    })
    const asked: EarlyAnswer = {
      method: 'GET',
      address,
      body: undefined,
      token,
      askedAtMs: performance.now(),
      response,
    }
    early.push(asked)
    const read = async () => {
      asked.envelope = await (await response).clone().json()
      asked.answeredAtMs = Date.now()
      return asked.envelope
    }
    return read()
  }
  // Before the files: a browser has six connections to a host, and the rows wait for this answer.
  const user = ask('/user/info')
  for (const at of byPath[path || '/dashboard'] ?? others) {
    const link = document.createElement('link')
    const href = files[at] ?? ''
    if (href.endsWith('.css')) {
      link.rel = 'preload'
      link.as = 'style'
    } else link.rel = 'modulepreload'
    // With the same mode as the scripts' own requests.
    link.crossOrigin = ''
    link.href = href
    document.head.append(link)
  }
  // The page itself reads an address with filters.
  const list = location.search === '' ? lists[path] : undefined
  const askForRows = async () => {
    const known = (await user)?.data as User | null
    if (!list || !known || known.mustChangePassword || !known.functionCodes.includes(list.access)) return
    const { preferences } = known
    const size =
      preferences[`pageSize:${list.path}`] ??
      fittingFor(window.innerHeight, {
        rowPx: preferences.density === 'compact' ? fitting.compactRowPx : fitting.rowPx,
        hasCards: window.matchMedia(fitting.narrowQuery).matches,
        sizes: fitting.sizes,
      })
    await ask(list.address.replace(/pageSize=\d+/, `pageSize=${size}`))
  }
  // A call that fails here fails again in the page, which reports it.
  askForRows().catch(() => undefined)
}
