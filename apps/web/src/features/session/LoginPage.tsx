// The sign-in page.
import { login } from '@voltkeep/contract/session'
import { type FormEvent, type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { problemsOf } from '../../lib/schemaInput.ts'
import { texts } from '../../lib/texts/index.ts'
import { CallError, call } from '../../lib/wire/call.ts'
import { CabinetDrawing } from '../../ui/CabinetDrawing.tsx'
import { Mark } from '../../ui/marks/Mark.tsx'
import styles from './LoginPage.module.css'

const CompanySignIn = lazy(() => import('./CompanySignIn.tsx'))

/** `Voltkeep 1.0.0`, as it was built. */
const version = [texts.product.name, import.meta.env.VITE_VERSION].filter(Boolean).join(' ')

export interface LoginPageProps {
  onSignedIn: (token: string) => void
  /** Preloads the code of the console when the browser is idle. */
  prefetch?: (() => Promise<unknown>) | undefined
}

/** The sign-in page. Plain React without antd, so that it loads fast. */
export function LoginPage({ onSignedIn, prefetch }: LoginPageProps) {
  const [values, setValues] = useState({ loginname: '', password: '' })
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isShown, setShown] = useState(false)
  const [hasCapsLock, setCapsLock] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    document.title = `${texts.session.login} · ${texts.product.name}`
    const idle = window.requestIdleCallback ?? ((run: () => void) => window.setTimeout(run, 500))
    const cancel = window.cancelIdleCallback ?? window.clearTimeout
    const handle = idle(() => void prefetch?.().catch(() => undefined))
    return () => cancel(handle)
  }, [prefetch])

  const focus = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus()

  const change = (name: 'loginname' | 'password', value: string) => {
    setValues((current) => ({ ...current, [name]: value }))
    setProblems(({ [name]: _, ...others }) => others)
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setFailure(undefined)
    const found = problemsOf(login.input, values)
    setProblems(Object.fromEntries(found.map(({ field, message }) => [field, message])))
    if (found[0]) {
      focus(found[0].field)
      return
    }
    setBusy(true)
    try {
      const { token } = await call(login, values, { ownsSessionEnd: true })
      onSignedIn(token)
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      setFailure(error.message)
      setBusy(false)
      focus('password')
    }
  }

  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))

  return (
    <div className={styles.page}>
      <header className={styles.face}>
        <div className={styles.name}>
          <Mark size={28} />
          {texts.product.name}
        </div>
        <div className={styles.middle}>
          <div className={styles.drawing}>
            <CabinetDrawing />
          </div>
          <p className={styles.purpose}>{texts.session.purpose}</p>
        </div>
        <p className={styles.version}>{version}</p>
      </header>
      <main className={styles.side}>
        <form ref={form} className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
          <div className={styles.nameAbove}>
            <Mark size={24} />
            {texts.product.name}
          </div>
          <h1 className={styles.title}>{texts.product.purpose}</h1>
          <div className={styles.field}>
            <label htmlFor="login-name">{texts.session.loginName}</label>
            <input
              id="login-name"
              name="loginname"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={64}
              // biome-ignore lint/a11y/noAutofocus: the page has one purpose, and this is where it begins
              autoFocus
              value={values.loginname}
              aria-invalid={problems.loginname ? true : undefined}
              aria-describedby="login-name-problem"
              onChange={(event) => change('loginname', event.target.value)}
            />
            <em id="login-name-problem">{problems.loginname}</em>
          </div>
          <div className={styles.field}>
            <label htmlFor="login-password">{texts.session.password}</label>
            <span className={styles.password}>
              <input
                id="login-password"
                name="password"
                type={isShown ? 'text' : 'password'}
                autoComplete="current-password"
                maxLength={128}
                value={values.password}
                aria-invalid={problems.password ? true : undefined}
                aria-describedby="login-password-problem"
                onChange={(event) => change('password', event.target.value)}
                onKeyDown={watchCapsLock}
                onKeyUp={watchCapsLock}
                onBlur={() => setCapsLock(false)}
              />
              <button
                type="button"
                className={styles.show}
                aria-pressed={isShown}
                aria-label={isShown ? texts.session.hidePassword : texts.session.showPassword}
                onClick={() => setShown(!isShown)}
              >
                {isShown ? texts.session.hide : texts.session.show}
              </button>
            </span>
            <em id="login-password-problem">
              {problems.password ?? (hasCapsLock ? texts.session.capsLock : undefined)}
            </em>
          </div>
          <div role="alert" className={styles.failure}>
            {failure}
          </div>
          <button
            type="submit"
            className={`button primary ${styles.submit}`}
            aria-busy={isBusy}
            disabled={isBusy}
          >
            {isBusy ? texts.session.loggingIn : texts.session.login}
          </button>
          <Suspense>
            <CompanySignIn onSignedIn={onSignedIn} />
          </Suspense>
          <p className={styles.forgotten}>{texts.session.forgotten}</p>
          <p className={styles.links}>
            <a href="/agreement_zh">{texts.site.agreement}</a>
            <a href="/privacy_zh">{texts.site.privacy}</a>
            <a href="/download">{texts.site.download}</a>
          </p>
          <p className={styles.versionBelow}>{version}</p>
        </form>
      </main>
    </div>
  )
}
