import { topicOf } from '@voltkeep/contract/topics/topic'

/** A code with its secret, just made: shown once. */
export interface FreshSecret {
  code: string
  secret: string
  /** Null where it is not known here: the broker is another program. */
  mqttPort: number | null
  mqttTlsPort: number | null
}

const usualPort = 1883
/** Where Linux has the public CAs; a CA of one's own is given by `--cafile`. */
const publicCas = '/etc/ssl/certs'

/** A command for a shell, an option a line, that reports one running state as this device; it changes nothing else. */
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
