import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { AddressNotAllowed, allowingPublicAnd } from './address-guard.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'

const open: (Server | Outgoing)[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const listening = (answer: Parameters<typeof createServer>[1]) =>
  new Promise<number>((resolve) => {
    const server = createServer({ keepAlive: false }, answer ?? ((_, reply) => void reply.end('ok')))
    open.push(server)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
function outgoing(...networks: string[]) {
  const made = createOutgoing(allowingPublicAnd(networks))
  open.push(made)
  return made
}

describe('addresses that may be reached', () => {
  const isAllowed = allowingPublicAnd(['10.20.0.0/16', 'fd00:1::/32'])
  test.each(['8.8.8.8', '120.46.1.1', '2400:3200::1', '10.20.3.4', 'fd00:1::7', '::ffff:10.20.3.4'])(
    '%s',
    (address) => expect(isAllowed(address)).toBe(true),
  )
  test.each([
    ...[
      '127.0.0.1',
      '0.0.0.0',
      '10.1.1.1',
      '172.31.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.100.100.200',
    ],
    ...['224.0.0.1', '255.255.255.255', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
    ...['fe80::1%eth0', 'fd00:2::1', '64:ff9b::7f00:1', '2002:7f00:1::', 'ff02::1', 'localhost', ''],
  ])('not %s', (address) => expect(isAllowed(address)).toBe(false))
})

describe('a request to an address that a user gave', () => {
  const urls = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0:${port}/`,
  ]
  test('does not reach this machine in any spelling', async () => {
    let count = 0
    const port = await listening((_, reply) => {
      count += 1
      reply.end()
    })
    for (const url of urls(port))
      await expect(outgoing().post(url, { body: '{}' })).rejects.toThrow(AddressNotAllowed)
    expect(count).toBe(0)
  })

  test('reaches it where the installation allows the network', async () => {
    const port = await listening((request, reply) => {
      reply.writeHead(429, { 'retry-after': '7' })
      request.pipe(reply)
    })
    const answer = await outgoing('127.0.0.0/8').post(`http://127.0.0.1:${port}/`, { body: '{"a":1}' })
    expect(answer).toEqual({ status: 429, body: '{"a":1}', retryAfterMs: 7_000 })
  })

  test('does not follow a redirect', async () => {
    let count = 0
    const port = await listening((_, reply) => {
      count += 1
      reply.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end()
    })
    const answer = await outgoing('127.0.0.0/8').post(`http://127.0.0.1:${port}/`, { body: '' })
    expect([answer.status, count]).toEqual([302, 1])
  })

  test('reads the beginning of an endless answer, and gives up one that does not come', async () => {
    const endless = await listening((_, reply) => {
      const more = () => {
        while (reply.write('x'.repeat(16_384)));
        reply.once('drain', more)
      }
      more()
    })
    const to = outgoing('127.0.0.0/8')
    expect((await to.post(`http://127.0.0.1:${endless}/`, { body: '' })).body).toHaveLength(65_536)
    const silent = await listening(() => undefined)
    await expect(to.post(`http://127.0.0.1:${silent}/`, { body: '', timeoutMs: 50 })).rejects.toThrow()
  })
})
