import { LoginPage } from '../features/session/LoginPage.tsx'
import { keepToken } from '../lib/session.ts'
import { safeRedirect } from './redirects.ts'

/** The sign-in page, and the way on from it: the address it was asked for. */
export function SignIn({ onDone, prefetch }: { onDone: () => void; prefetch?: () => Promise<unknown> }) {
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
