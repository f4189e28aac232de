import { type ReactNode, useEffect } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { Mark } from '../../ui/Mark.tsx'
import styles from './site.module.css'

/** The frame of the public pages: the name above, the small print below. */
export function SitePage({ title, lang, children }: { title: string; lang?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${texts.product.name}`
  }, [title])
  return (
    <div className={styles.page} lang={lang}>
      <header className={styles.head}>
        <a href="/" className={styles.name}>
          <Mark size={22} />
          {texts.product.name}
        </a>
      </header>
      <main className={styles.main}>{children}</main>
      <footer className={styles.foot} lang="zh-CN">
        <a href="/agreement_zh">{texts.site.agreement}</a>
        <a href="/privacy_zh">{texts.site.privacy}</a>
        <a href="/download">{texts.site.download}</a>
      </footer>
    </div>
  )
}
