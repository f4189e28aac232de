// The feed is read from a place on: what happened behind it, in the order of commits, as far as the reader sees now.
import {
  type CloudEvent,
  type FeedType,
  feedAccess,
  feedTypes,
  type InputOf,
  type ParsedInputFor,
  type readFeed,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { type Actor, callerOf, mayCall } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Sessions } from '../sessions/index.ts'
import * as queries from './feed.queries.ts'
import { createNews } from './news.ts'

export interface FeedNeeds {
  db: Db
  /** The address of this server. */
  source: () => string
  sessions: Pick<Sessions, 'authenticateAgain'>
  /** Calls back when something may have happened; returns the function that ends it. */
  onNews: (wake: () => void) => () => void
}

interface TurnOfCall {
  /** Aborted when the client has gone. */
  signal: AbortSignal
  leaveTurn(): void
  takeTurn(): Promise<void>
}

export type Feed = ReturnType<typeof createFeed>

/** Places of one call, with those that are not for the reader: it goes on behind them. */
const lookedAtOnce = 20_000
/** Calls of one caller that wait, of all keys of a maker together; a further one is answered at once. */
const waitingAtMost = 4
/** Notices may be lost, and rights be taken away. */
const lookAgainMs = 5_000

export function createFeed({ db, source, sessions, onNews }: FeedNeeds) {
  const waiting = new Map<number, number>()
  const closing = new AbortController()

  /** Where a cursor stands. Refuses one that has been passed by the retention, or is of another history. */
  async function placeOf(cursor: string | undefined): Promise<queries.Place> {
    const [given = '0', check = ''] = cursor === undefined || cursor === 'latest' ? [] : cursor.split('-')
    const { atUs, first, last, lastAtUs } = await queries.lookAround(db, given)
    if (cursor === 'latest') return { seq: last, atUs: lastAtUs }
    const seq = BigInt(given)
    const oldest = BigInt(first ?? 0) - 1n
    if (cursor === undefined) return { seq: first === null ? last : String(oldest), atUs: null }
    if (seq > BigInt(last)) return refuse('feedCursorUnknown')
    if (atUs !== null && toCheck(atUs) !== check) return refuse('feedCursorUnknown')
    // What stood at it is gone; nothing is missed where the next one is there, or nothing came since.
    const isKept = atUs !== null || (first === null ? seq === BigInt(last) : seq === oldest)
    if (!isKept) return refuse('feedCursorExpired')
    return { seq: given, atUs }
  }

  const wantedBy = (actor: Actor, { types }: Asked) =>
    (types ?? feedTypes).filter((type) => mayCall(actor, feedAccess[nounOf(type)]))

  /** The newest events for the reader among the last places. */
  async function readRecent(actor: Actor, asked: Asked) {
    const { last, lastAtUs } = await queries.lookAround(db, '0')
    const before = BigInt(last) - BigInt(lookedAtOnce)
    const found = await queries.listEvents(
      db,
      { actor, scope: await scopeOf(db, actor), kinds: wantedBy(actor, asked) },
      { after: String(before > 0n ? before : 0n), span: lookedAtOnce, limit: asked.limit, isFromEnd: true },
    )
    const reached: queries.Place = found.last ?? { seq: last, atUs: lastAtUs }
    return {
      events: found.events.map((event) => cloudEventOf(event, source())),
      next: cursorOf(reached),
      hasMore: false,
    }
  }

  async function read(actor: Actor, from: queries.Place, asked: Asked) {
    const { limit } = asked
    const wanted = wantedBy(actor, asked)
    const scope = await scopeOf(db, actor)
    const { events, last } = await queries.listEvents(
      db,
      { actor, scope, kinds: wanted },
      { after: from.seq, span: lookedAtOnce, limit },
    )
    const lastSeen = events.length === limit ? events.at(-1) : undefined
    const reached: queries.Place = lastSeen ?? last ?? from
    return {
      events: events.map((event) => cloudEventOf(event, source())),
      reached,
      hasMore: last !== null && (reached.seq !== last.seq || isFull(from, last)),
    }
  }

  let placing: Promise<number> | null = null
  let placingNext: Promise<number> | null = null
  function beginPlacing(): Promise<number> {
    placing = queries.placeEvents(db).finally(() => {
      placing = null
    })
    return placing
  }
  /**
   * Everything that was committed before this call has its place afterwards, up to `placedAtOnce`. Callers of the same
   * moment share one: ten consumers would stand behind each other's lock.
   */
  function place(): Promise<number> {
    if (!placing) return beginPlacing()
    placingNext ??= placing
      .catch(() => 0)
      .then(() => {
        placingNext = null
        return beginPlacing()
      })
    return placingNext
  }

  const news = createNews(async (after) => {
    const placed = await place()
    const found = await queries.newestOfKinds(db, after, lookedAtOnce)
    return { ...found, hasMore: placed === queries.placedAtOnce }
  })
  const stopListening = onNews(news.notice)

  return {
    /** Refuses 409 `feedCursorExpired` and `feedCursorUnknown`. */
    async readFeed(
      caller: Actor,
      input: ParsedInputFor<typeof readFeed>,
      { signal, leaveTurn, takeTurn }: TurnOfCall,
    ) {
      await queries.noteReader(db)
      let placed = await place()
      if (input.after === 'recent') return await readRecent(caller, input)
      const from = await placeOf(input.after)
      let actor = caller
      let { events, reached, hasMore } = await read(actor, from, input)
      const key = callerOf(caller)
      const others = waiting.get(key) ?? 0
      const untilMs = performance.now() + input.waitSeconds * 1_000
      if (input.waitSeconds > 0 && others < waitingAtMost && events.length === 0) {
        waiting.set(key, others + 1)
        const ends = [signal, closing.signal]
        try {
          while (events.length === 0 && !hasMore && placed < queries.placedAtOnce) {
            const leftMs = untilMs - performance.now()
            if (leftMs <= 0) break
            leaveTurn()
            const wanted = { after: reached.seq, kinds: wantedBy(actor, input) }
            await news.wait(wanted, Math.min(leftMs, lookAgainMs), ends)
            placed = await place()
            if (ends.some(({ aborted }) => aborted)) break
            await takeTurn()
            // Who is told, and of what, is as of now.
            actor = await sessions.authenticateAgain(actor)
            ;({ events, reached, hasMore } = await read(actor, reached, input))
          }
        } finally {
          const left = (waiting.get(key) ?? 1) - 1
          if (left > 0) waiting.set(key, left)
          else waiting.delete(key)
        }
      }
      return {
        events,
        next: cursorOf(reached),
        hasMore: hasMore || placed === queries.placedAtOnce,
      }
    },

    /** Lets every call that waits be answered: a server that stops would wait for them. */
    close() {
      stopListening()
      closing.abort()
    },
  }
}

