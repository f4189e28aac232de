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
import { type Comer, isSecretOf, type SecretChecks } from './secret-checks.ts'

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
  /**
   * The device of a request that shows a signed address in place of a proof, where `isRight` says that the address is one
   * for that device. Null where it is none, or there is no such device, which are one to a stranger: both count as a wrong
   * secret. Throws `tooManyWrongSecrets`.
   */
  admitByAddress(
    request: { code: string; address: string },
    isRight: (device: AdmittedDevice) => Promise<boolean>,
  ): Promise<AdmittedDevice | null>
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

  const find = async ({ named }: Comer): Promise<Device | null> =>
    codePattern.test(named) ? await identities.find(named) : null

  /**
   * Refuses after too many wrong secrets, of a code that is nobody's as of a device. Nothing is awaited between this and the
   * count of the next wrong one: of guesses sent at the same moment, each would find the count as it was before them all.
   */
  function refuseTooMany(comer: Comer, device: Device | null): void {
    if (checks.mayTry(comer, device)) return
    if (device) checks.turnAwayTooMany(comer, device)
    else checks.turnAway(comer, null, 'unknownDevice', null)
    refuse('tooManyWrongSecrets')
  }

  return {
    async admit({ code, proof, address }) {
      const comer = { named: code, address }
      const device = await find(comer)
      refuseTooMany(comer, device)
      if (!device) {
        checks.failed(comer, null)
        checks.turnAway(comer, null, 'unknownDevice', null)
        return refuse('agentUnknown')
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
    async admitByAddress({ code, address }, isRight) {
      const comer = { named: code, address }
      const device = await find(comer)
      refuseTooMany(comer, device)
      const found = device?.protocol === protocol ? { id: device.id, code: device.code } : null
      const isItsAddress = found !== null && (await isRight(found))
      // Others may have been wrong meanwhile: who tries many at once is not told which of them was right.
      refuseTooMany(comer, device)
      if (isItsAddress) return found
      checks.failed(comer, device)
      if (device) checks.turnAway(comer, device, 'wrongSecret', '下载地址无效')
      else checks.turnAway(comer, null, 'unknownDevice', null)
      return null
    },
    turnedAway: (device, reason, detail, address) =>
      checks.turnAway({ named: device.code, address }, device, reason, detail),
    async close() {
      conduct.close()
      await refusals.close()
    },
  }
}
