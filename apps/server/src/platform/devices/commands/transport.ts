/** A device that commands can be sent to from this process now. */
export interface Reachable {
  deviceId: number
  /** How many more commands may be under way to it; 0 while it has to acknowledge others first. */
  room: number
  /** The down topics that it listens to; null for all. */
  topics: readonly string[] | null
}

/** A command as it goes out. */
export interface OutgoingCommand {
  deviceId: number
  deviceCode: string
  topic: string
  /** JSON, head included. */
  payload: string
}

/**
 * A way to reach devices. Nothing here depends on MQTT: a device that fetched its commands over HTTP would be reachable
 * for as long as its request is open.
 */
export interface CommandTransport {
  /** Those of the devices that are reachable from this process. */
  reachable(deviceIds: readonly number[]): Promise<Reachable[]>
  /** Those of the devices that are connected, to this process or to another one. */
  connected(deviceIds: readonly number[]): Promise<readonly number[]>
  /**
   * Hands a command over; it is lost where the device has gone meanwhile. `delivered` is called once the device
   * itself has acknowledged it, and never where the transport cannot know.
   */
  send(command: OutgoingCommand, delivered: () => void): void
  /**
   * Tells when a device has become reachable or has room again. `isReturn`: over a new connection, so that messages
   * under way over an older one are lost. Null for "any of them". Telling too often does no harm: a command that goes
   * out again has its id, and the device knows it.
   */
  onReady(listener: (deviceId: number | null, isReturn: boolean) => void): void
  /** Tells when a device has left; not there where the transport cannot know. */
  onGone?(listener: () => void): void
}
