import type { ReactNode } from 'react'
import styles from './StateTag.module.css'
import { outcomeOf, type Shares } from './shares.ts'
import { workTexts } from './work.texts.ts'

type Look = 'underWay' | 'good' | 'caution' | 'bad' | 'over'

/** By state, how it looks in every list and page; any other state waits: a hollow mark. */
const looks: Readonly<Record<string, Look>> = {
  running: 'underWay',
  soaking: 'underWay',
  sent: 'underWay',
  downloading: 'underWay',
  installing: 'underWay',
  confirming: 'underWay',
  underWay: 'underWay',
  removing: 'underWay',
  taken: 'underWay',
  uploading: 'underWay',
  finished: 'good',
  succeeded: 'good',
  shown: 'good',
  stored: 'good',
  done: 'good',
  paused: 'caution',
  stopping: 'caution',
  partly: 'caution',
  failed: 'bad',
  refused: 'bad',
  timedOut: 'bad',
  expired: 'bad',
  unanswered: 'bad',
  unconfirmed: 'bad',
  skipped: 'over',
  cancelled: 'over',
  stopped: 'over',
  offline: 'over',
  over: 'over',
  deleted: 'over',
  removed: 'over',
  ended: 'over',
}

/** A state in words, with a mark of its own shape. */
export function StateTag({ state, children }: { state: string; children: ReactNode }) {
  return (
    <span className={styles.state} data-look={looks[state]}>
      {children}
    </span>
  )
}

/** The word for a state; 状态未知 for a state that this console does not know. */
export function wordOf(words: Readonly<Record<string, string>>, state: string): string {
  return (Object.hasOwn(words, state) && words[state]) || workTexts.unknownState
}

/** A state in the words of its noun. */
export function WorkState({
  state,
  words,
  ended,
}: {
  state: string
  words: Readonly<Record<string, string>>
  /** Of work that is over, whose mark is that of its result. */
  ended?: Shares | false
}) {
  return <StateTag state={ended ? outcomeOf(ended) : state}>{wordOf(words, state)}</StateTag>
}
