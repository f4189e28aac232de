// Devices that show a secret, by whichever way they come: the limits on wrong ones, and a record of everybody refused.
import { createHash, timingSafeEqual } from 'node:crypto'
import { type DeviceProtocol, protocolNames } from '@voltkeep/contract/protocols'
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

  const isOpen = ({ address }: Comer, { code }: KnownDevice) => attempts.mayTry(code, address)
  const guessed = ({ address }: Comer, { code }: KnownDevice) => attempts.failed(code, address)
  const turnAwayTooMany = (comer: Comer, device: KnownDevice) =>
    turnAway(comer, device, 'tooManySignIns', '该地址多次使用错误的密钥，稍后再试')

  return {
    turnAway,
    turnAwayTooMany,
    /** Like `mayTry`, without a record. */
    isOpen,
    /** Like `failed`, without a record. */
    guessed,
    /** Whether a secret of the device may be shown from this address now. */
    mayTry(comer: Comer, device: KnownDevice): boolean {
      if (isOpen(comer, device)) return true
      turnAwayTooMany(comer, device)
      return false
    },
    failed(comer: Comer, device: KnownDevice, detail: string | null): void {
      guessed(comer, device)
      turnAway(comer, device, 'wrongSecret', detail)
    },
    succeeded: ({ address }: Comer, { code }: KnownDevice) => attempts.succeeded(code, address),
    /** Whether the device is registered as one that comes this way. */
    speaks(comer: Comer, device: KnownDevice & Pick<Device, 'protocol'>, protocol: DeviceProtocol): boolean {
      if (device.protocol === protocol) return true
      turnAway(comer, device, 'wrongProtocol', `该设备登记为以 ${protocolNames[device.protocol]} 接入`)
      return false
    },
  }
}

export const hashOf = (secret: string | Buffer) => createHash('sha256').update(secret).digest()

export const isSecretOf = ({ secretHash }: Pick<Device, 'secretHash'>, secret: string | Buffer): boolean =>
  timingSafeEqual(hashOf(secret), secretHash)
