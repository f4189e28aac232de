/**
 * Devices that come by another way than the broker, each request with a proof: who that is, within the limits on wrong
 * secrets and on the number of requests. What is turned away is recorded as at the broker.
 */
import { timingSafeEqual } from 'node:crypto'
import type { DeviceProtocol } from '@voltkeep/contract'
import { refuse } from '../../../platform/calls/refusal.ts'
import { hashSecret } from '../../devices/index.ts'
import { createConduct } from '../embedded/device-conduct.ts'
import type { IntakeRefusal, Refusals } from '../intake-refusals.ts'
import type { Device, Identities } from './device-identities.ts'
import { isSecretOf, type SecretChecks } from './secret-checks.ts'

export type AdmittedDevice = Pick<Device, 'id' | 'code'>

/** What a request shows: the device's own secret, or the one of a gateway that speaks for many. */
interface Proof {
  of: 'device' | 'gateway'
  secret: string
}

export interface DeviceDoor {
  /**
   * The device of a request. Throws `agentUnknown`, `tooManyWrongSecrets` after too many wrong secrets from the address,
   * and `tooManyCalls`.
   */
  admit(request: { code: string; proof: Proof | null; address: string }): Promise<AdmittedDevice>
  /** Records what a known device was refused. */
  turnedAway(device: AdmittedDevice, reason: IntakeRefusal['reason'], detail: string, address: string): void
  close(): Promise<void>
}

export interface DoorLimits {
  protocol: DeviceProtocol
  /** Of a device; this number at once, and then so many a second. */
  requests: { burst: number; perSecond: number }
  /** The secret of gateways; null: there are none. */
  gatewaySecret: string | null
}

const codePattern = /^[A-Za-z0-9]{1,32}$/

export function createDeviceDoor({
  identities,
  refusals,
  checks,
  protocol,
  requests,
  gatewaySecret,
}: DoorLimits & {
  identities: Pick<Identities, 'find'>
  refusals: Pick<Refusals, 'close'>
  checks: SecretChecks
}): DeviceDoor {
  const conduct = createConduct({
    limits: { messagesPerSecond: requests.perSecond, messageBurst: requests.burst, bytesPerSecond: 0 },
    throttle: () => {},
  })
  const gatewayHash = gatewaySecret === null ? null : hashSecret(gatewaySecret)

  const isRight = (device: Device, { of, secret }: Proof) =>
    of === 'device'
      ? isSecretOf(device, secret)
      : gatewayHash !== null && timingSafeEqual(hashSecret(secret), gatewayHash)

  return {
    async admit({ code, proof, address }) {
      const comer = { named: code, address }
      const device = codePattern.test(code) ? await identities.find(code) : null
      if (!device) {
        checks.turnAway(comer, null, 'unknownDevice', null)
        return refuse('agentUnknown')
      }
      if (!checks.mayTry(comer, device)) {
        checks.turnAwayTooMany(comer, device)
        return refuse('tooManyWrongSecrets')
      }
      if (!proof || !isRight(device, proof)) {
        const detail = proof ? null : '未提供密钥，应为 Authorization: TargetToken 加设备密钥'
        checks.failed(comer, device)
        checks.turnAway(comer, device, 'wrongSecret', detail)
        return refuse('agentUnknown')
      }
      checks.succeeded(comer, device)
      if (!checks.speaks(comer, device, protocol)) return refuse('agentUnknown')
      if (conduct.received(device.id, 0) > 0) {
        checks.turnAway(comer, device, 'throttled', '请求过多')
        return refuse('tooManyCalls')
      }
      return { id: device.id, code: device.code }
    },
    turnedAway: (device, reason, detail, address) =>
      checks.turnAway({ named: device.code, address }, device, reason, detail),
    async close() {
      conduct.close()
      await refusals.close()
    },
  }
}
