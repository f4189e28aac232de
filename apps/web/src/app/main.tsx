import { lazy, type ReactNode, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/theme/base.css'
import { readToken } from '../lib/session.ts'
import { Confirmations } from '../ui/buttons/Confirmation.tsx'
import { Notices } from '../ui/Notices.tsx'
import { reloadWhenOutdated } from './outdated.ts'
import { PageFailed } from './PageFailed.tsx'
import { pages } from './pages.ts'
import { loginAddress } from './redirects.ts'
import { SignIn } from './SignIn.tsx'
import { watchSessionEnd } from './sessionEnd.ts'
import { loadSitePages, sitePages } from './sitePages.ts'

// The entry. The sign-in page and the public pages are plain React; the router, antd and the query client load with
// the console, after signing in.

const place = document.getElementById('root')
if (!place) throw new Error('index.html has no #root')
const root = createRoot(place)

function show(content: ReactNode): void {
  root.render(
    <StrictMode>
      {content}
      <Notices />
      <Confirmations />
    </StrictMode>,
  )
}

const loadOverview = () => import('../features/overview/OverviewPage.tsx')

/** The files that a signed-in user needs first. */
const prefetchConsole = () =>
  Promise.all([import('./Console.tsx'), import('./layout/Shell.tsx'), loadOverview()])

async function showConsole(): Promise<void> {
  // All at once: layout and page are needed as soon as the user is known. The page by its usual path: one that a menu has
  // put elsewhere is fetched then.
  const key = location.pathname.replace(/^\/|\/+$/g, '')
  const loadPage = key === '' || key === 'dashboard' ? loadOverview : pages[key]
  for (const early of [import('./layout/Shell.tsx'), loadPage?.()]) early?.catch(() => undefined)
  try {
    const { Console } = await import('./Console.tsx')
    show(<Console />)
  } catch {
    show(<PageFailed />)
  }
}

function start(): void {
  const { pathname, search, hash } = location
  const sitePage = sitePages[pathname.replace(/\/+$/, '')]
  // The 404 of a signed-in user keeps the sidebar, so the console shows it.
  if (sitePage && !(sitePage === 'NotFoundPage' && readToken())) {
    const SitePage = lazy(async () => ({ default: (await loadSitePages())[sitePage] }))
    show(
      <Suspense>
        <SitePage />
      </Suspense>,
    )
  } else if (readToken()) {
    void showConsole()
  } else {
    if (pathname !== '/login') history.replaceState(null, '', loginAddress(pathname + search + hash))
    show(<SignIn prefetch={prefetchConsole} onDone={() => void showConsole()} />)
  }
}

reloadWhenOutdated()
watchSessionEnd()
start()
