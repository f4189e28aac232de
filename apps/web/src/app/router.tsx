// Routes: the public pages, sign-in, and those that the user's menus make.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { usePageStands } from '../lib/firstShown.ts'
import { PageContext } from '../lib/pages.ts'
import { accessChanges, currentUser, readToken } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { useTitle } from '../lib/title.ts'
import { parseSearch, stringifySearch } from '../lib/urlState.ts'
import { admit, readmit } from './guard.ts'
import { menus } from './menus.ts'
import { NotFoundRoute } from './NotFoundRoute.tsx'
import { PageFailed } from './PageFailed.tsx'
import { pages } from './pages.ts'
import { SignIn } from './SignIn.tsx'
import { loadSitePages, sitePages } from './sitePages.ts'

const loadShell = () => import('./Shell.tsx')
const loadOverview = () => import('../features/overview/OverviewPage.tsx')

/** A wait this short is not seen as one. */
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
    // It is shown in any case: a session that is over takes the sidebar away, and nothing else.
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
    // The layout travels while the user is being read.
    if (readToken()) void loadShell().catch(() => undefined)
    const isKnown = currentUser.get() !== undefined
    await admit(location.href)
    if (!isKnown || preload) return
    const isElsewhere = location.pathname !== router.state.resolvedLocation?.pathname
    const reread = readAgain()
    // What an administrator changed is in effect at the next page. The answer is usually there before the
    // eye notices; over a slow line the page goes first and is put right when the answer comes.
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
    // With the address that was asked for, so that the page can say which one is not there.
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
  // The menus as they are now: a page loaded before may have lost a function since.
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

/** Whether pages on show were chosen by menus that have changed since. */
let isOutdated = false

/** Takes in what the user may do by now; what is on show follows, and a page taken away leads to the 404. */
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
