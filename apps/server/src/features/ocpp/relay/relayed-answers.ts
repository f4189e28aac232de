/**
 * The answers to calls of stations that stay with another platform: its own, while what they say is read along. Reading along
 * gives way: where the database does not take it in time, the platform's answer goes all the same.
 */
import type { StationAnswer, StationCall } from '../../../platform/devices/ocpp/line.ts'
import type { Session } from '../session.ts'
import { readCall } from '../station-calls.ts'
import { atMost } from './at-most.ts'
import { passedError, whileAway } from './relay.rules.ts'

type Answer = (session: Session, call: StationCall) => Promise<StationAnswer>

export interface RelayedNeeds {
  /** What is answered here, once it is written. Of an observed station nothing but the writing counts. */
  own: Answer
  failed(error: unknown): void
  writtenWithinMs?: number
}

const usualWrittenMs = 5_000
/** Calls of a station that wait for the database; what comes then is passed on and not read. */
const readAtMost = 64
const sessionsAtMost = 128
const tryAgainLater = 1013

const notNow = { error: 'InternalError', text: 'not now' } as const

export function createRelayedAnswers({
  own,
  failed,
  writtenWithinMs = usualWrittenMs,
}: RelayedNeeds): Answer {
  /** Null where it could not be read along. */
  async function readAlong(session: Session, call: StationCall): Promise<StationAnswer | null> {
    if (session.readingCount >= readAtMost) return null
    session.readingCount += 1
    try {
      return await own(session, call)
    } catch (error) {
      failed(error)
      return null
    } finally {
      session.readingCount -= 1
    }
  }

  return async (session, call) => {
    await session.ready
    const { relay, station } = session
    const { action, payload } = call
    if (!relay || isNumberedHere(session, call)) return await own(session, call)
    const read = readAlong(session, call)
    const result = await relay.pass(action, payload)
    switch (result.kind) {
      case 'result':
        noteSession(session, call, result.payload)
        await atMost(read, writtenWithinMs)
        return { result: result.payload }
      case 'error':
        await atMost(read, writtenWithinMs)
        return { error: passedError(result.code), text: result.text }
      case 'gone':
      case 'silent':
        break
    }
    switch (whileAway(action, payload)) {
      case 'close':
        // Offline it goes by its own list of cards, and keeps what it has to say of the session.
        station.close(tryAgainLater)
        return notNow
      case 'answer':
        relay.tellLater(action, payload)
        return (await read) ?? notNow
      case 'refuse':
        return action === 'DataTransfer' ? { result: { status: 'Rejected' } } : notNow
    }
  }
}

/** The end of a charging session that has begun before the station was relayed: the platform knows nothing of it. */
const isNumberedHere = ({ transactions }: Session, { action, payload }: StationCall): boolean =>
  (action === 'StopTransaction' || action === 'MeterValues') &&
  transactions.has(Number(payload.transactionId))

/** Which connector a session of the platform's is at, for what is said of its end. */
function noteSession(
  { relayedTransactions }: Session,
  { action, payload }: StationCall,
  { transactionId }: Record<string, unknown>,
): void {
  if (action === 'StopTransaction') relayedTransactions.delete(Number(payload.transactionId))
  if (action !== 'StartTransaction' || typeof transactionId !== 'number') return
  const read = readCall(action, payload)
  relayedTransactions.set(transactionId, 'said' in read ? read.said.connectorId : 0)
  const [oldest] = relayedTransactions.keys()
  if (relayedTransactions.size > sessionsAtMost && oldest !== undefined) relayedTransactions.delete(oldest)
}
