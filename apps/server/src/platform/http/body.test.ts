import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createJsonMeter, watchUpload } from './body.ts'

describe('the JSON meter', () => {
  const measured = (text: string, chunkBytes = 7) => {
    const meter = createJsonMeter()
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += chunkBytes) meter(bytes.subarray(at, at + chunkBytes))
  }

  it('skips strings, also across chunks', () => {
    const text = JSON.stringify({
      a: '{'.repeat(100),
      b: ':'.repeat(9_000),
      c: '\\"\\\\":{',
      d: '，：'.repeat(30_000),
    })
    for (const chunkBytes of [1, 2, 7, 4_096]) expect(() => measured(text, chunkBytes)).not.toThrow()
  })

  it('refuses too many keys, too many values and too deep nesting', () => {
    expect(() => measured(`{${'"a":1,'.repeat(5_001)}"b":1}`)).toThrow('字段过多')
    expect(() => measured(`[${'1,'.repeat(60_001)}1]`)).toThrow('字段过多')
    expect(() => measured(`{"a":${'['.repeat(22)}`)).toThrow(expect.objectContaining({ refusal: 'badInput' }))
  })
})

describe('the upload watchdog', () => {
  let server: Server
  let client: Socket
  let taken: Socket
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const arrival = once(server, 'connection')
    client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    ;[taken] = (await arrival) as [Socket]
    taken.resume()
  })
  afterEach(() => {
    client.destroy()
    taken.destroy()
    server.close()
  })
  const pace = { leastBytesPerSecond: 1_000, windowMs: 20 }

  it('reports a stalled upload', async () => {
    await new Promise<void>((resolve) => {
      watchUpload({ socket: taken, readableLength: 0, complete: false }, pace, resolve)
    })
  })

  it('ignores an upload whose bytes wait for the server, a complete one, and any without a minimum rate', async () => {
    const told: string[] = []
    watchUpload({ socket: taken, readableLength: 1, complete: false }, pace, () => told.push('waiting'))
    watchUpload({ socket: taken, readableLength: 0, complete: true }, pace, () => told.push('complete'))
    watchUpload(
      { socket: taken, readableLength: 0, complete: false },
      { ...pace, leastBytesPerSecond: 0 },
      () => told.push('any'),
    )
    // Started later with a shorter window: when it reports, the others have been checked.
    await new Promise<void>((resolve) => {
      watchUpload({ socket: taken, readableLength: 0, complete: false }, { ...pace, windowMs: 60 }, resolve)
    })
    expect(told).toEqual([])
  })
})
