import { topicOf } from '@voltkeep/contract/topics/topic'

/** A device's code with a new secret, which is shown once. */
export interface FreshSecret {
  code: string
  secret: string
  /** Null where the server does not know the port: the broker is another program. */
  mqttPort: number | null
  mqttTlsPort: number | null
}

const usualPort = 1883
/** Where Linux keeps the public CAs. For a private CA, replace the option by `--cafile`. */
const publicCas = '/etc/ssl/certs'

/** A shell command, one option per line, that reports one running state as this device and changes nothing else. */
export function exampleFor(
  { code, secret, mqttPort, mqttTlsPort }: FreshSecret,
  host: string,
  nowMs: number,
): string {
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
