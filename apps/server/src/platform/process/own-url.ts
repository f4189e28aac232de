// The addresses of this server, and which of its ports send data unencrypted over the network.

import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { Config } from './config.ts'
import type { Sentence } from './sentences.ts'

/** Ports as they were opened (0 in the settings means any free one); null where this process has none. */
export interface Ports {
  /** With TLS it redirects to `httpsPort`, and answers health checks. */
  httpPort: number | null
  httpsPort: number | null
  mqttPort: number | null
  mqttTlsPort: number | null
  metricsPort: number | null
}

/** The beginning of this server's addresses: the one of the setting, or one for this machine alone. */
export function ownUrl({ publicUrl, tlsCert, httpPort, httpsPort }: Config, ports: Ports): string {
  if (publicUrl !== undefined) return publicUrl
  return tlsCert === undefined
    ? `http://localhost:${ports.httpPort ?? httpPort}`
    : `https://localhost:${ports.httpsPort ?? httpsPort}`
}

/** A line for the operator where passwords or secrets leave this machine unencrypted; null where none do. */
export function unencryptedWarning(config: Config): Sentence | null {
  const { host, httpHost = host, mqttHost = host, roles, tlsCert, mqttUrl, mqttTlsOnly } = config
  const isHttpReadable = roles.has('api') && tlsCert === undefined && !isLocal(httpHost)
  const isMqttReadable = roles.has('ingest') && mqttUrl === undefined && !mqttTlsOnly && !isLocal(mqttHost)
  if (!isHttpReadable && !isMqttReadable) return null
  const readable: Sentence[] = []
  if (isHttpReadable)
    readable.push({ zh: `网页和接口（HTTP，${httpHost}）`, en: `pages and API (HTTP, ${httpHost})` })
  if (isMqttReadable)
    readable.push({ zh: `设备接入（MQTT，${mqttHost}）`, en: `devices (MQTT, ${mqttHost})` })
  const remedy =
    tlsCert === undefined
      ? {
          zh: '请设置 TLS_CERT 和 TLS_KEY，或只监听 127.0.0.1 并由前面的代理加密',
          en: 'set TLS_CERT and TLS_KEY, or listen on 127.0.0.1 only, behind a proxy that encrypts',
        }
      : {
          zh: '设备都改用加密端口后，请设置 MQTT_TLS_ONLY=true',
          en: 'once all devices use the encrypted port set MQTT_TLS_ONLY=true',
        }
  return {
    zh: `${readable.map(({ zh }) => zh).join('、')}没有加密，密码和设备密钥在网络上以明文传输：${remedy.zh}`,
    en: `not encrypted: ${readable.map(({ en }) => en).join(', ')}. Passwords and secrets of devices cross the network as plain text: ${remedy.en}`,
  }
}

/** Addresses that only this machine reaches. */
function isLocal(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === 'localhost' || host === '::1'
}

/** What the page 服务器 shows of this process: its name, roles, and the host and ports that it serves. */
export function nodeFacts({ config, version, ports }: { config: Config; version: string; ports: Ports }) {
  const { nodeName = hostname(), roles } = config
  const { httpPort, httpsPort, mqttPort, mqttTlsPort } = ports
  const served = Object.entries({ http: httpPort, https: httpsPort, mqtt: mqttPort, mqtts: mqttTlsPort })
  const opened = served.flatMap(([name, port]) => (port === null ? [] : `${name} ${port}`))
  return { name: nodeName, address: [hostname(), ...opened].join(' · '), roles: [...roles], version }
}
