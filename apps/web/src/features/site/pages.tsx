import { readNewestAppAddress } from '@voltkeep/contract/session'
import { useEffect, useState } from 'react'
import { CallError, call } from '../../lib/wire/call.ts'
import { CabinetDrawing } from '../../ui/CabinetDrawing.tsx'
import { SitePage } from './SitePage.tsx'
import {
  agreementEn,
  agreementZh,
  asgoft,
  type Brand,
  type Document,
  eArk,
  estolife,
  privacyEn,
  privacyZh,
} from './site.documents.ts'
import styles from './site.module.css'
import { siteTexts } from './site.texts.ts'

// The public pages: no layout, no sign-in, no antd.

function DocumentPage({ document, lang }: { document: Document; lang: string }) {
  return (
    <SitePage title={document.title} lang={lang}>
      <article className={styles.document}>
        <h1>{document.title}</h1>
        <p className={styles.updated}>{document.updated}</p>
        <p>{document.intro}</p>
        {document.sections.map((section) => (
          <section key={section.title}>
            <h2>{section.title}</h2>
            {section.text.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </section>
        ))}
      </article>
    </SitePage>
  )
}

export const AgreementPage = () => <DocumentPage document={agreementZh} lang="zh-CN" />
export const AgreementEnglishPage = () => <DocumentPage document={agreementEn} lang="en" />
export const PrivacyPage = () => <DocumentPage document={privacyZh} lang="zh-CN" />
export const PrivacyEnglishPage = () => <DocumentPage document={privacyEn} lang="en" />

function BrandPage({ brand }: { brand: Brand }) {
  return (
    <SitePage title={brand.name}>
      <div className={styles.brand}>
        <div className={styles.brandText}>
          <h1>{brand.name}</h1>
          <p className={styles.line}>{brand.line}</p>
          <p>{brand.about}</p>
          <dl className={styles.points}>
            {brand.points.map((point) => (
              <div key={point.title}>
                <dt>{point.title}</dt>
                <dd>{point.text}</dd>
              </div>
            ))}
          </dl>
        </div>
        <div className={styles.brandDrawing}>
          <CabinetDrawing />
        </div>
      </div>
    </SitePage>
  )
}

export const AsgoftPage = () => <BrandPage brand={asgoft} />
export const EstolifePage = () => <BrandPage brand={estolife} />
export const EArkPage = () => <BrandPage brand={eArk} />

export function DownloadPage() {
  const words = siteTexts.downloadPage
  const [address, setAddress] = useState<{ url?: string; failure?: string }>()
  useEffect(() => {
    const abort = new AbortController()
    call(readNewestAppAddress, {}, { signal: abort.signal, ownsSessionEnd: true }).then(
      ({ url }) => setAddress({ url }),
      (error: unknown) => {
        if (abort.signal.aborted) return
        setAddress({
          failure:
            error instanceof CallError && error.refusal !== 'downloadAddressMissing'
              ? error.message
              : siteTexts.downloadPage.missing,
        })
      },
    )
    return () => abort.abort()
  }, [])
  return (
    <SitePage title={words.title}>
      <div className={styles.centre}>
        <h1>{words.title}</h1>
        <p>{words.hint}</p>
        <div className={styles.action} role="status">
          {!address && <p className={styles.quiet}>{words.reading}</p>}
          {address?.url && (
            <a className="button primary" href={address.url} rel="noopener">
              {words.android}
            </a>
          )}
          {address?.failure && <p className={styles.failure}>{address.failure}</p>}
        </div>
        <p className={styles.quiet}>
          {address?.failure === words.missing ? words.missingHint : words.wechat}
        </p>
      </div>
    </SitePage>
  )
}

export function UpgradationPage() {
  const words = siteTexts.upgradation
  return (
    <SitePage title={words.title}>
      <div className={styles.centre}>
        <h1>{words.title}</h1>
        <p>{words.hint}</p>
        <div className={styles.action}>
          <a className="button" href="/">
            {words.refresh}
          </a>
        </div>
      </div>
    </SitePage>
  )
}

export function PicturePage() {
  const words = siteTexts.picture
  return (
    <SitePage title={words.title}>
      <figure className={styles.picture}>
        <CabinetDrawing />
        <figcaption>
          <h1>{words.title}</h1>
          <p className={styles.quiet}>{words.hint}</p>
        </figcaption>
      </figure>
    </SitePage>
  )
}

export function NotFoundPage() {
  const words = siteTexts.notFound
  return (
    <SitePage title={words.title}>
      <div className={styles.centre}>
        <p className={styles.number} aria-hidden="true">
          404
        </p>
        <h1>{words.words}</h1>
        <p lang="en">{words.english}</p>
        <div className={styles.action}>
          <button type="button" className="button" onClick={() => history.back()}>
            {siteTexts.back}
          </button>
          <a className="button primary" href="/">
            {siteTexts.home}
          </a>
        </div>
      </div>
    </SitePage>
  )
}
