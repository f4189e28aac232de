// Routes: the public pages, sign-in, and those that the user's menus make.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { useTitle } from '../lib/browser/title.ts'
import { usePageStands } from '../lib/firstShown.ts'
import { PageContext } from '../lib/pages.ts'
import { accessChanges, currentUser, readToken } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { parseSearch, stringifySearch } from '../lib/urlState.ts'
import { admit, readmit } from './guard.ts'
import { menus } from './menus.ts'
import { NotFoundRoute } from './NotFoundRoute.tsx'
import { PageFailed } from './PageFailed.tsx'
import { pages } from './pages.ts'
import { SignIn } from './SignIn.tsx'
import { loadSitePages, sitePages } from './sitePages.ts'

const loadShell = () => import('./layout/Shell.tsx')
const loadOverview = () => import('../features/overview/OverviewPage.tsx')

/** So short a wait is not noticed. */
const noticedMs = 150

/** One of the public pages. */
const notFound: string = '/404'

const root = createRootRoute({ errorComponent: PageFailed })

// ------------------------------------------------------------------ without the layout

const publicRoutes = Object.entries(sitePages)
  .filter(([path]) => path !== notFound)
  .map(([path, name]) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(loadSitePages, name) }),
  )

const notFoundPage = createRoute({
  getParentRoute: () => root,
  path: notFound,
  beforeLoad: async ({ location }) => {
    // The page is shown in any case: an ended session only takes the sidebar away.
    if (readToken()) await admit(location.href).catch(() => undefined)
  },
  component: NotFoundRoute,
})

/** Reached from inside only after the session was lost; else main.tsx shows the sign-in page. */
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: () => {
    if (readToken()) throw redirect({ to: '/' })
  },
  component: () => <SignIn onDone={() => router.history.replace(location.pathname + location.search)} />,
})

// ------------------------------------------------------------------ for the signed-in

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard' })
  },
})

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location, preload }) => {
    // The layout loads while the user is being read.
    if (readToken()) void loadShell().catch(() => undefined)
    const isKnown = currentUser.get() !== undefined
    await admit(location.href)
    if (!isKnown || preload) return
    const isElsewhere = location.pathname !== router.state.resolvedLocation?.pathname
    const reread = readAgain()
    // An administrator's change is in effect at the next page. The answer is usually there before anybody notices; over
    // a slow connection the page goes first and is corrected when the answer comes.
    if (isElsewhere) await Promise.race([reread, new Promise((resolve) => setTimeout(resolve, noticedMs))])
  },
  component: lazyRouteComponent(loadShell, 'Shell'),
})

const dashboard = createRoute({
  getParentRoute: () => shell,
  path: '/dashboard',
  component: lazyRouteComponent(loadOverview, 'OverviewPage'),
})

const externalLinks = createRoute({
  getParentRoute: () => shell,
  path: '/iframe',
  component: lazyRouteComponent(() => import('./ExternalLinksPage.tsx'), 'ExternalLinksPage'),
})

/** Every other path is looked up in the user's menus; one that is not there does not exist for them. */
const menuPage = createRoute({
  getParentRoute: () => shell,
  path: '$',
  beforeLoad: ({ location }) => {
    const path = location.pathname.replace(/\/+$/, '')
    const { routes, redirects } = menus.get()
    const target = redirects.get(path)
    const route = routes.get(path)
    if (!route && target) throw redirect({ to: target })
    // With the requested address, so that the page can name it.
    if (!route) throw redirect({ to: notFound, search: { from: location.href } })
    return { route }
  },
  loader: async ({ context: { route } }) => {
    const load = pages[route.key]
    if (!load) throw redirect({ to: notFound })
    return { route, Page: (await load()).default }
  },
  staleTime: Number.POSITIVE_INFINITY,
  component: MenuPage,
})

function MenuPage() {
  const { route: loaded, Page } = menuPage.useLoaderData()
  // The present menus: a page loaded before may have lost a function since.
  const route = useStore(menus).routes.get(loaded.path) ?? loaded
  useTitle(route.title)
  usePageStands()
  return (
    <PageContext value={{ title: route.title, allRole: route.allRole }}>
      <Page key={route.path} />
    </PageContext>
  )
}

export const router = createRouter({
  routeTree: root.addChildren([
    ...publicRoutes,
    notFoundPage,
    login,
    index,
    shell.addChildren([dashboard, externalLinks, menuPage]),
  ]),
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageFailed,
  defaultPreload: 'intent',
  defaultPreloadDelay: 80,
  scrollRestoration: true,
})

/** Whether the pages shown were chosen by menus that have changed since. */
let isOutdated = false

/** Applies the user's present access; the page shown follows, and a page that was taken away leads to the 404. */
async function readAgain(): Promise<void> {
  if (!(await readmit())) return
  isOutdated = true
  if (router.state.status === 'idle') renew()
}

function renew(): void {
  if (!isOutdated) return
  isOutdated = false
  void router.invalidate()
}

router.subscribe('onResolved', renew)
accessChanges.subscribe(() => void readAgain())

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
