// The devices that are connected to this process by a protocol, by their codes; a connection ends when its proof no longer
// holds.
import type { DeviceProtocol } from '@voltkeep/contract/protocols'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { ListenersOptions } from '../../../platform/devices/mqtt/listeners.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { devicesChanged } from '../../devices/index.ts'
import type { Device, Identities } from '../admission/device-identities.ts'
import { isStillValid } from '../client-certificates.ts'

/** A connection of a device, as far as it can be closed. */
interface ConnectedPeer {
  readonly identity: Device
  close(): void
}

interface ConnectionsNeeds {
  protocol: DeviceProtocol
  secure: Pick<NonNullable<ListenersOptions['secure']>, 'tls'> | null | undefined
  /** Have forgotten what has changed when it is told here. */
  identities: Pick<Identities, 'find' | 'onSweep'>
  notices: Pick<Notices, 'subscribe'>
  log: Log
}

/**
 * Closes the connections of devices that were deleted, have a new secret, speak otherwise by a new model or identity, or whose certificate is not valid any more.
 */
export function createConnections<P extends ConnectedPeer>({
  protocol,
  identities,
  notices,
  secure,
  log,
}: ConnectionsNeeds) {
  const peers = new Map<string, P>()

  async function recheck(codes: readonly string[]): Promise<void> {
    await Promise.all(
      codes.map(async (code) => {
        const peer = peers.get(code)
        if (!peer) return
        const device = await identities.find(code)
        const { id, secretHash, certificate, modelId, protocolIdentity } = peer.identity
        const isSame =
          device?.id === id &&
          (device.secretHash.equals(secretHash) || device.nextSecretHash?.equals(secretHash)) &&
          device.protocol === protocol &&
          device.modelId === modelId &&
          device.protocolIdentity === protocolIdentity
        const isValid = !certificate || (secure && isStillValid(certificate, secure.tls.current))
        if (!isSame || !isValid) peer.close()
      }),
    )
  }
  const changed = (codes: readonly string[] | null) => {
    recheck(codes ?? [...peers.keys()]).catch((err) =>
      log.warn(
        { err },
        spoken({
          zh: '设备变更后未能复查其连接',
          en: 'the connections of changed devices could not be checked again',
        }),
      ),
    )
  }
  const unsubscribe = notices.subscribe(devicesChanged, changed)
  secure?.tls.onChange((current, former) => {
    for (const peer of peers.values()) {
      const { certificate } = peer.identity
      const isOfOthers = current.texts.clientCa !== former.texts.clientCa
      if (certificate && (isOfOthers || !isStillValid(certificate, current))) peer.close()
    }
  })
  // A notice may be lost, and certificates expire while connections last for weeks.
  const stopSweeps = identities.onSweep(() => changed(null))

  return {
    add: (peer: P) => void peers.set(peer.identity.code, peer),
    remove(peer: P): void {
      if (peers.get(peer.identity.code) === peer) peers.delete(peer.identity.code)
    },
    end: (code: string) => peers.get(code)?.close(),
    stopChecking(): void {
      unsubscribe()
      stopSweeps()
    },
  }
}
