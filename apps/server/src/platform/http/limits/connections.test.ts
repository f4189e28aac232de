import { EventEmitter } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { createLog } from '../../process/log.ts'
import { createWarnings, type Warnings } from '../../process/warnings.ts'
import { limitHttpConnections } from './connections.ts'

let server: Server
let warnings: Warnings
const logged: string[] = []
afterEach(() => server.close().closeAllConnections())

async function serve(limits: {
  inAll: number
  perAddress: number
  trustedProxies?: string[]
}): Promise<number> {
  server = createServer((_request, answer) => answer.end('ok'))
  warnings = createWarnings()
  const log = createLog({ level: 'warn', console: { write: (line) => logged.push(line) } })
  limitHttpConnections([server], { trustedProxies: [], ...limits, log, metrics: new Registry(), warnings })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Opens an idle connection from a local address. */
function idle(port: number, localAddress: string): Promise<{ socket: Socket; isClosed(): boolean }> {
  return new Promise((resolve) => {
    let isClosed = false
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () =>
      resolve({ socket, isClosed: () => isClosed }),
    )
    socket
      .on('error', () => {})
      .on('close', () => {
        isClosed = true
      })
  })
}
const call = (port: number, localAddress: string) =>
  new Promise<number>((resolve) => {
    request({ port, host: '127.0.0.1', localAddress, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', () => resolve(0))
      .end()
  })

test('an address is limited in connections, without affecting others', async () => {
  const port = await serve({ inAll: 100, perAddress: 5 })
  const opened = await Promise.all(Array.from({ length: 8 }, () => idle(port, '127.0.0.2')))
  await eventually(() => expect(opened.filter(({ isClosed }) => isClosed())).toHaveLength(3))
  expect(await call(port, '127.0.0.2')).toBe(0)
  expect(await call(port, '127.0.0.3')).toBe(200)
  expect(logged.join()).toContain('网页和接口的连接超出上限')
  for (const { socket } of opened) socket.destroy()
  await eventually(async () => expect(await call(port, '127.0.0.2')).toBe(200))
})

test('an IPv6 subscriber network counts as one client', async () => {
  await serve({ inAll: 100, perAddress: 5 })
  /** A test has no IPv6 network of its own, so the accepted connection is simulated. */
  const accept = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, isEnded: false, destroy })
    function destroy() {
      socket.isEnded = true
      socket.emit('close')
    }
    const [limit] = server.listeners('connection')
    limit?.call(server, socket)
    return socket
  }
  const ofOne = Array.from({ length: 7 }, (_, n) => accept(`2001:db8:0:1::${n + 1}`))
  expect(ofOne.map(({ isEnded }) => isEnded)).toEqual([false, false, false, false, false, true, true])
  expect(accept('2001:db8:0:2::1').isEnded).toBe(false)
  ofOne[0]?.destroy()
  expect(accept('2001:db8:0:1::99').isEnded).toBe(false)
})

test('behind a trusted proxy only the total limit applies, with a warning before it is reached', async () => {
  const port = await serve({ inAll: 10, perAddress: 2, trustedProxies: ['127.0.0.0/8'] })
  const opened = await Promise.all(Array.from({ length: 8 }, () => idle(port, '127.0.0.2')))
  await eventually(() => expect(warnings.current().join()).toContain('上限 10 个的 80%'))
  expect(opened.some(({ isClosed }) => isClosed())).toBe(false)
  const more = await Promise.all([idle(port, '127.0.0.2'), idle(port, '127.0.0.2'), idle(port, '127.0.0.2')])
  await eventually(() => expect(more.filter(({ isClosed }) => isClosed())).toHaveLength(1))
  for (const { socket } of [...opened, ...more]) socket.destroy()
  await eventually(() => expect(warnings.current()).toEqual([]))
})
