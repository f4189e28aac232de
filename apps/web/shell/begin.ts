// The first script of index.html, before anything else. It sets the chosen theme, so that a dark room is not lit up.
// For a signed-in user it also draws the frame of the console and requests the files of the page and the user at once,
// and the first rows when the user is known. The build puts its text into the page, with that of `fitting`: it can use
// nothing else from outside.
import type { EarlyAnswer } from '../src/lib/wire/early.ts'
import type { fittingSize, PageSize } from '../src/ui/list/table/fittingSize.ts'

/** The build's data for the page's own script. */
export interface Plan {
  /**
   * Paths of pages that look the same to everybody: they have no frame of the console, and nothing is fetched for one.
   */
  publicPaths: readonly string[]
  /** Scripts and styles that every page of the console needs, those that are waited for longest first. */
  files: readonly string[]
  /** The pages that are opened first most often, by their usual paths. */
  pages: Readonly<Record<string, FirstPage>>
  /** How a list finds the number of rows that fill the window. */
  fitting: { sizes: readonly PageSize[]; rowPx: number; compactRowPx: number; narrowQuery: string }
}

export interface FirstPage {
  /** Files that the page needs beyond those of every page. */
  files: readonly string[]
  /** The list that is requested with it. */
  list: FirstList
}

/** The call of a list without filters. */
export interface FirstList {
  /** The function code that it takes. */
  access: string
  /** The key of its reader's page size. */
  path: string
  /** It or the body has a page size, which is replaced by the reader's. */
  address: string
  /** JSON; undefined for a call by GET. */
  body: string | undefined
}

/** The fields of the user's answer that are read here. */
interface User {
  functionCodes: string[]
  mustChangePassword: boolean
  preferences: Record<string, unknown>
}

export function begin({ publicPaths, files, pages, fitting }: Plan, fittingFor: typeof fittingSize): void {
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
  const ask = (address: string, body?: string) => {
    const headers = { 'X-Requested-With': 'XMLHttpRequest', Authorization: `Bearer ${token}` }
    const method = body === undefined ? 'GET' : 'POST'
    const response = fetch(
      `/api${address}`,
      body === undefined
        ? { headers }
        : { method, headers: { ...headers, 'Content-Type': 'application/json;charset=UTF-8' }, body },
    )
    const asked: EarlyAnswer = { method, address, body, token, askedAtMs: performance.now(), response }
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
  const opened = pages[path]
  for (const href of [...files, ...(opened?.files ?? [])]) {
    const link = document.createElement('link')
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
  if (!opened || location.search !== '') return
  const { list } = opened
  const askForRows = async () => {
    const known = (await user)?.data as User | null
    if (!known || known.mustChangePassword || !known.functionCodes.includes(list.access)) return
    const { preferences } = known
    const size =
      preferences[`pageSize:${list.path}`] ??
      fittingFor(window.innerHeight, {
        rowPx: preferences.density === 'compact' ? fitting.compactRowPx : fitting.rowPx,
        hasCards: window.matchMedia(fitting.narrowQuery).matches,
        sizes: fitting.sizes,
      })
    const sized = (text: string) => text.replace(/(pageSize"?[=:])\d+/, `$1${size}`)
    await ask(sized(list.address), list.body && sized(list.body))
  }
  // A call that fails here fails again in the page, which reports it.
  askForRows().catch(() => undefined)
}
