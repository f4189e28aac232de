import { topicOf } from '@voltkeep/contract/topics/topic'

/** A code with its secret, just made: shown once. */
export interface FreshSecret {
  code: string
  secret: string
}

/** A line for a shell that reports one running state as this device; it changes nothing else. */
export function exampleFor({ code, secret }: FreshSecret, host: string, nowMs: number): string {
  const payload = JSON.stringify({ id: `try-${nowMs}`, time: nowMs, status: { test: true } })
  return [
    'mosquitto_pub',
    `-h ${host} -p 1883`,
    `-i ${code} -u ${code} -P '${secret}'`,
    `-q 1 -t ${topicOf(code, 'up', 'status')}`,
    `-m '${payload}'`,
  ].join(' ')
}
