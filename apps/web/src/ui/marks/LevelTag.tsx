import { texts } from '../../lib/texts/index.ts'
import styles from './LevelTag.module.css'

export interface LevelTagProps {
  /** 1 critical, 2 major, 3 minor, 4 warning; null or 0 where the dictionary gives none. */
  level: number | null
  /** Only the icon; the word stays for screen readers and on hover. */
  isSign?: boolean
}

/** An alarm's level; levels differ in hue, lightness, the sign's shape and the word. */
export function LevelTag({ level, isSign = false }: LevelTagProps) {
  const known = level !== null && level in texts.states.levels ? level : 0
  const word = texts.states.levels[known]
  return (
    <span className={styles.tag} data-level={known} title={isSign ? word : undefined}>
      <LevelSign level={known} />
      <span className={isSign ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  )
}

/** Octagon, triangle, diamond, circle; a dash where unknown. */
export function LevelSign({ level }: { level: number }) {
  return (
    <svg
      className={styles.sign}
      data-level={level}
      viewBox="0 0 16 16"
      width="14"
      height="14"
      aria-hidden="true"
    >
      {level === 1 && <path className={styles.shape} d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" />}
      {level === 1 && <path className={styles.mark} d="M7 3.8h2v5H7zm0 6.2h2v2H7z" />}
      {level === 2 && <path className={styles.shape} d="M8 1.2 15.4 14.4H.6z" />}
      {level === 3 && <path className={styles.shape} d="M8 .8 15.2 8 8 15.2.8 8z" />}
      {level === 4 && <circle className={styles.shape} cx="8" cy="8" r="6.2" />}
      {level === 0 && <path className={styles.shape} d="M2 6.5h12v3H2z" />}
    </svg>
  )
}
