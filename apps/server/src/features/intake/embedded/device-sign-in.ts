// Which device a connection to the embedded broker is, by its secret or its certificate, and whether it may come now.
import { createHash, timingSafeEqual } from 'node:crypto'
import { throttleReasons } from '@voltkeep/contract/devices'
import { protocolNames } from '@voltkeep/contract/protocols'
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
  identities: Identities
  conduct: Conduct
  refusals: Pick<Refusals, 'record'>
  attempts: Attempts
  /** Whether the device speaks another maker's words: it says who it is as that maker has it. */
  isForeign(device: Device): boolean
}

interface Fault {
  reason: 'wrongCertificate' | 'wrongSecret'
  detail: string | null
}

/** A device that a connection may be. */
interface Candidate {
  device: Device
  /** Its secret may be tried from that address. */
  isTried: boolean
  fault: Fault | null
}

const isProven = (candidate: Candidate | undefined) => candidate?.isTried === true && candidate.fault === null

/** Returns the device, or why it is refused; each refusal is recorded. */
export function createSignIn({ identities, conduct, refusals, attempts, isForeign }: SignInNeeds) {
  const find = (name: string) => (namePattern.test(name) ? identities.find(name) : null)

  /** Why what is shown does not prove that it is this device; null where it does: one proof is enough, each has to be valid. */
  function faultIn({ code, protocolIdentity, ...device }: Device, login: Login): Fault | null {
    const { certificate: shown, password } = login
    const fault = shown && faultOf(shown, code)
    const isCalledSo = protocolIdentity !== null && shown && faultOf(shown, protocolIdentity) === null
    if (fault !== null && !isCalledSo) return { reason: 'wrongCertificate', detail: fault }
    if ((shown && password === null) || isSecretOf(device, password)) return null
    return { reason: 'wrongSecret', detail: password === null ? '未提供密码，应为设备密钥' : null }
  }

  /**
   * The devices that it may be, until one is proven: by its user name; makers of other devices may have one user name for
   * all, and tell them apart by client ids. That user name may be a device's that anybody has registered: it keeps none
   * of them out.
   */
  async function candidatesFor(login: Login): Promise<Candidate[]> {
    const { clientId, userName, address } = login
    const candidates: Candidate[] = []
    for (const name of new Set([userName ?? clientId, clientId])) {
      const device = await find(name)
      if (!device || candidates.some((one) => one.device.id === device.id)) continue
      if (name !== (userName ?? clientId) && !isForeign(device)) continue
      const isTried = attempts.mayTry(device.code, address)
      candidates.unshift({ device, isTried, fault: isTried ? faultIn(device, login) : null })
      if (isProven(candidates[0])) break
    }
    return candidates
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
    const candidates = await candidatesFor(login)
    const [candidate] = candidates
    if (!candidate) {
      refuse('unknownDevice', null, userName === null ? '未提供用户名，应为设备编号' : null)
      return 'wrongCredentials'
    }
    const { device, isTried, fault } = candidate
    const { code } = device
    if (!isProven(candidate))
      // A secret is guessed at each of them.
      for (const one of candidates)
        if (one.fault?.reason === 'wrongSecret') attempts.failed(one.device.code, address)
    if (!isTried) {
      refuse('tooManySignIns', device, '该地址多次使用错误的密钥，稍后再试')
      return 'unavailable'
    }
    if (fault) {
      refuse(fault.reason, device, fault.detail)
      return 'wrongCredentials'
    }
    if (clientId !== code && !isForeign(device)) {
      refuse('wrongClientId', device, `客户端标识应为设备编号，收到的是“${printable(Buffer.from(clientId))}”`)
      return 'wrongClientId'
    }
    attempts.succeeded(code, address)
    if (device.protocol !== 'mqtt') {
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
