// Which device a connection of a protocol is, by its secret or its certificate, and whether it may come now.
import { createHash, timingSafeEqual } from 'node:crypto'
import { throttleReasons } from '@voltkeep/contract/devices'
import { type DeviceProtocol, protocolNames } from '@voltkeep/contract/protocols'
import type { Login, LoginRefusal } from '../../../platform/devices/mqtt/broker.ts'
import { certificateOf, faultOf } from '../client-certificates.ts'
import type { Device, Identities } from '../device-identities.ts'
import type { IntakeRefusal, Refusals } from '../intake-refusals.ts'
import { printable } from '../message-decoding.ts'
import type { Conduct } from './device-conduct.ts'
import type { Attempts } from './secret-attempts.ts'

/** A name of another form cannot be registered, and is not looked up. */
const namePattern = /^[!-~]{1,64}$/

interface SignInNeeds {
  protocol: DeviceProtocol
  identities: Identities
  conduct: Conduct
  refusals: Pick<Refusals, 'record'>
  attempts: Attempts
  /** Whether the device speaks another maker's words: it says who it is as that maker has it. */
  isForeign(device: Device): boolean
  /** Whether devices at this address need no proof. */
  isOpenTo?(address: string): boolean
}

/** Returns the device, or why it is refused; each refusal is recorded. */
export function createSignIn({
  protocol,
  identities,
  conduct,
  refusals,
  attempts,
  isForeign,
  isOpenTo = () => false,
}: SignInNeeds) {
  const find = (name: string) => (namePattern.test(name) ? identities.find(name) : null)

  /** By its user name; makers of other devices may have one user name for all, and tell them apart by client ids. */
  async function deviceOf({ clientId, userName }: Login): Promise<Device | null> {
    const device = await find(userName ?? clientId)
    if (device || userName === null) return device
    const other = await find(clientId)
    return other && isForeign(other) ? other : null
  }

  return async (login: Login): Promise<Device | LoginRefusal> => {
    const { clientId, userName, address, certificate: shown } = login
    const named = userName ?? clientId
    const refuse = (reason: IntakeRefusal['reason'], device: Device | null, detail: string | null) =>
      refusals.record({
        deviceCode: device?.code ?? printable(Buffer.from(named)),
        deviceId: device?.id ?? null,
        reason,
        topic: null,
        detail,
        payload: null,
        address,
      })
    const device = await deviceOf(login)
    if (!device) {
      refuse('unknownDevice', null, userName === null ? '未提供用户名，应为设备编号' : null)
      return 'wrongCredentials'
    }
    const { code } = device
    if (!attempts.mayTry(code, address)) {
      refuse('tooManySignIns', device, '该地址多次使用错误的密钥，稍后再试')
      return 'unavailable'
    }
    const fault = shown && faultOf(shown, code)
    const isCalledSo =
      device.protocolIdentity !== null && shown && faultOf(shown, device.protocolIdentity) === null
    if (fault !== null && !isCalledSo) {
      refuse('wrongCertificate', device, fault)
      return 'wrongCredentials'
    }
    // One proof is enough, and each that is shown has to be valid.
    const isOpen = !shown && login.password === null && isOpenTo(address)
    if (!isOpen && (!shown || login.password !== null) && !isSecretOf(device, login.password)) {
      attempts.failed(code, address)
      refuse('wrongSecret', device, login.password === null ? '未提供密码，应为设备密钥' : null)
      return 'wrongCredentials'
    }
    if (clientId !== code && !isForeign(device)) {
      refuse('wrongClientId', device, `客户端标识应为设备编号，收到的是“${printable(Buffer.from(clientId))}”`)
      return 'wrongClientId'
    }
    attempts.succeeded(code, address)
    if (device.protocol !== protocol) {
      refuse('wrongProtocol', device, `该设备登记为以 ${protocolNames[device.protocol]} 接入`)
      return 'wrongCredentials'
    }
    const ban = conduct.connects(device.id)
    if (ban) {
      refuse('throttled', device, throttleReasons[ban.reason])
      return 'unavailable'
    }
    return shown ? { ...device, certificate: certificateOf(shown) } : device
  }
}

export function isSecretOf({ secretHash }: Pick<Device, 'secretHash'>, password: Buffer | null): boolean {
  const hash = createHash('sha256')
    .update(password ?? '')
    .digest()
  return timingSafeEqual(hash, secretHash)
}
