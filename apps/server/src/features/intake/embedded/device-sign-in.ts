// Which device a connection to the embedded broker is, by its secret or its certificate, and whether it may come now.
import { throttleReasons } from '@voltkeep/contract/devices'
import type { Login, LoginRefusal } from '../../../platform/devices/mqtt/broker.ts'
import type { Device, Identities } from '../admission/device-identities.ts'
import { isSecretOf, type SecretChecks } from '../admission/secret-checks.ts'
import { certificateOf, faultOf } from '../client-certificates.ts'
import type { IntakeRefusal } from '../intake-refusals.ts'
import { printable } from '../message-decoding.ts'
import type { Conduct } from './device-conduct.ts'

/** A name of another form cannot be registered, and is not looked up. */
const namePattern = /^[!-~]{1,64}$/

interface SignInNeeds {
  identities: Identities
  conduct: Conduct
  checks: SecretChecks
  /** Whether the device speaks another maker's words: it says who it is as that maker has it. */
  isForeign(device: Device): boolean
}

/** Returns the device, or why it is refused; each refusal is recorded. */
export function createSignIn({ identities, conduct, checks, isForeign }: SignInNeeds) {
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
    const comer = { named: userName ?? clientId, address }
    const refuse = (reason: IntakeRefusal['reason'], device: Device | null, detail: string | null) =>
      checks.turnAway(comer, device, reason, detail)
    const device = await deviceOf(login)
    if (!device) {
      refuse('unknownDevice', null, userName === null ? '未提供用户名，应为设备编号' : null)
      return 'wrongCredentials'
    }
    const { code } = device
    if (!checks.mayTry(comer, device)) return 'unavailable'
    const fault = shown && faultOf(shown, code)
    const isCalledSo =
      device.protocolIdentity !== null && shown && faultOf(shown, device.protocolIdentity) === null
    if (fault !== null && !isCalledSo) {
      refuse('wrongCertificate', device, fault)
      return 'wrongCredentials'
    }
    // One proof is enough, and each that is shown has to be valid.
    if ((!shown || login.password !== null) && !isSecretOf(device, login.password ?? '')) {
      checks.failed(comer, device, login.password === null ? '未提供密码，应为设备密钥' : null)
      return 'wrongCredentials'
    }
    if (clientId !== code && !isForeign(device)) {
      refuse('wrongClientId', device, `客户端标识应为设备编号，收到的是“${printable(Buffer.from(clientId))}”`)
      return 'wrongClientId'
    }
    checks.succeeded(comer, device)
    if (!checks.speaks(comer, device, 'mqtt')) return 'wrongCredentials'
    const ban = conduct.connects(device.id)
    if (ban) {
      refuse('throttled', device, throttleReasons[ban.reason])
      return 'unavailable'
    }
    return shown ? { ...device, certificate: certificateOf(shown) } : device
  }
}
