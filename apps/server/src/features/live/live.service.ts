import type { InputOf, LiveEvent } from '@voltkeep/contract'
import { type Actor, holds } from '../../platform/access/actor.ts'
import { type DataScope, isWithinScope, scopeOf } from '../../platform/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Notices } from '../../platform/notices.ts'
import type { Alarms } from '../alarms/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { createInbox, type Inbox } from './live.inbox.ts'
import { type OnlineState, readOnlineStates } from './live.queries.ts'

export type Live = ReturnType<typeof createLive>

export interface LiveNeeds {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  alarms: Pick<Alarms, 'readChangedAlarms'>
  sessions: Pick<Sessions, 'authenticateAgain'>
  log: Log
}

type Event = InputOf<typeof LiveEvent>
type AlarmChange = Awaited<ReturnType<Alarms['readChangedAlarms']>>[number]
type AlarmRow = AlarmChange['row']
type DeviceRow = Pick<OnlineState, 'id' | 'isOnline' | 'onlineChangedTime'>

/** What a page would do with more rows than these is to read its list. */
const inboxCapacity = 1000
const rowsPerEvent = 200
/** More changes than these since the last load are not loaded one by one. */
const loadLimit = 2000

/**
 * A stream outlives what it was opened with. Who holds its token, and what he may see, is read again this
 * often, and before a delivery when it is older than that.
 */
const recheckMs = 15_000
const freshMs = 3_000

interface Subscriber {
  actor: Actor
  scope: DataScope
  checkedAtMs: number
  inbox: Inbox<AlarmRow, DeviceRow>
  wake: () => void
}

/**
 * The live stream. One reading of the changed rows serves every subscriber of the process: each gets those
 * that his scope and his function codes let him see in the lists.
 */
export function createLive({ db, notices, alarms, sessions, log }: LiveNeeds) {
  const subscribers = new Set<Subscriber>()
  const closing = new AbortController()

  const forEach = (functionCode: string, give: (subscriber: Subscriber) => void) => {
    for (const subscriber of subscribers) if (holds(subscriber.actor, functionCode)) give(subscriber)
  }
  const missed = (functionCode: string) => forEach(functionCode, ({ inbox }) => inbox.putMissed())

  const alarmLoads = createLoads<string>({
    load: async (episodeIds) => {
      const changes = await alarms.readChangedAlarms(episodeIds)
      forEach('alarm:page', ({ scope, inbox }) => {
        for (const { row, place } of changes) if (isWithinScope(scope, place)) inbox.putAlarm(row.id, row)
      })
    },
    giveUp: () => missed('alarm:page'),
    onError: (err) => log.warn({ err }, '实时更新读取失败'),
  })
  const deviceLoads = createLoads<number>({
    load: async (deviceIds) => {
      const states = await readOnlineStates(db, deviceIds)
      forEach('equip:list', ({ scope, inbox }) => {
        for (const state of states) {
          const { id, isOnline, onlineChangedTime } = state
          if (isWithinScope(scope, state)) inbox.putDevice(id, { id, isOnline, onlineChangedTime })
        }
      })
    },
    giveUp: () => missed('equip:list'),
    onError: (err) => log.warn({ err }, '实时更新读取失败'),
  })
  const unsubscribe = [
    notices.subscribe('alarmsChanged', ({ episodeIds }) => {
      if (subscribers.size > 0) alarmLoads.add(episodeIds)
    }),
    notices.subscribe('devicesOnline', ({ deviceIds }) => {
      if (subscribers.size > 0) deviceLoads.add(deviceIds)
    }),
    // What rows are called, how grave they are, what their bits mean: everybody reads again.
    notices.subscribe('dictionaryChanged', () => {
      for (const { inbox } of subscribers) inbox.putMissed()
    }),
  ]

  return {
    /** Ends with the signal, with the session, and with the server. */
    async *openLiveStream(actor: Actor, signal: AbortSignal): AsyncGenerator<Event> {
      let wake: () => void = () => undefined
      const subscriber: Subscriber = {
        actor,
        scope: await scopeOf(db, actor),
        checkedAtMs: Date.now(),
        inbox: createInbox(inboxCapacity, () => subscriber.wake()),
        wake: () => wake(),
      }
      const isOver = () => signal.aborted || closing.signal.aborted
      const onEnd = () => wake()
      signal.addEventListener('abort', onEnd)
      closing.signal.addEventListener('abort', onEnd)
      subscribers.add(subscriber)
      try {
        yield { type: 'ready' }
        while (!isOver()) {
          if (Date.now() - subscriber.checkedAtMs > freshMs && !(await isStillWelcome(subscriber))) return
          const taken = subscriber.inbox.take()
          if (taken) {
            yield* eventsOf(taken)
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
        subscribers.delete(subscriber)
        signal.removeEventListener('abort', onEnd)
        closing.signal.removeEventListener('abort', onEnd)
      }
    },

    /** Lets every stream end: a server that stops would wait for them. */
    close(): void {
      closing.abort()
      for (const stop of unsubscribe) stop()
    },
  }

  /** Brings up to date what a subscriber may see; false when his session is over. */
  async function isStillWelcome(subscriber: Subscriber): Promise<boolean> {
    try {
      const before = sight(subscriber)
      subscriber.actor = await sessions.authenticateAgain(subscriber.actor)
      subscriber.scope = await scopeOf(db, subscriber.actor)
      subscriber.checkedAtMs = Date.now()
      // What waits was chosen by what he might see before.
      if (sight(subscriber) !== before && subscriber.inbox.take()) subscriber.inbox.putMissed()
      return !subscriber.actor.mustChangePassword
    } catch {
      // Whatever the reason, nothing more is told; the client signs in or connects again.
      return false
    }
  }
}

function* eventsOf(taken: { alarms: AlarmRow[]; devices: DeviceRow[]; isMissed: boolean }): Generator<Event> {
  if (taken.isMissed) yield { type: 'missed' }
  for (let from = 0; from < taken.alarms.length; from += rowsPerEvent) {
    yield { type: 'alarms', rows: taken.alarms.slice(from, from + rowsPerEvent) }
  }
  for (let from = 0; from < taken.devices.length; from += rowsPerEvent) {
    yield { type: 'devices', rows: taken.devices.slice(from, from + rowsPerEvent) }
  }
}

/** All that decides what a subscriber is given, to be compared. */
const sight = ({ actor, scope }: Subscriber) =>
  JSON.stringify([scope, holds(actor, 'alarm:page'), holds(actor, 'equip:list')])

/** One load at a time: what changes meanwhile waits, and is loaded together next. */
function createLoads<Id>(parts: {
  load: (ids: Id[]) => Promise<void>
  giveUp: () => void
  onError: (error: unknown) => void
}) {
  const waiting = new Set<Id>()
  let isLoading = false

  const run = async () => {
    isLoading = true
    while (waiting.size > 0) {
      const ids = [...waiting]
      waiting.clear()
      try {
        await parts.load(ids)
      } catch (error) {
        parts.onError(error)
        parts.giveUp()
      }
    }
    isLoading = false
  }
  return {
    add(ids: readonly Id[] | null) {
      for (const id of ids ?? []) waiting.add(id)
      if (ids === null || waiting.size > loadLimit) {
        waiting.clear()
        parts.giveUp()
      }
      if (!isLoading) void run()
    },
  }
}
