// Which device a connection of a protocol is, by its secret or its certificate, and whether it may come now.
import { throttleReasons } from '@voltkeep/contract/devices'
import type { DeviceProtocol } from '@voltkeep/contract/protocols'
import type { Login, LoginRefusal } from '../../../platform/devices/mqtt/broker.ts'
import type { Device, Identities } from '../admission/device-identities.ts'
import { type Comer, isSecretOf, type SecretChecks, withShownSecret } from '../admission/secret-checks.ts'
import { certificateOf, faultOf } from '../client-certificates.ts'
import type { IntakeRefusal } from '../intake-refusals.ts'
import { printable } from '../message-decoding.ts'
import type { Conduct } from './device-conduct.ts'

/** A name of another form cannot be registered, and is not looked up. */
const namePattern = /^[!-~]{1,64}$/

interface SignInNeeds {
  protocol: DeviceProtocol
  identities: Identities
  conduct: Conduct
  checks: SecretChecks
  /** Whether the device speaks another maker's words: it says who it is as that maker has it. */
  isForeign(device: Device): boolean
  /** Whether devices at this address need no proof. */
  isOpenTo?(address: string): boolean
}

interface Fault {
  reason: 'wrongCertificate' | 'wrongSecret'
  detail: string | null
}

/** A device that a connection may be. */
interface Candidate {
  device: Device
  /** Its secret may be tried from that address. */
  isOpen: boolean
  fault: Fault | null
}

const isProven = (candidate: Candidate | undefined) => candidate?.isOpen === true && candidate.fault === null

/** Returns the device, or why it is refused; each refusal is recorded. */
export function createSignIn({
  protocol,
  identities,
  conduct,
  checks,
  isForeign,
  isOpenTo = () => false,
}: SignInNeeds) {
  const find = (name: string) => (namePattern.test(name) ? identities.find(name) : null)

  /** Why what is shown does not prove that it is this device; null where it does: one proof is enough, each has to be valid. */
  function faultIn({ code, protocolIdentity, ...device }: Device, login: Login): Fault | null {
    const { certificate: shown, password } = login
    const fault = shown && faultOf(shown, code)
    const isCalledSo = protocolIdentity !== null && shown && faultOf(shown, protocolIdentity) === null
    if (fault !== null && !isCalledSo) return { reason: 'wrongCertificate', detail: fault }
    if (password === null && (shown || isOpenTo(login.address))) return null
    if (isSecretOf(device, password ?? '')) return null
    return { reason: 'wrongSecret', detail: password === null ? '未提供密码，应为设备密钥' : null }
  }

  /**
   * The devices that it may be, until one is proven: by its user name; makers of other devices may have one user name for
   * all, and tell them apart by client ids. That user name may be a device's that anybody has registered: it keeps none
   * of them out. Nothing is awaited between their checks and the count of wrong secrets: of guesses sent at the same moment,
   * each would find the count as it was before them all.
   */
  function candidatesFor(login: Login, comer: Comer, found: ReadonlyMap<string, Device | null>): Candidate[] {
    const candidates: Candidate[] = []
    for (const [name, device] of found) {
      if (!device || candidates.some((one) => one.device.id === device.id)) continue
      if (name !== comer.named && !isForeign(device)) continue
      const isOpen = checks.mayTry(comer, device)
      candidates.unshift({ device, isOpen, fault: isOpen ? faultIn(device, login) : null })
      if (isProven(candidates[0])) break
    }
    return candidates
  }

  return async (login: Login): Promise<Device | LoginRefusal> => {
    const { clientId, userName, address, certificate: shown, password } = login
    const comer = { named: userName ?? clientId, address }
    const refuse = (reason: IntakeRefusal['reason'], device: Device | null, detail: string | null) =>
      checks.turnAway(comer, device, reason, detail)
    const names = [...new Set([comer.named, clientId])]
    const found = await Promise.all(names.map(async (name) => [name, await find(name)] as const))
    const candidates = candidatesFor(login, comer, new Map(found))
    const [candidate] = candidates
    if (!candidate) {
      refuse('unknownDevice', null, userName === null ? '未提供用户名，应为设备编号' : null)
      // As for a device: otherwise a stranger would learn from the eleventh answer whether there is one.
      if (!checks.mayTry(comer, null)) return 'unavailable'
      checks.failed(comer, null)
      return 'wrongCredentials'
    }
    const { device, isOpen, fault } = candidate
    if (!isProven(candidate))
      // A secret is guessed at each of them.
      for (const one of candidates) if (one.fault?.reason === 'wrongSecret') checks.failed(comer, one.device)
    if (!isOpen) {
      checks.turnAwayTooMany(comer, device)
      return 'unavailable'
    }
    if (fault) {
      refuse(fault.reason, device, fault.detail)
      return 'wrongCredentials'
    }
    if (clientId !== device.code && !isForeign(device)) {
      refuse('wrongClientId', device, `客户端标识应为设备编号，收到的是“${printable(Buffer.from(clientId))}”`)
      return 'wrongClientId'
    }
    checks.succeeded(comer, device)
    if (!checks.speaks(comer, device, protocol)) return 'wrongCredentials'
    const ban = conduct.connects(device.id)
    if (ban) {
      refuse('throttled', device, throttleReasons[ban.reason])
      return 'unavailable'
    }
    const proven = withShownSecret(device, password)
    return shown ? { ...proven, certificate: certificateOf(shown) } : proven
  }
}
