import { useLayoutEffect } from 'react'
import { LoginPage } from '../features/session/LoginPage.tsx'
import { keepToken } from '../lib/session.ts'
import { dropShell } from '../lib/shell.ts'
import { safeRedirect } from './redirects.ts'

/** The sign-in page; afterwards it leads to the address that was requested. */
export function SignIn({ onDone, prefetch }: { onDone: () => void; prefetch?: () => Promise<unknown> }) {
  useLayoutEffect(dropShell, [])
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
