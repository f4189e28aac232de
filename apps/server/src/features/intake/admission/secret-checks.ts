// Devices that show a secret, by whichever way they come: the limits on wrong ones, and a record of everybody refused.
import { timingSafeEqual } from 'node:crypto'
import { type DeviceProtocol, protocolNames } from '@voltkeep/contract/protocols'
import { hashSecret } from '../../devices/index.ts'
import type { IntakeRefusal, Refusals } from '../intake-refusals.ts'
import { printable } from '../message-decoding.ts'
import type { Device } from './device-identities.ts'
import type { Attempts } from './secret-attempts.ts'

const longestName = 64

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

  /** Of who is no device by the name: who guesses learns from the limit, too, whether there is one. */
  const keyOf = ({ named }: Comer, device: KnownDevice | null) => device?.code ?? named.slice(0, longestName)

  return {
    turnAway,
    turnAwayTooMany: (comer: Comer, device: KnownDevice) =>
      turnAway(comer, device, 'tooManySignIns', '该地址多次使用错误的密钥，稍后再试'),
    /** Whether a secret of the device, or of nobody's by that name, may be shown from this address now. */
    mayTry: (comer: Comer, device: KnownDevice | null) =>
      attempts.mayTry(keyOf(comer, device), comer.address),
    failed: (comer: Comer, device: KnownDevice | null) =>
      attempts.failed(keyOf(comer, device), comer.address),
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
