import { type ReactNode, useId } from 'react'
import styles from './overview.module.css'

/** A section of the page: its title, and at the right a summary or a link. */
export function Section({
  title,
  beside,
  aside,
  children,
}: {
  title: string
  /** Next to the title. */
  beside?: ReactNode
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {beside}
        {aside && <span className={styles.aside}>{aside}</span>}
      </header>
      {children}
    </section>
  )
}
