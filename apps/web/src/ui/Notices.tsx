import { useLayoutEffect, useRef } from 'react'
import { dismiss, notices } from '../lib/notices.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../lib/texts/index.ts'
import styles from './Notices.module.css'

const signs = { success: '✓', error: '!', info: 'i' }

/** The one place for short messages of the product. */
export function Notices() {
  const shown = useStore(notices)
  const area = useRef<HTMLElement>(null)
  // A form that fills a phone begins below the notices.
  useLayoutEffect(() => {
    const height = shown.length === 0 ? 0 : (area.current?.getBoundingClientRect().bottom ?? 0)
    document.documentElement.style.setProperty('--vk-notices-end', `${Math.ceil(height)}px`)
  }, [shown])
  return (
    <section ref={area} className={styles.area} aria-live="polite">
      {shown.map((notice) => (
        <div
          key={notice.id}
          className={styles.notice}
          data-kind={notice.kind}
          role={notice.kind === 'error' ? 'alert' : 'status'}
        >
          <span className={styles.sign} aria-hidden="true">
            {signs[notice.kind]}
          </span>
          <span className={styles.text}>
            {notice.text}
            {notice.detail && <span className={styles.detail}>{notice.detail}</span>}
          </span>
          <button
            type="button"
            className={styles.close}
            aria-label={texts.close}
            onClick={() => dismiss(notice.id)}
          >
            ×
          </button>
        </div>
      ))}
    </section>
  )
}
