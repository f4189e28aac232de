// What is known of a station while it is connected.
import { randomBytes } from 'node:crypto'
import type { StationLine } from '../../platform/devices/ocpp/line.ts'
import type { DeviceLine } from '../intake/index.ts'
import type { Standing } from './ocpp.queries.ts'
import { type FaultAlarm, noValues, type StationValues } from './ocpp.rules.ts'
import type { Relay } from './relay/relay.ts'

/** What a connection is closed with whose station is to connect anew. */
export const comeAgain = 1012

export interface Session extends DeviceLine {
  /** Tells messages of this connection from those of another: stations count them from one again. */
  readonly id: string
  readonly station: StationLine
  /** Resolves when the rest is known, or will not be: then the connection ends. */
  ready: Promise<void>
  isReady: boolean
  firstPart: string | null
  vendor: string
  /** It has said before what it is. */
  isDescribed: boolean
  connectors: Map<number, { alarm: FaultAlarm | null }>
  /** Those that have been heard of since it connected. */
  heardOf: Set<number>
  values: StationValues
  /** Charging sessions under way: number → connector. */
  transactions: Map<number, number>
  /** Keys that take effect with the next start. */
  rebootKeys: Set<string>
  /** The last command that must not be carried out twice. */
  onceCommandId: string | null
  /** Commands that are being carried out. */
  underWay: Set<string>
  /** The command whose file the station is uploading. */
  diagnosticsId: string | null
  hasBooted: boolean
  /** The platform that controls it, and answers it; null where that is here. */
  relay: Relay | null
  /** Charging sessions as that platform numbers them: number → connector. */
  relayedTransactions: Map<number, number>
  /** Its calls that are being read along. */
  readingCount: number
}

export const newSession = (
  identity: DeviceLine['identity'],
  address: string,
  station: StationLine,
): Session => ({
  identity,
  address,
  station,
  close: () => station.close(),
  id: randomBytes(9).toString('base64url'),
  ready: Promise.resolve(),
  isReady: false,
  firstPart: null,
  vendor: '',
  isDescribed: false,
  connectors: new Map(),
  heardOf: new Set(),
  values: noValues(),
  transactions: new Map(),
  rebootKeys: new Set(),
  onceCommandId: null,
  underWay: new Set(),
  diagnosticsId: null,
  hasBooted: false,
  relay: null,
  relayedTransactions: new Map(),
  readingCount: 0,
})

export function takeStanding(session: Session, standing: Standing): void {
  const { firstPart, station, connectors, transactions } = standing
  session.firstPart = firstPart
  session.vendor = station?.vendor ?? ''
  session.isDescribed = station !== null && station.vendor !== ''
  session.rebootKeys = new Set(station?.rebootKeys)
  session.onceCommandId = station?.commandId ?? null
  for (const { connectorId, status, semaphoreCode, alarmValue } of connectors) {
    session.connectors.set(connectorId, {
      alarm: semaphoreCode === null ? null : { semaphoreCode, value: alarmValue },
    })
    session.values.statuses.set(connectorId, status)
  }
  for (const { id, connectorId } of transactions) session.transactions.set(id, connectorId)
}
