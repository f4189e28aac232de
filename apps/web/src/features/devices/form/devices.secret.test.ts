import { StatusReport } from '@voltkeep/contract/topics/index'
import { describe, expect, it } from 'vitest'
import { exampleFor } from './devices.secret.ts'

describe('the example line beside a fresh secret', () => {
  const line = exampleFor(
    { code: 'VK0001', secret: 'pL3qkT0Zb1', protocol: 'mqtt', mqttPort: 12883, mqttTlsPort: null },
    'https://ops.example.com:8443',
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
  const secret = {
    code: 'VK0001',
    secret: 'pL3qkT0Zb1',
    protocol: 'mqtt',
    mqttPort: 1883,
    mqttTlsPort: 8883,
  } as const
  expect(exampleFor(secret, 'https://vk.example', 0)).toContain(
    ' -h vk.example -p 8883 --capath /etc/ssl/certs ',
  )
})

it('polls as an update agent where the device has one', () => {
  const secret = {
    code: 'VK0001',
    secret: 'pL3q',
    protocol: 'ddi',
    mqttPort: 1883,
    mqttTlsPort: null,
  } as const
  expect(exampleFor(secret, 'https://vk.example:8443', 0).replaceAll(' \\\n  ', ' ')).toBe(
    "curl https://vk.example:8443/DEFAULT/controller/v1/VK0001 -H 'Authorization: TargetToken pL3q'",
  )
})

it('connects as a charging station', () => {
  const secret = {
    code: 'VK0001',
    secret: 'ab12',
    protocol: 'ocpp16',
    mqttPort: 1883,
    mqttTlsPort: null,
  } as const
  const line = exampleFor(secret, 'https://vk.example:8443', 0)
  expect(line).toContain('https://vk.example:8443/ocpp/VK0001')
  expect(line).toContain('-u VK0001:ab12')
  expect(line).toContain('Sec-WebSocket-Protocol: ocpp1.6')
})
