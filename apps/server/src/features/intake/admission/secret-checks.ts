// Devices that show a secret, by whichever way they come: the limits on wrong ones, and a record of everybody refused.
import { timingSafeEqual } from 'node:crypto'
import { type DeviceProtocol, protocolNames } from '@voltkeep/contract/protocols'
import { hashSecret } from '../../devices/index.ts'
import type { IntakeRefusal, Refusals } from '../intake-refusals.ts'
import { printable } from '../message-decoding.ts'
import type { Device } from './device-identities.ts'
import type { Attempts } from './secret-attempts.ts'

type KnownDevice = Pick<Device, 'id' | 'code'>

/** Whom a connection or a request names, and from where it comes. */
export interface Comer {
  named: string
  address: string
}

export type SecretChecks = ReturnType<typeof createSecretChecks>

export function createSecretChecks({
  attempts,
  refusals,
}: {
  attempts: Attempts
  refusals: Pick<Refusals, 'record'>
}) {
  /** Records a refusal: under the device's code, or under what a stranger calls itself. */
  function turnAway(
    { named, address }: Comer,
    device: KnownDevice | null,
    reason: IntakeRefusal['reason'],
    detail: string | null,
  ): void {
    refusals.record({
      deviceCode: device?.code ?? printable(Buffer.from(named)),
      deviceId: device?.id ?? null,
      reason,
      topic: null,
      detail,
      payload: null,
      address,
    })
  }

  return {
    turnAway,
    turnAwayTooMany: (comer: Comer, device: KnownDevice) =>
      turnAway(comer, device, 'tooManySignIns', '该地址多次使用错误的密钥，稍后再试'),
    /** Whether a secret of the device may be shown from this address now. */
    mayTry: ({ address }: Comer, { code }: KnownDevice) => attempts.mayTry(code, address),
    failed: ({ address }: Comer, { code }: KnownDevice) => attempts.failed(code, address),
    succeeded: ({ address }: Comer, { code }: KnownDevice) => attempts.succeeded(code, address),
    /** Whether the device is registered as one that comes this way. */
    speaks(comer: Comer, device: KnownDevice & Pick<Device, 'protocol'>, protocol: DeviceProtocol): boolean {
      if (device.protocol === protocol) return true
      turnAway(comer, device, 'wrongProtocol', `该设备登记为以 ${protocolNames[device.protocol]} 接入`)
      return false
    },
  }
}

type Secrets = Pick<Device, 'secretHash' | 'nextSecretHash'>

export function isSecretOf({ secretHash, nextSecretHash }: Secrets, secret: string | Buffer): boolean {
  const hash = hashSecret(secret)
  return (
    timingSafeEqual(hash, secretHash) || (nextSecretHash != null && timingSafeEqual(hash, nextSecretHash))
  )
}

/** As it has come: with a secret that it is getting, that one is its secret. */
export function withShownSecret(device: Device, secret: Buffer | null): Device {
  const { nextSecretHash } = device
  if (nextSecretHash == null || secret === null || !timingSafeEqual(hashSecret(secret), nextSecretHash))
    return device
  return { ...device, secretHash: nextSecretHash, nextSecretHash: null, hasNewSecret: true }
}
