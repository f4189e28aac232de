import styles from './CabinetPanel.module.css'
import type { Contact } from './cabinet.words.ts'

/** A contact in its rest state, as circuit diagrams draw it: open, closed, or with a question mark. */
export function ContactSign({ contact }: { contact: Contact }) {
  return (
    <svg
      className={styles.sign}
      data-contact={contact}
      viewBox="0 0 44 20"
      width="44"
      height="20"
      aria-hidden="true"
    >
      <path d="M2 14h11M31 14h11" />
      {contact === 'open' && <path d="M13 14 29 4" />}
      {contact === 'closed' && <path d="M13 14h18" />}
      {contact === 'odd' && <path d="M19 5.5a3 3 0 1 1 4 3c-1 .4-1 1-1 2M22 14v.1" />}
      <circle cx="13" cy="14" r="1.8" />
      <circle cx="31" cy="14" r="1.8" />
    </svg>
  )
}
