import { StatusReport } from '@voltkeep/contract/topics/index'
import { describe, expect, it } from 'vitest'
import { exampleFor } from './devices.secret.ts'

describe('the example line beside a fresh secret', () => {
  const line = exampleFor(
    { code: 'VK0001', secret: 'pL3qkT0Zb1', mqttPort: 12883, mqttTlsPort: null },
    'ops.example.com',
    1_795_000_000_000,
  ).replaceAll(' \\\n  ', ' ')

  it('connects as the device, under its own topic', () => {
    expect(line).toContain(`-h ops.example.com -p 12883 -i VK0001 -u VK0001 -P 'pL3qkT0Zb1'`)
    expect(line).toContain('-q 1 -t voltkeep/VK0001/up/status')
  })

  it('sends what the protocol takes', () => {
    const payload: unknown = JSON.parse(/-m '([^']+)'/.exec(line)?.[1] ?? '')
    expect(StatusReport.safeParse(payload).success).toBe(true)
  })
})

it('goes over TLS where the server speaks it', () => {
  const secret = { code: 'VK0001', secret: 'pL3qkT0Zb1', mqttPort: 1883, mqttTlsPort: 8883 }
  expect(exampleFor(secret, 'vk.example', 0)).toContain(' -h vk.example -p 8883 --capath /etc/ssl/certs ')
})
