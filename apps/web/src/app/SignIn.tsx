import { LoginPage } from '../features/session/LoginPage.tsx'
import { keepToken } from '../lib/session.ts'
import { safeRedirect } from './redirects.ts'

/** What a signed-in user needs first. */
const prefetch = () =>
  Promise.all([
    import('./Console.tsx'),
    import('./Shell.tsx'),
    import('../features/overview/OverviewPage.tsx'),
  ])

/** The sign-in page, and the way on from it: the address it was asked for. */
export function SignIn({ onDone }: { onDone: () => void }) {
  return (
    <LoginPage
      prefetch={prefetch}
      onSignedIn={(token) => {
        keepToken(token)
        const asked = new URLSearchParams(location.search).get('redirect')
        history.replaceState(null, '', safeRedirect(asked))
        onDone()
      }}
    />
  )
}
