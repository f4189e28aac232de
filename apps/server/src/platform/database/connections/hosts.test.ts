import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { isDatabaseAway } from '../database.ts'
import { createHosts } from './hosts.ts'

const open: { server: Server; sockets: Socket[] }[] = []
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

/** A host that takes connections and says nothing, as a machine does that stands still. */
async function silentHost(): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket))
  open.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('where no host answers in time the database is away, which is no defect', async () => {
  const hosts = createHosts(`postgresql://nobody@${await silentHost()},${await silentHost()}/none`)
  const failure = await hosts.find().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(isDatabaseAway(failure)).toBe(true)
})

test('neither where one of them does not answer, and the other refuses connections', async () => {
  const hosts = createHosts(`postgresql://nobody@${await silentHost()},127.0.0.1:1/none`)
  const failure = await hosts.find().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'ECONNREFUSED' })
  expect(isDatabaseAway(failure)).toBe(true)
})
