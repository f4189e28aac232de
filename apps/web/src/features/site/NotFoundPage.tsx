import { useState } from 'react'
import { SitePage } from './SitePage.tsx'
import styles from './site.module.css'
import { siteTexts } from './site.texts.ts'

/** The requested address, if it is a path of this site; null otherwise, since the parameter could contain anything. */
function addressAsked(): string | null {
  const from = new URLSearchParams(location.search).get('from')
  return from?.startsWith('/') && !from.startsWith('//') ? from.slice(0, 500) : null
}

/** Without the console's layout, for visitors who are not signed in. */
export function NotFoundPage() {
  return (
    <SitePage title={siteTexts.notFound.title}>
      <NotFound />
    </SitePage>
  )
}

export function NotFound() {
  const words = siteTexts.notFound
  const [asked] = useState(addressAsked)
  return (
    <div className={styles.centre}>
      <p className={styles.number} aria-hidden="true">
        404
      </p>
      <h1>{words.words}</h1>
      <p lang="en">{words.english}</p>
      {asked !== null && (
        <p className={styles.quiet}>
          {words.asked} <code className="mono">{asked}</code>
        </p>
      )}
      <div className={styles.action}>
        <button type="button" className="button" onClick={() => history.back()}>
          {siteTexts.back}
        </button>
        <a className="button primary" href="/">
          {siteTexts.home}
        </a>
      </div>
    </div>
  )
}
