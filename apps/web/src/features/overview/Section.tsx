import { type ReactNode, useId } from 'react'
import styles from './overview.module.css'

/** One part of the page: its title, and at the right what it comes to or where it leads. */
export function Section({
  title,
  beside,
  aside,
  children,
}: {
  title: string
  /** Close to the title. */
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