type CloudEventInput = InputOf<typeof CloudEvent>
type Asked = ParsedInputFor<typeof readFeed>

const nounOf = (type: FeedType) => type.slice(0, type.indexOf('.')) as keyof typeof feedAccess
const isFull = (from: queries.Place, last: { seq: string }) =>
  BigInt(last.seq) - BigInt(from.seq) >= BigInt(lookedAtOnce)

const toCheck = (atUs: string): string => BigInt(atUs).toString(36)
/** With the moment of the event that stands there: after a restore another one may have its number. */
const cursorOf = ({ seq, atUs }: queries.Place): string => `${seq}-${atUs === null ? '0' : toCheck(atUs)}`

function cloudEventOf(event: queries.FoundEvent, source: string): CloudEventInput {
  const { episodeId, semaphoreCode, value, beganAt, detail } = event
  return {
    specversion: '1.0',
    id: event.seq,
    source,
    type: event.kind,
    subject: event.code,
    time: event.moment.toISOString(),
    datacontenttype: 'application/json',
    data: {
      // Of tasks as a whole 0.
      ...(event.deviceId !== 0 && {
        deviceId: String(event.deviceId),
        operatorId: String(event.operatorId),
      }),
      ...(episodeId !== null && { [event.kind === 'event.reported' ? 'eventId' : 'alarmId']: episodeId }),
      ...(semaphoreCode !== null && { code: semaphoreCode }),
      ...(value !== null && { value: Number(value) }),
      ...(beganAt !== null && { occurrenceTime: beganAt.toISOString() }),
      ...detail,
    },
  }
}
