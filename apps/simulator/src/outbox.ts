// The messages of a device that the server has not acknowledged yet.
import type { InputOf } from '@voltkeep/contract'
import { topicOf, type UpTopicName, type upTopics } from '@voltkeep/contract/topics/index'
import type { MqttLink } from './link.ts'

export type ReportName = UpTopicName

/** A report without its head: the device writes `id` and `time` itself. */
export type ReportBody<Name extends ReportName> = Omit<
  InputOf<(typeof upTopics)[Name]['payload']>,
  'id' | 'time'
>

/** A message as it stands in the outbox. */
export interface Report {
  deviceCode: string
  name: ReportName
  id: string
  /** Milliseconds since 1970 by the device's clock. */
  time: number
  body: object
}

export type ReportOutcome = 'acknowledged' | 'discarded'

interface Outgoing {
  report: Report
  payload: string
  /** Set while the message is under way. */
  packetId?: number
  resolve: (outcome: ReportOutcome) => void
}

/** Messages in flight at once: enough for a slow connection, few enough not to flood a slow server. */
const inFlightLimit = 20
/** A real cabinet's flash is finite too: beyond this a new report is discarded. */
const sizeLimit = 2_000

/**
 * Reports that wait for their PUBACK, over any number of connections: at least once on the wire, exactly
 * once in the history, since a repeated message carries the same id.
 */
export class Outbox {
  readonly #isCleanSession: boolean
  /** In the order in which they were made; the first `#sentCount` are under way. */
  readonly #waiting: Outgoing[] = []
  #sentCount = 0
  #lastPacketId = 0

  constructor({ isCleanSession }: { isCleanSession: boolean }) {
    this.#isCleanSession = isCleanSession
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Resolves with the PUBACK as `acknowledged`; `discarded` where the outbox is full. */
  put(report: Report): Promise<ReportOutcome> {
    if (this.#waiting.length >= sizeLimit) return Promise.resolve('discarded')
    const payload = JSON.stringify({ id: report.id, time: report.time, ...report.body })
    return new Promise((resolve) => this.#waiting.push({ report, payload, resolve }))
  }

  /** Sends the reports that may be sent. */
  flush(link: MqttLink | undefined): void {
    if (!link?.isConnected) return
    while (this.#sentCount < Math.min(this.#waiting.length, inFlightLimit)) {
      const next = this.#waiting[this.#sentCount] as Outgoing
      // In a persistent session, MQTT requires the packet id of the first sending and the DUP flag.
      const isRepeated = next.packetId !== undefined && !this.#isCleanSession
      const packetId = isRepeated ? (next.packetId as number) : this.newPacketId()
      next.packetId = packetId
      this.#sentCount += 1
      const { deviceCode, name } = next.report
      link.publish(packetId, topicOf(deviceCode, 'up', name), next.payload, { isDuplicate: isRepeated })
    }
  }

  /** The report with this packet id; undefined where the packet was not sent from here. */
  acknowledge(packetId: number): Report | undefined {
    let at = this.#sentCount - 1
    while (at >= 0 && this.#waiting[at]?.packetId !== packetId) at -= 1
    if (at === -1) return undefined
    const [sent] = this.#waiting.splice(at, 1) as [Outgoing]
    this.#sentCount -= 1
    sent.resolve('acknowledged')
    return sent.report
  }

  /** Reports under way may or may not have arrived: all of them are sent again, with the same ids. */
  connectionEnded(): void {
    this.#sentCount = 0
  }

  /** 1 to 65,535; not the id of a report under way. */
  newPacketId(): number {
    const sent = this.#waiting.slice(0, inFlightLimit)
    do {
      this.#lastPacketId = (this.#lastPacketId % 65_535) + 1
    } while (sent.some(({ packetId }) => packetId === this.#lastPacketId))
    return this.#lastPacketId
  }
}
