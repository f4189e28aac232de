import { type Company, readCompany } from '@voltkeep/contract/site'
import { agreementEn, agreementZh } from './agreements.ts'
import type { SiteDocument } from './documents.ts'
import { privacyEn, privacyZh } from './privacy.ts'
import { SitePage } from './SitePage.tsx'
import styles from './site.module.css'
import { documentTexts, languageOfVisitor } from './site.texts.ts'
import { usePublicCall } from './usePublicCall.ts'

type DocumentLanguage = 'zh' | 'en'

const nobody: Company = { name: null, nameEn: null, address: null, addressEn: null, agreementDate: null }

/** A legal document with its issuer. Where the company cannot be read, the page is shown as if none were set. */
function DocumentPage({
  lang,
  of,
  path,
}: {
  lang: DocumentLanguage
  of: (company: Company) => SiteDocument
  /** The path without its language. */
  path: string
}) {
  const { answer, error } = usePublicCall(readCompany, {})
  const company = answer ?? (error && nobody)
  const { title, intro, sections } = of(company ?? nobody)
  const other = lang === 'zh' ? 'en' : 'zh'
  return (
    <SitePage
      title={title}
      lang={lang}
      aside={
        <a href={`${path}_${other}`} hrefLang={other} lang={other === 'zh' ? 'zh-CN' : 'en'}>
          {documentTexts[other].language}
        </a>
      }
    >
      <article className={styles.document} aria-busy={company === undefined}>
        <h1>{title}</h1>
        <p className={styles.updated}>{company && inForce(company, lang)}</p>
        {/* Waits for the company, so that the document never shows another issuer first. */}
        {company && (
          <>
            <p>{intro}</p>
            {sections.map((section) => (
              <section key={section.title}>
                <h2>{section.title}</h2>
                {section.text.map((paragraph) => (
                  <p key={paragraph}>{paragraph}</p>
                ))}
              </section>
            ))}
          </>
        )}
      </article>
    </SitePage>
  )
}

function inForce({ name, nameEn, agreementDate }: Company, lang: DocumentLanguage): string {
  const words = documentTexts[lang]
  const since = agreementDate === null ? words.sincePublished : words.since(agreementDate)
  return [lang === 'zh' ? name : nameEn, since].filter(Boolean).join(' · ')
}

export const AgreementPage = () => <DocumentPage of={agreementZh} lang="zh" path="/agreement" />
export const AgreementEnglishPage = () => <DocumentPage of={agreementEn} lang="en" path="/agreement" />
export const PrivacyPage = () => <DocumentPage of={privacyZh} lang="zh" path="/privacy" />
export const PrivacyEnglishPage = () => <DocumentPage of={privacyEn} lang="en" path="/privacy" />
/** Chinese for visitors who prefer Chinese, English for all others. */
export const PrivacyOfVisitorPage = () =>
  languageOfVisitor() === 'zh' ? <PrivacyPage /> : <PrivacyEnglishPage />
