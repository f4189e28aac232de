import { type ReactNode, useEffect } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { Mark } from '../../ui/marks/Mark.tsx'
import styles from './site.module.css'
import { footTexts, type SiteLanguage } from './site.texts.ts'

/** The frame of the public pages: the name above, the legal notes below. Neither is printed. */
export function SitePage({
  title,
  lang = 'zh',
  aside,
  children,
}: {
  title: string
  lang?: SiteLanguage
  /** At the right of the header, e.g. a link to the page in another language. */
  aside?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · ${texts.product.name}`
  }, [title])
  const foot = footTexts[lang]
  const ending = lang === 'zh' ? 'zh' : 'en'
  return (
    <div className={styles.page} lang={lang === 'zh' ? 'zh-CN' : lang}>
      <header className={styles.head}>
        <a href="/" className={styles.name}>
          <Mark size={22} />
          {texts.product.name}
        </a>
        {aside}
      </header>
      <main className={styles.main}>{children}</main>
      <footer className={styles.foot}>
        <a href={`/agreement_${ending}`}>{foot.agreement}</a>
        <a href={`/privacy_${ending}`}>{foot.privacy}</a>
        <a href="/upgradation">{foot.releases}</a>
        <a href="/download">{foot.download}</a>
      </footer>
    </div>
  )
}
