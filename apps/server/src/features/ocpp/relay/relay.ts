/**
 * A station's way to the platform that it stays with. What the station calls is passed on, and what the platform calls goes
 * to the station; each side has ids of its own, which its line gives.
 *
 * What a station was answered here while the platform was away is told to it when it is back: how the station has started,
 * and how its connectors stand.
 */
import type {
  StationAnswer,
  StationCall,
  StationLine,
  StationResult,
} from '../../../platform/devices/ocpp/line.ts'
import type { IsAllowed } from '../../../platform/http/outgoing/index.ts'
import { atMost } from './at-most.ts'
import { type BackOfficeLimits, connectBackOffice, type RelayTarget } from './back-office.ts'
import { keptAs, passedError, setsOwnSecret, withoutSecret } from './relay.rules.ts'

export interface Relay {
  /** Of its row, as the station was connected by. */
  readonly edition: string
  readonly isConnected: boolean
  /** Passes a call of the station on. `gone` and `silent`: the platform is away. */
  pass(action: string, payload: Record<string, unknown>): Promise<StationResult>
  /** The station has its answer; the platform hears of it when it is back. */
  tellLater(action: string, payload: Record<string, unknown>): void
  ping(): void
  close(): void
}

export interface RelayNeeds {
  edition: string
  target: RelayTarget
  station: Pick<StationLine, 'ask'>
  isAllowed: IsAllowed
  limits?: BackOfficeLimits | undefined
  /** It is connected (null), or why it is not. */
  changed(failure: string | null): void
  /** What the station has read out of its configuration for the platform. */
  configured(payload: Record<string, unknown>): void
  complain(error: unknown): void
}

/** Before that a station's first calls wait for the first connection to the platform. */
const firstMs = 5_000
/** Connectors and the start. */
const keptAtMost = 130

export function createRelay(needs: RelayNeeds): Relay {
  const { edition, target, station, isAllowed, limits, changed, configured, complain } = needs
  const untold = new Map<string, { action: string; payload: object }>()
  let isFirst = true

  /** A call of the platform's. */
  async function call({ action, payload }: StationCall): Promise<StationAnswer> {
    if (setsOwnSecret(action, payload)) return { result: { status: 'Rejected' } }
    const result = await station.ask(action, payload)
    switch (result.kind) {
      case 'result':
        if (action !== 'GetConfiguration') return { result: result.payload }
        configured(result.payload)
        return { result: withoutSecret(result.payload) }
      case 'error':
        return { error: passedError(result.code), text: result.text }
      case 'silent':
      case 'gone':
        return { error: 'GenericError', text: 'the station does not answer' }
    }
  }

  const office = connectBackOffice(
    target,
    {
      isAllowed,
      call,
      opened() {
        changed(null)
        const kept = [...untold]
        untold.clear()
        for (const [key, { action, payload }] of kept)
          void office
            .ask(action, payload)
            .then(({ kind }) => {
              if ((kind === 'gone' || kind === 'silent') && !untold.has(key))
                untold.set(key, { action, payload })
            })
            .catch(complain)
      },
      failed: changed,
    },
    limits,
  )

  async function tried(): Promise<void> {
    await atMost(office.tried, firstMs)
    isFirst = false
  }

  return {
    edition,
    get isConnected() {
      return office.isOpen
    },
    async pass(action, payload) {
      if (isFirst) await tried()
      return await office.ask(action, payload)
    },
    tellLater(action, payload) {
      const key = keptAs(action, payload)
      if (key === null) return
      untold.delete(key)
      untold.set(key, { action, payload })
      const [oldest] = untold.keys()
      if (untold.size > keptAtMost && oldest !== undefined) untold.delete(oldest)
    },
    ping: office.ping,
    close: office.close,
  }
}
