// What becomes of calls between a station and the platform that it stays with: pure decisions.
import { type CallErrorCode, errorCodes } from '../../../platform/devices/ocpp/frames.ts'
import { secretKey } from '../ocpp.rules.ts'

type Payload = Record<string, unknown>

/**
 * Calls of a charging session: its owner bills by them, so nobody answers in its place. A station that is offline keeps
 * them, and goes by its own list of cards.
 */
export function belongsToSession(action: string, payload: Payload): boolean {
  switch (action) {
    case 'Authorize':
    case 'StartTransaction':
    case 'StopTransaction':
      return true
    case 'MeterValues':
      return payload.transactionId !== undefined && payload.transactionId !== null
    default:
      return false
  }
}

/** Calls that a station may have answered here while the other platform is away: they report, and nothing follows from them there. */
const reports: ReadonlySet<string> = new Set([
  'BootNotification',
  'Heartbeat',
  'StatusNotification',
  'MeterValues',
  'FirmwareStatusNotification',
  'SignedFirmwareStatusNotification',
  'DiagnosticsStatusNotification',
  'LogStatusNotification',
  'SecurityEventNotification',
])

/** What is done about a call while the other platform is away. */
export const whileAway = (action: string, payload: Payload): 'close' | 'answer' | 'refuse' => {
  if (belongsToSession(action, payload)) return 'close'
  return reports.has(action) ? 'answer' : 'refuse'
}

/** Under which a call is kept to be told when the other platform is back, the last of each; null: it is not told. */
export function keptAs(action: string, payload: Payload): string | null {
  if (action === 'BootNotification') return action
  return action === 'StatusNotification' ? `${action} ${String(payload.connectorId)}` : null
}

/** Errors of the standard pass as they are. */
export const passedError = (code: string): CallErrorCode =>
  (errorCodes as readonly string[]).includes(code) ? (code as CallErrorCode) : 'GenericError'

/** Whether the other platform would change the password by which the station comes here. */
export const setsOwnSecret = (action: string, { key }: Payload): boolean =>
  action === 'ChangeConfiguration' && typeof key === 'string' && secretKey.test(key.trim())

/** A station's configuration without the password by which it comes here. */
export function withoutSecret(payload: Payload): Payload {
  const { configurationKey } = payload
  if (!Array.isArray(configurationKey)) return payload
  return {
    ...payload,
    configurationKey: (configurationKey as unknown[]).map((entry) => {
      const { key, value: _, ...others } = (entry ?? {}) as Payload
      return typeof key === 'string' && secretKey.test(key.trim()) ? { key, ...others } : entry
    }),
  }
}

// ── Addresses ────────────────────────────────────────────────────────────────────────────────

/** The address as it is kept; or what is wrong with it. */
export function readRelayUrl(text: string): { url: string } | { problem: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'wss:' && url.protocol !== 'ws:') || url.hostname === '')
    return { problem: '原平台地址应以 wss:// 或 ws:// 开头' }
  if (url.username !== '' || url.password !== '') return { problem: '原平台地址中不能有登录名和密码' }
  if (url.search !== '' || url.hash !== '') return { problem: '原平台地址中不能有参数' }
  return { url: url.href.replace(/(?<!\/)\/+$/, '') }
}

/** Where a station connects to: its identity ends the address. */
export const addressOf = (url: string, identity: string) => `${url}/${encodeURIComponent(identity)}`

/** Whether what is secret for one would be given to somebody else. */
export const isOtherServer = (before: string, after: string): boolean => {
  const [one, other] = [new URL(before), new URL(after)]
  return one.protocol !== other.protocol || one.host !== other.host
}

/** What has gone wrong, in words; never a text of the other platform's. */
export function failureText(error: Error & { code?: unknown }): string {
  const { name, message } = error
  if (name === 'AddressNotAllowed') return '地址不允许访问（见 OCPP_RELAY_NETWORKS）'
  const [, status] = /^Unexpected server response: (\d{3})$/.exec(message) ?? []
  if (status === '401' || status === '403') return `原平台不接受标识或密码（HTTP ${status}）`
  if (status !== undefined) return `原平台应答 HTTP ${status}`
  if (/subprotocol/i.test(message)) return '原平台不支持 OCPP 1.6-J'
  if (/handshake has timed out/.test(message)) return '原平台没有及时应答'
  // An alert of TLS: what it says of a certificate is of the one that was shown, or was not.
  if (/^ERR_SSL_\w*ALERT_\w*(?:CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/.test(String(error.code)))
    return '原平台不接受客户端证书'
  return connectionTexts[String(error.code)] ?? '无法连接原平台'
}

const connectionTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: '原平台拒绝连接',
  ECONNRESET: '原平台中断了连接',
  TOO_MUCH_UNREAD: '原平台不读取发给它的报文',
  ETIMEDOUT: '原平台没有及时应答',
  ENOTFOUND: '原平台的域名无法解析',
  EAI_AGAIN: '原平台的域名暂时无法解析',
  EHOSTUNREACH: '原平台的网络不可达',
  ENETUNREACH: '原平台的网络不可达',
  CERT_HAS_EXPIRED: '原平台的证书已过期',
  DEPTH_ZERO_SELF_SIGNED_CERT: '原平台的证书不受信任',
  SELF_SIGNED_CERT_IN_CHAIN: '原平台的证书不受信任',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '原平台的证书不受信任',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: '原平台的证书不受信任',
  ERR_TLS_CERT_ALTNAME_INVALID: '原平台的证书与域名不符',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: '原平台的报文过大',
}
