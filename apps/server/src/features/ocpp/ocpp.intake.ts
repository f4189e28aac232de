// How what stations say beside reports gets into the database: in the lanes, in the batches of everything else.
import type { Writer } from '../../platform/devices/ingest/writer.ts'
import {
  type Boot,
  type ConnectorRow,
  countUnknownCodes,
  endTransactions,
  insertStarts,
  type Start,
  type Stop,
  type UnknownCode,
  upsertBoots,
  upsertConnectors,
} from './ocpp.queries.ts'

/** The last of each key: an upsert takes a key only once. */
const latest = <Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string | number) => [
  ...new Map(entries.map((entry) => [keyOf(entry), entry])).values(),
]

export const bootWriter: Writer<Boot> = {
  name: 'ocpp boot',
  async write(connection, boots) {
    await upsertBoots(
      connection,
      latest(boots, ({ deviceId }) => deviceId),
    )
    return undefined
  },
}

/** After the alarms of the same batch: where a station's alarm is not written, its connector does not stand as if it were. */
export const connectorWriter: Writer<ConnectorRow> = {
  name: 'ocpp connector',
  isLast: true,
  async write(connection, rows) {
    await upsertConnectors(
      connection,
      latest(rows, ({ deviceId, connectorId }) => `${deviceId} ${connectorId}`),
    )
    return undefined
  },
}

export const unknownCodeWriter: Writer<UnknownCode> = {
  name: 'ocpp unknown code',
  async write(connection, codes) {
    const sums = new Map<string, UnknownCode>()
    for (const code of codes) {
      const key = JSON.stringify([code.deviceId, code.vendor, code.code])
      sums.set(key, { ...code, count: code.count + (sums.get(key)?.count ?? 0) })
    }
    await countUnknownCodes(connection, [...sums.values()])
    return undefined
  },
}

/** A start with whoever waits for its number. */
export interface StartEntry extends Start {
  numbered(id: number | undefined): void
}

export const startWriter: Writer<StartEntry> = {
  name: 'ocpp start',
  async write(connection, starts) {
    const numberOf = await insertStarts(connection, starts)
    return () => {
      for (const start of starts) start.numbered(numberOf(start))
    }
  },
}

export const stopWriter: Writer<Stop> = {
  name: 'ocpp stop',
  async write(connection, stops) {
    await endTransactions(
      connection,
      // A number is a station's own claim: of another station's session it ends nothing.
      latest(stops, ({ deviceId, transactionId }) => `${deviceId} ${transactionId}`),
    )
    return undefined
  },
}
