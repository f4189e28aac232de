import { lazy, Suspense, useLayoutEffect } from 'react'
import { useTitle } from '../lib/browser/title.ts'
import { usePageStands } from '../lib/firstShown.ts'
import { currentUser } from '../lib/session.ts'
import { dropShell } from '../lib/shell.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../lib/texts/index.ts'
import { loadSitePages } from './sitePages.ts'

const Shell = lazy(async () => ({ default: (await import('./layout/Shell.tsx')).Shell }))
const NotFound = lazy(async () => ({ default: (await loadSitePages()).NotFound }))
const NotFoundPage = lazy(async () => ({ default: (await loadSitePages()).NotFoundPage }))

/** A signed-in user keeps the sidebar; anybody else gets the public page. */
export function NotFoundRoute() {
  const isSignedIn = useStore(currentUser) !== undefined
  usePageStands()
  useLayoutEffect(() => {
    if (!isSignedIn) dropShell()
  }, [isSignedIn])
  return (
    <Suspense>
      {isSignedIn ? (
        <Shell>
          <NotFoundInside />
        </Shell>
      ) : (
        <NotFoundPage />
      )}
    </Suspense>
  )
}

function NotFoundInside() {
  useTitle(texts.layout.notFound)
  return <NotFound />
}
