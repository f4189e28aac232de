import { type InputOf, idsAtOnce, type LiveEvent } from '@voltkeep/contract'

export type Event = InputOf<typeof LiveEvent>
export type ChangeKind = 'added' | 'changed'

/** The events that wait to be sent to one subscriber. */
export interface Inbox {
  put(noun: string, kind: ChangeKind, ids: Iterable<string>): void
  /** Too many rows changed to be named: of one noun, or of any. */
  putMissed(noun?: string): void
  /** Takes the waiting events out. */
  take(): Event[]
}

type Waiting = Record<ChangeKind, Set<string>>

/**
 * Bounded: per noun and kind it keeps as many ids as one event may name. A subscriber that reads slowly
 * costs no more memory than that; what does not fit becomes `missed`, and its list is read again.
 */
export function createInbox(onPut: () => void): Inbox {
  /** `null`: missed. */
  const waiting = new Map<string, Waiting | null>()
  let isAllMissed = false

  return {
    put(noun, kind, ids) {
      let ofNoun = waiting.get(noun)
      // After a miss the list is read anyway.
      if (isAllMissed || ofNoun === null) return
      ofNoun ??= { added: new Set(), changed: new Set() }
      for (const id of ids) ofNoun[kind].add(id)
      if (ofNoun.added.size + ofNoun.changed.size === 0) return
      waiting.set(noun, ofNoun[kind].size > idsAtOnce ? null : ofNoun)
      onPut()
    },
    putMissed(noun) {
      if (noun === undefined) {
        waiting.clear()
        isAllMissed = true
      } else if (!isAllMissed) waiting.set(noun, null)
      onPut()
    },
    take() {
      const events: Event[] = isAllMissed ? [{ type: 'missed' }] : []
      for (const [noun, ofNoun] of waiting) {
        if (ofNoun === null) events.push({ type: 'missed', noun })
        else events.push({ type: 'changed', noun, added: [...ofNoun.added], changed: [...ofNoun.changed] })
      }
      waiting.clear()
      isAllMissed = false
      return events
    },
  }
}
