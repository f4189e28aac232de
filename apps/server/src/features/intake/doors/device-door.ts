/**
 * Devices that come by another way than the broker, each request with a proof: who that is, within the limits on wrong
 * secrets and on the number of requests. What is turned away is recorded as at the broker.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { type DeviceProtocol, protocolNames } from '@voltkeep/contract'
import { refuse } from '../../../platform/calls/refusal.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { devicesChanged } from '../../devices/index.ts'
import { createIdentities, type Device } from '../device-identities.ts'
import { createConduct } from '../embedded/device-conduct.ts'
import { isSecretOf } from '../embedded/device-sign-in.ts'
import type { Attempts } from '../embedded/secret-attempts.ts'
import { findDevicesByCode } from '../intake.queries.ts'
import type { IntakeRefusal, Refusals } from '../intake-refusals.ts'
import { printable } from '../message-decoding.ts'

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
  db,
  notices,
  refusals,
  attempts,
  protocol,
  requests,
  gatewaySecret,
}: DoorLimits & {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  refusals: Refusals
  attempts: Attempts
}): DeviceDoor {
  const identities = createIdentities({ read: (codes) => findDevicesByCode(db, codes) })
  const unsubscribe = notices.subscribe(devicesChanged, (codes) => identities.forget(codes))
  const conduct = createConduct({
    limits: { messagesPerSecond: requests.perSecond, messageBurst: requests.burst, bytesPerSecond: 0 },
    throttle: () => {},
  })
  const gatewayHash = gatewaySecret === null ? null : createHash('sha256').update(gatewaySecret).digest()

  const record = (
    code: string,
    device: AdmittedDevice | null,
    reason: IntakeRefusal['reason'],
    detail: string | null,
    address: string,
  ) =>
    refusals.record({
      deviceCode: printable(Buffer.from(code)),
      deviceId: device?.id ?? null,
      reason,
      topic: null,
      detail,
      payload: null,
      address,
    })

  const isRight = (device: Device, { of, secret }: Proof) => {
    if (of === 'device') return isSecretOf(device, Buffer.from(secret))
    const hash = createHash('sha256').update(secret).digest()
    return gatewayHash !== null && timingSafeEqual(hash, gatewayHash)
  }

  return {
    async admit({ code, proof, address }) {
      const device = codePattern.test(code) ? await identities.find(code) : null
      if (!device) {
        record(code, null, 'unknownDevice', null, address)
        return refuse('agentUnknown')
      }
      if (!attempts.mayTry(code, address)) {
        record(code, device, 'tooManySignIns', '该地址多次使用错误的密钥，稍后再试', address)
        return refuse('tooManyWrongSecrets')
      }
      if (!proof || !isRight(device, proof)) {
        attempts.failed(code, address)
        const detail = proof ? null : '未提供密钥，应为 Authorization: TargetToken 加设备密钥'
        record(code, device, 'wrongSecret', detail, address)
        return refuse('agentUnknown')
      }
      attempts.succeeded(code, address)
      if (device.protocol !== protocol) {
        const registered = protocolNames[device.protocol]
        record(code, device, 'wrongProtocol', `该设备登记为以 ${registered} 接入`, address)
        return refuse('agentUnknown')
      }
      if (conduct.received(device.id, 0) > 0) {
        record(code, device, 'throttled', '请求过多', address)
        return refuse('tooManyCalls')
      }
      return { id: device.id, code: device.code }
    },
    turnedAway: (device, reason, detail, address) => record(device.code, device, reason, detail, address),
    async close() {
      unsubscribe()
      conduct.close()
      await refusals.close()
    },
  }
}
