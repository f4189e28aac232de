// The live stream tells each subscriber which rows were added or changed: ids of the nouns that its access
// covers, within its data scope. The rows themselves are asked for by the ordinary list calls.
import { type DataScope, placesWithin, scopeOf } from '../../domain/access/data-scope.ts'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import type { Sessions } from '../sessions/index.ts'
import { createLoads } from './row-loads.ts'
import { createInbox, type Event, type Inbox } from './subscriber-inbox.ts'

export type Live = ReturnType<typeof createLive>

export interface LiveNeeds {
  db: Db
  /** All nouns that features bring to the stream. */
  nouns: readonly LiveNoun[]
  sessions: Pick<Sessions, 'authenticateAgain'>
  log: Log
}

/**
 * A stream outlives the permissions that it was opened with. Session, function codes and scope are read
 * again at this interval, and before a delivery when the last reading is older than `freshMs`.
 */
const recheckMs = 15_000
const freshMs = 3_000
/** After a miss every open page reads again: so long for each of them, and no page waits longer than the most. */
const missSpreadMs = { each: 5, most: 5_000 }

interface Subscriber {
  actor: Actor
  scope: DataScope
  checkedAtMs: number
  inbox: Inbox
  wake: () => void
}

/** One look-up of the changed rows' places serves every subscriber of the process. */
export function createLive({ db, nouns, sessions, log }: LiveNeeds) {
  const subscribers = new Set<Subscriber>()
  const closing = new AbortController()
  let unfollow: (() => void)[] = []

  const follow = (noun: LiveNoun): (() => void) => {
    const { noun: name, access } = noun.declared
    const mayKnow = () => [...subscribers].filter(({ actor }) => mayCall(actor, access))
    return noun.follow(
      createLoads({
        async load({ added, changed }) {
          const places = await noun.placesOf([...new Set([...added, ...changed])])
          for (const { scope, inbox } of mayKnow()) {
            const inScope = places.filter(placesWithin(scope)).map(({ id }) => id)
            inbox.put(
              name,
              'added',
              inScope.filter((id) => added.has(id)),
            )
            inbox.put(
              name,
              'changed',
              inScope.filter((id) => changed.has(id)),
            )
          }
        },
        giveUp: () => {
          for (const { inbox } of mayKnow()) inbox.putMissed(name)
        },
        onError: (err) =>
          log.warn(
            { err, noun: name },
            spoken({ zh: '实时更新读取失败', en: 'a live update could not be read' }),
          ),
      }),
    )
  }

  const subscribe = (subscriber: Subscriber) => {
    subscribers.add(subscriber)
    if (unfollow.length === 0) unfollow = nouns.map(follow)
  }
  const unsubscribe = (subscriber: Subscriber) => {
    subscribers.delete(subscriber)
    if (subscribers.size > 0) return
    for (const stop of unfollow.splice(0)) stop()
  }

  /** Everything that decides which rows a subscriber is told of, in a comparable form. */
  const sightOf = ({ actor, scope }: Subscriber) =>
    JSON.stringify([scope, nouns.map(({ declared }) => mayCall(actor, declared.access))])

  const spread = (event: Event): Event =>
    event.type === 'missed'
      ? { ...event, spreadMs: Math.min(missSpreadMs.most, subscribers.size * missSpreadMs.each) }
      : event

  /** Brings a subscriber's permissions up to date; false when its session is over. */
  async function isStillWelcome(subscriber: Subscriber): Promise<boolean> {
    try {
      const before = sightOf(subscriber)
      subscriber.actor = await sessions.authenticateAgain(subscriber.actor)
      subscriber.scope = await scopeOf(db, subscriber.actor)
      subscriber.checkedAtMs = performance.now()
      // The waiting events were chosen by the former permissions.
      if (sightOf(subscriber) !== before && subscriber.inbox.take().length > 0) subscriber.inbox.putMissed()
      return !subscriber.actor.mustChangePassword
    } catch {
      // Nothing more is sent, whatever the reason; the client signs in or connects again.
      return false
    }
  }

  return {
    /** Ends with the signal, with the session, and with the server. */
    async *openLiveStream(actor: Actor, signal: AbortSignal): AsyncGenerator<Event> {
      let wake: () => void = () => undefined
      const subscriber: Subscriber = {
        actor,
        scope: await scopeOf(db, actor),
        checkedAtMs: performance.now(),
        inbox: createInbox(() => subscriber.wake()),
        wake: () => wake(),
      }
      const isOver = () => signal.aborted || closing.signal.aborted
      const onEnd = () => wake()
      signal.addEventListener('abort', onEnd)
      closing.signal.addEventListener('abort', onEnd)
      subscribe(subscriber)
      try {
        // After the registration: a page that was read before it has to read again.
        yield { type: 'ready' }
        while (!isOver()) {
          if (performance.now() - subscriber.checkedAtMs > freshMs && !(await isStillWelcome(subscriber)))
            return
          const events = subscriber.inbox.take()
          if (events.length > 0) {
            yield* events.map((event) => spread(event))
            continue
          }
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, recheckMs)
            wake = () => {
              clearTimeout(timer)
              resolve()
            }
            if (isOver()) wake()
          })
        }
      } finally {
        unsubscribe(subscriber)
        signal.removeEventListener('abort', onEnd)
        closing.signal.removeEventListener('abort', onEnd)
      }
    },

    /** Lets every stream end: a server that stops would wait for them. */
    close(): void {
      closing.abort()
      for (const stop of unfollow.splice(0)) stop()
    },
  }
}
