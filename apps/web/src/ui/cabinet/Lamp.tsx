import { indicatorNames, lampsOf, lamps as lampTable } from '@voltkeep/contract/parameters'
import { texts } from '../../lib/texts/index.ts'
import styles from './Lamp.module.css'

const words = texts.states.lamps

export interface LampProps {
  /** A lamp code, 0 to 8. Anything else is drawn as a lamp of unknown state. */
  code: number
  /** The word beside the lamp; without it the word is there for screen readers and on hover. */
  hasWord?: boolean
  /** Set where the text around the lamp names it: the lamp is a picture then. */
  isPicture?: boolean
}

/**
 * One indicator lamp as it shines. The colour is also written in the lamp as a character, and a blinking lamp has a
 * broken ring around it, so that neither colour nor motion has to be seen.
 */
export function Lamp({ code, hasWord = false, isPicture = false }: LampProps) {
  const lamp = lampTable[code]
  const word = lamp?.name ?? words.unknown
  const sign = (
    <span
      className={styles.lamp}
      data-colour={lamp ? (lamp.color ?? 'off') : 'unknown'}
      data-blinking={lamp?.isBlinking || undefined}
      {...(hasWord || isPicture ? { 'aria-hidden': true } : { role: 'img', 'aria-label': word, title: word })}
    >
      {lamp ? (lamp.color === null ? words.off : words.colours[lamp.color]) : '?'}
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

/** The short names of the indicators: 电源 for 电源指示灯. */
export const shortIndicatorNames = indicatorNames.map((name) => name.replace(/指示灯$/, ''))

export interface LampsProps {
  /** The reported or wanted states of the lamps, a digit each; anything else is shown as it is. */
  value: string | number | boolean
  /** Without the names below the lamps, for a line of text. */
  isCompact?: boolean
}

/** The indicators of a cabinet side by side, each with its name. */
export function Lamps({ value, isCompact = false }: LampsProps) {
  const shining = lampsOf(value)
  if (!shining) return <span className="mono">{String(value)}</span>
  return (
    <ul className={styles.lamps} aria-label={words.title} data-compact={isCompact || undefined}>
      {shining.map(({ code, name }, at) => (
        <li key={indicatorNames[at]} title={`${indicatorNames[at]} ${name}`}>
          <Lamp code={code} isPicture />
          <span className={isCompact ? 'visually-hidden' : styles.name}>{shortIndicatorNames[at]}</span>
          <span className="visually-hidden">{name}</span>
        </li>
      ))}
    </ul>
  )
}
