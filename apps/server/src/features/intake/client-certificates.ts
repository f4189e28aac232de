// Devices that sign in with a certificate: whose it is, and whether it is valid.

import type { ShownCertificate } from '../../platform/devices/mqtt/listeners.ts'
import type { TlsMaterial } from '../../platform/process/tls/files.ts'

/** What is kept of a certificate while its connection lasts. */
export interface ClientCertificate {
  serial: bigint
  validToMs: number
}

/** OpenSSL's names of a certificate's faults. */
const problems: Record<string, string> = {
  CERT_HAS_EXPIRED: '证书已过期',
  CERT_NOT_YET_VALID: '证书尚未生效',
  CERT_REVOKED: '证书已被吊销',
  CRL_HAS_EXPIRED: '证书吊销列表已过期，请更换 MQTT_CLIENT_CRL 的文件',
  UNABLE_TO_GET_CRL: 'MQTT_CLIENT_CRL 中没有签发该证书的 CA 的吊销列表',
  INVALID_PURPOSE: '证书的用途不是客户端认证',
}

/** Why the certificate does not let the device of this code in; null where it does. */
export function faultOf({ certificate, problem }: ShownCertificate, code: string): string | null {
  if (problem !== null) return problems[problem] ?? `证书不是 MQTT_CLIENT_CA 签发的（${problem}）`
  const name: unknown = certificate.toLegacyObject().subject.CN
  if (name === code) return null
  return `证书的通用名（CN）应为设备编号，收到的是“${Array.isArray(name) ? name.join('、') : (name ?? '')}”`
}

export function certificateOf({ certificate }: ShownCertificate): ClientCertificate {
  return {
    serial: BigInt(`0x${certificate.serialNumber}`),
    validToMs: certificate.validToDate.getTime(),
  }
}

/** Whether a connection that began with it may go on. */
export function isStillValid({ serial, validToMs }: ClientCertificate, { revoked }: TlsMaterial): boolean {
  return Date.now() < validToMs && !revoked?.has(serial)
}
