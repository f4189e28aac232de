import { texts } from '../../lib/texts/index.ts'
import styles from './Lamp.module.css'
import { lampLookOf, lampWord } from './lamps.ts'

const words = texts.states.lamps

export interface LampProps {
  /** A lamp code, 0 to 8. Anything else is drawn as a lamp of unknown state. */
  code: string
  /** The word beside the lamp; without it the word is there for screen readers and on hover. */
  hasWord?: boolean
  /** Set where what stands around the lamp names it: the lamp is a picture then. */
  isPicture?: boolean
}

/**
 * One indicator lamp as it shines. The colour stands in the lamp as a character too, and a lamp that blinks has a
 * broken ring around it, so that neither colour nor motion has to be seen.
 */
export function Lamp({ code, hasWord = false, isPicture = false }: LampProps) {
  const look = lampLookOf(code)
  const word = lampWord(code)
  const sign = (
    <span
      className={styles.lamp}
      data-colour={look ? (look.colour ?? 'off') : 'unknown'}
      data-blinking={look?.isBlinking || undefined}
      {...(hasWord || isPicture ? { 'aria-hidden': true } : { role: 'img', 'aria-label': word, title: word })}
    >
      {look ? (look.colour === null ? words.off : words.colours[look.colour]) : '?'}
    </span>
  )
  if (!hasWord) return sign
  return (
    <span className={styles.named}>
      {sign}
      <span>{word}</span>
    </span>
  )
}

/** The lamps of a cabinet side by side, numbered from 1: `codes` has a digit for each. */
export function Lamps({ codes, label = words.title }: { codes: string; label?: string }) {
  return (
    <ol className={styles.lamps} aria-label={label}>
      {[...codes].map((code, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a lamp is known by its place
        <li key={at}>
          <Lamp code={code} />
          <span className={styles.number}>{at + 1}</span>
        </li>
      ))}
    </ol>
  )
}
