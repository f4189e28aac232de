// The first script of index.html, before anything else. It sets the chosen theme, so that a dark room is not lit up.
// For a signed-in user it also draws the frame of the console and requests the files of the page and the user at once,
// and the first rows when the user is known. The build puts its text into the page, with that of `fitting`: it can use
// nothing else from outside.
import type { EarlyAnswer } from '../src/lib/wire/early.ts'
import type { fittingSize, PageSize } from '../src/ui/list/fittingSize.ts'

/** The build's data for the page's own script. */
export interface Plan {
  /**
   * Paths of pages that look the same to everybody: they have no frame of the console, and nothing is fetched for one.
   */
  publicPaths: readonly string[]
  /** Scripts and styles that every page of the console needs, those that are waited for longest first. */
  files: readonly string[]
  /** The list that is requested with the page: `at` is the usual path of the page. */
  list: FirstList & { at: string }
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

export function begin({ publicPaths, files, list, fitting }: Plan, fittingFor: typeof fittingSize): void {
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
    const asked: EarlyAnswer = { address, token, askedAtMs: performance.now(), response }
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
  for (const href of files) {
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
  if (path !== list.at || location.search !== '') return
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
    await ask(list.address.replace(/pageSize=\d+/, `pageSize=${size}`))
  }
  // A call that fails here fails again in the page, which reports it.
  askForRows().catch(() => undefined)
}
