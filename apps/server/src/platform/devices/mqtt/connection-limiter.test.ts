import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { type ConnectionLimit, ConnectionLimiter, type OpenConnection } from './connection-limiter.ts'

let nowMs: number
let met: [ConnectionLimit, string][]
let limiter: ConnectionLimiter
beforeEach(() => {
  nowMs = 0
  met = []
  limiter = new ConnectionLimiter({
    inAll: 8,
    strangers: 5,
    strangersPerAddress: 3,
    perAddress: 4,
    met: (limit, address) => met.push([limit, address]),
    now: () => nowMs,
  })
})

function come(address: string): { socket: Socket; connection: OpenConnection | null; isIn: boolean } {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroy() {
      socket.destroyed = true
      socket.emit('close')
    },
  })
  const line = socket as unknown as Socket
  const connection = limiter.admit(line, address)
  return { socket: line, connection, isIn: connection !== null }
}
function signIn(address: string): boolean {
  const { connection } = come(address)
  if (!connection) return false
  limiter.speaks(connection)
  return limiter.signsIn(connection)
}

test('at the limit of an address its oldest silent connection is closed for a new one, after its minimum time', () => {
  const first = come('a')
  come('a')
  come('a')
  expect(come('a').isIn).toBe(false)
  nowMs = 2_000
  expect(come('a').isIn).toBe(true)
  expect([first.socket.destroyed, limiter.count]).toEqual([true, 3])
  expect(met).toEqual([
    ['strangersPerAddress', 'a'],
    ['strangersPerAddress', 'a'],
  ])
})

test('a connection that has sent CONNECT is not closed', () => {
  const lines = [come('a'), come('a'), come('a')]
  for (const { connection } of lines) if (connection) limiter.speaks(connection)
  nowMs = 60_000
  expect(come('a').isIn).toBe(false)
  lines[0]?.socket.destroy()
  expect(come('a').isIn).toBe(true)
})

test('connections before sign-in have a limit of their own, which excludes those after it', () => {
  for (const address of ['a', 'b', 'c']) expect(signIn(address)).toBe(true)
  for (const address of ['a', 'a', 'b', 'b', 'c']) expect(come(address).isIn).toBe(true)
  expect(come('d').isIn).toBe(false)
  expect([limiter.count, limiter.strangerCount, met]).toEqual([8, 5, [['strangers', 'd']]])
})

test('there are at most the limit in total, and a closed one makes room', () => {
  for (const address of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) expect(signIn(address)).toBe(true)
  const last = come('h')
  expect(signIn('i')).toBe(false)
  expect(met).toEqual([['inAll', 'i']])
  last.socket.destroy()
  expect(signIn('i')).toBe(true)
})

test('signed-in connections of one address have a limit, where one is set', () => {
  for (let n = 0; n < 4; n += 1) expect(signIn('a')).toBe(true)
  expect(signIn('a')).toBe(false)
  expect(signIn('b')).toBe(true)
  expect(met).toEqual([['perAddress', 'a']])
})
