/**
 * Which of the stations that are connected to this process are relayed, and how their rows say it. A station whose relay has
 * changed is sent away: it comes back, and is then as its row has it.
 */
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { IsAllowed } from '../../../platform/http/outgoing/index.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { ocppRelaysChanged } from '../ocpp.notices.ts'
import { comeAgain, type Session } from '../session.ts'
import type { BackOfficeLimits } from './back-office.ts'
import { createRelay, type Relay } from './relay.ts'
import * as queries from './relays.queries.ts'
import { openSecrets } from './sealed.ts'

/** A notice may be lost. */
const checkMs = 60_000

export interface RelayKeeperNeeds {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  sealer: Sealer
  isAllowed: IsAllowed
  limits?: BackOfficeLimits | undefined
  sessions: ReadonlyMap<number, Session>
  configured(session: Session, read: Record<string, unknown>): void
  complain(error: unknown): void
}

type Target = NonNullable<Awaited<ReturnType<typeof queries.findTarget>>>

export function createRelayKeeper({
  db,
  notices,
  sealer,
  isAllowed,
  limits,
  sessions,
  configured,
  complain,
}: RelayKeeperNeeds) {
  /** What is written of a device, one after the other. */
  const marks = new Map<number, Promise<void>>()

  /** Since when each relay is connected, as its row has it. */
  const since = new WeakMap<Relay, string>()
  /** `failure` null: it is connected; undefined: the station itself is not here any more. */
  async function write(id: number, relay: Relay, failure: string | null | undefined): Promise<void> {
    const before = since.get(relay)
    if (failure === undefined) {
      if (before !== undefined) await queries.markGone(db, id, before)
    } else if (failure !== null) await queries.markFailed(db, id, failure)
    else {
      const connected = await queries.markConnected(db, id)
      if (connected !== undefined) since.set(relay, connected)
    }
  }
  function mark(id: number, relay: Relay, failure: string | null | undefined): void {
    const marked = (marks.get(id) ?? Promise.resolve())
      .then(() => write(id, relay, failure))
      .catch(complain)
      .finally(() => {
        if (marks.get(id) === marked) marks.delete(id)
      })
    marks.set(id, marked)
  }

  async function check(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const rows = new Map((await queries.listEditions(db, ids)).map((row) => [row.id, row]))
    for (const id of ids) {
      const session = sessions.get(id)
      if (!session?.isReady) continue
      const row = rows.get(id)
      const { relay } = session
      if (row?.edition !== relay?.edition) session.station.close(comeAgain)
      // A late word of a former connection.
      else if (relay?.isConnected && row && !row.isConnected) mark(id, relay, null)
    }
  }

  const unsubscribe = notices.subscribe(ocppRelaysChanged, (ids) => {
    check(ids ?? [...sessions.keys()]).catch(complain)
  })
  const timer = setInterval(() => void check([...sessions.keys()]).catch(complain), checkMs)

  return {
    find: (deviceId: number): Promise<Target | undefined> => queries.findTarget(db, deviceId),

    open(session: Session, { code, url, identity, edition, ...sealed }: Target): Relay {
      const { id } = session.identity
      const secrets = openSecrets(sealer, sealed)
      const relay: Relay = createRelay({
        edition,
        target: {
          url,
          identity: identity ?? code,
          ...(secrets ?? { password: null, tls: {} }),
        },
        station: session.station,
        isAllowed,
        limits,
        changed: (failure) => {
          if (session.station.isOpen)
            mark(
              id,
              relay,
              failure !== null && secrets === null
                ? '密码无法读取：密钥文件已更换（见 SEAL_KEY），请重新填写'
                : failure,
            )
        },
        configured: (read) => configured(session, read),
        complain,
      })
      return relay
    },

    /** The station's connection has ended. */
    closed({ identity, relay }: Session): void {
      if (!relay) return
      relay.close()
      mark(identity.id, relay, undefined)
    },

    close(): void {
      unsubscribe()
      clearInterval(timer)
      for (const { relay } of sessions.values()) relay?.close()
    },
  }
}
