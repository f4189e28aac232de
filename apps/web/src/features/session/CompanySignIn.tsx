// Below the form: signing in by the company's account, with what follows when the provider sends the browser back, and
// the switch of languages. Loaded after the form, which never waits for it.
import { finishSignIn, nameSignInProviders, startSignIn } from '@voltkeep/contract/signIn'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { CallError, call } from '../../lib/wire/call.ts'
import styles from './CompanySignIn.module.css'
import { companyTexts } from './company.texts.ts'
import form from './LoginPage.module.css'

const LanguageSwitch = lazy(() => import('./LanguageSwitch.tsx'))

/** Where the user wanted to go, until the provider has sent the browser back. */
const wantedKey = 'voltkeep_sign_in_redirect'

/** What the provider has added to the address; null where it has sent nobody. */
function returned() {
  const search = new URLSearchParams(location.search)
  const of = (name: string) => search.get(name) ?? undefined
  const state = of('state')
  // DingTalk calls it otherwise.
  const [code, error] = [of('authCode') ?? of('code'), of('error')]
  if (state === undefined || (code === undefined && error === undefined)) return null
  return { state, code, error, iss: of('iss') }
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof CallError)) throw error
  return error.message
}

export default function CompanySignIn({ onSignedIn }: { onSignedIn: (token: string) => void }) {
  const [providers, setProviders] = useState<{ id: string; name: string }[]>([])
  const [busy, setBusy] = useState<string>()
  const [failure, setFailure] = useState<string>()
  /** A code is good for one try, and effects may run twice. */
  const hasFinished = useRef(false)

  useEffect(() => {
    const back = returned()
    if (back && !hasFinished.current) {
      hasFinished.current = true
      setBusy(companyTexts.finishing)
      const wanted = sessionStorage.getItem(wantedKey)
      sessionStorage.removeItem(wantedKey)
      // The code is taken out of the address, and so out of the browser's history.
      history.replaceState(
        null,
        '',
        wanted === null ? '/login' : `/login?${new URLSearchParams({ redirect: wanted })}`,
      )
      call(finishSignIn, back, { ownsSessionEnd: true })
        .then(({ token }) => onSignedIn(token))
        .catch((error: unknown) => {
          setFailure(messageOf(error))
          setBusy(undefined)
        })
    }
    // Without an answer the form is there all the same.
    call(nameSignInProviders, {})
      .then(setProviders)
      .catch(() => undefined)
  }, [onSignedIn])

  const go = async (id: string) => {
    setFailure(undefined)
    setBusy(id)
    const wanted = new URLSearchParams(location.search).get('redirect')
    if (wanted !== null) sessionStorage.setItem(wantedKey, wanted)
    try {
      const { url } = await call(startSignIn, { id })
      location.assign(url)
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(undefined)
    }
  }

  return (
    <div className={form.field}>
      <div role="alert" className={form.failure}>
        {failure}
      </div>
      {busy === companyTexts.finishing && <p role="status">{companyTexts.finishing}</p>}
      {providers.length > 0 && <p className={styles.or}>{companyTexts.or}</p>}
      {providers.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className={`button ${form.submit} ${styles.company}`}
          aria-busy={busy === id}
          disabled={busy !== undefined}
          onClick={() => void go(id)}
        >
          {busy === id ? companyTexts.going : companyTexts.by(name)}
        </button>
      ))}
      <Suspense>
        <LanguageSwitch />
      </Suspense>
    </div>
  )
}
