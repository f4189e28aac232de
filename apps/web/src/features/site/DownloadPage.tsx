import { readNewestAppAddress } from '@voltkeep/contract/session'
import { lazy, Suspense } from 'react'
import { SitePage } from './SitePage.tsx'
import styles from './site.module.css'
import { siteTexts } from './site.texts.ts'
import { usePublicCall } from './usePublicCall.ts'

const QrCode = lazy(() => import('../../ui/QrCode.tsx'))

/** The newest app: a download button on a phone, a QR code on a desktop. */
export function DownloadPage() {
  const words = siteTexts.downloadPage
  const { answer, error, retry } = usePublicCall(readNewestAppAddress, {})
  const isMissing = error?.refusal === 'downloadAddressMissing'
  return (
    <SitePage title={words.title}>
      <div className={styles.centre} aria-busy={!answer && !error}>
        <h1>{words.title}</h1>
        <p>{words.hint}</p>
        <div className={styles.action} role="status">
          {!answer && !error && <p className={styles.quiet}>{words.reading}</p>}
          {answer && (
            <a className="button primary" href={answer.url} rel="noopener noreferrer">
              {words.android}
            </a>
          )}
          {error && (
            <p className={isMissing ? undefined : styles.failure}>
              {isMissing ? words.missing : error.message}
            </p>
          )}
        </div>
        {answer && (
          <figure className={styles.code}>
            <Suspense fallback={<div className={styles.codePlace} aria-busy="true" />}>
              <QrCode text={answer.url} title={words.code} />
            </Suspense>
            <figcaption className={styles.quiet}>{words.scan}</figcaption>
          </figure>
        )}
        {answer && <p className={styles.quiet}>{words.wechat}</p>}
        {isMissing && (
          <>
            <p className={styles.quiet}>{words.missingHint}</p>
            <figure className={styles.code}>
              <Suspense fallback={<div className={styles.codePlace} aria-busy="true" />}>
                <QrCode text={`${location.origin}/dashboard`} title={words.consoleCode} />
              </Suspense>
              <figcaption className={styles.quiet}>{words.console}</figcaption>
            </figure>
            <div className={styles.action}>
              <a className="button primary" href="/dashboard">
                {words.open}
              </a>
            </div>
          </>
        )}
        {error && !isMissing && (
          <button type="button" className="button" onClick={retry}>
            {siteTexts.retry}
          </button>
        )}
      </div>
    </SitePage>
  )
}
