import type { Message } from './outgoing.ts'

/** One connection of a client that has signed in as `Identity`. */
export interface Peer<Identity> {
  readonly identity: Identity
  readonly address: string
  /** Whether it has subscribed to the topic. Nothing is published to a client that has not. */
  isSubscribed(topic: string): boolean
  /** Its topic filters in one text: while that stays the same, so does what it has subscribed to. */
  readonly filters: string
  /** Messages published with QoS 1 that it has not acknowledged. */
  readonly unacknowledgedCount: number
  /** So many sent bytes were not read by it that nothing more should be sent. */
  readonly isBehind: boolean
  /**
   * Publishes to this client alone, with the QoS that it has subscribed with, 1 at most. `acknowledged` is called
   * with its PUBACK; never where the connection ends first or the QoS is 0.
   */
  publish(message: Message, acknowledged: () => void): void
  close(): void
}
