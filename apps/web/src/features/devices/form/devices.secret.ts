import type { DeviceProtocol } from '@voltkeep/contract/protocols'
import { topicOf } from '@voltkeep/contract/topics/topic'

/** A device's code with a new secret, which is shown once. */
export interface FreshSecret {
  code: string
  secret: string
  protocol: DeviceProtocol
  /** Null where the server does not know the port: the broker is another program. */
  mqttPort: number | null
  mqttTlsPort: number | null
}

const usualPort = 1883
/** Where Linux keeps the public CAs. For a private CA, replace the option by `--cafile`. */
const publicCas = '/etc/ssl/certs'

/**
 * A shell command, one option per line, that reports one running state as this device, polls as its update agent, or connects as
 * its station, and changes nothing else. `origin`: the address of this page.
 */
export function exampleFor(
  { code, secret, protocol, mqttPort, mqttTlsPort }: FreshSecret,
  origin: string,
  nowMs: number,
): string {
  if (protocol === 'ddi')
    return [`curl ${origin}/DEFAULT/controller/v1/${code}`, `-H 'Authorization: TargetToken ${secret}'`].join(
      ' \\\n  ',
    )
  if (protocol === 'ocpp16')
    return [
      `curl --http1.1 -i -m 3 ${origin}/ocpp/${code}`,
      `-u ${code}:${secret}`,
      `-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13'`,
      `-H 'Sec-WebSocket-Key: dm9sdGtlZXAtdHJpZXMtaXQ=' -H 'Sec-WebSocket-Protocol: ocpp1.6'`,
    ].join(' \\\n  ')
  const { hostname: host } = new URL(origin)
  const payload = JSON.stringify({ id: `try-${nowMs}`, time: nowMs, status: { test: true } })
  return [
    'mosquitto_pub',
    mqttTlsPort === null
      ? `-h ${host} -p ${mqttPort ?? usualPort}`
      : `-h ${host} -p ${mqttTlsPort} --capath ${publicCas}`,
    `-i ${code} -u ${code} -P '${secret}'`,
    `-q 1 -t ${topicOf(code, 'up', 'status')}`,
    `-m '${payload}'`,
  ].join(' \\\n  ')
}
