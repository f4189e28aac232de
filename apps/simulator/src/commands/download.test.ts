import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FileServer, hashOf, startFileServer } from '../../test/file-server.ts'
import { createRandom } from '../random.ts'
import { type DownloadOptions, download } from './download.ts'

describe('a download', () => {
  const bytes = randomBytes(300_000)
  let server: FileServer

  beforeEach(async () => {
    server = await startFileServer(bytes)
  })
  afterEach(() => server.close())

  const fetchFile = (more: Partial<DownloadOptions> = {}) =>
    download({
      url: server.url,
      sizeBytes: bytes.length,
      sha256: server.sha256,
      signal: new AbortController().signal,
      random: createRandom(1),
      retryMs: [5, 20],
      ...more,
    })

  /** The hash of the kept bytes: comparing large buffers byte by byte takes seconds. */
  const keptHash = async (more: Partial<DownloadOptions> = {}) => {
    const result = await fetchFile({ keepsBytes: true, ...more })
    return result.isComplete && result.bytes ? hashOf(result.bytes) : result
  }

  it('is complete when size and hash match; the bytes are kept on request', async () => {
    expect(await fetchFile()).toEqual({ isComplete: true })
    expect(await keptHash()).toBe(hashOf(bytes))
    expect(server.ranges).toEqual(['', ''])
  })

  it('that is interrupted is resumed where it broke, and hashed over all pieces', async () => {
    server.cutOnce(100_000)
    expect(await keptHash()).toBe(hashOf(bytes))
    expect(server.ranges).toEqual(['', 'bytes=100000-'])
  })

  it('starts again when the file has changed', async () => {
    const other = randomBytes(bytes.length)
    server.cutOnce(100_000)
    const hash = await keptHash({ onProgress: () => server.replace(other), sha256: hashOf(other) })
    expect(hash).toBe(hashOf(other))
  })

  it('fails on a wrong hash, and on a file that is longer or shorter than declared', async () => {
    expect(await fetchFile({ sha256: 'a'.repeat(64) })).toEqual({
      isComplete: false,
      reason: '文件校验失败（SHA-256不符）',
    })
    expect(await fetchFile({ sizeBytes: bytes.length - 1 })).toEqual({
      isComplete: false,
      reason: '文件大小与命令不符',
    })
    expect(await fetchFile({ sizeBytes: bytes.length + 1 })).toEqual({
      isComplete: false,
      reason: '文件大小与命令不符',
    })
  })

  it('does not retry an expired address', async () => {
    server.refuseOnce(403)
    expect(await fetchFile()).toEqual({ isComplete: false, reason: '下载地址已失效（HTTP 403）' })
    expect(server.ranges).toHaveLength(1)
  })

  it('retries while the server is busy, and gives up after five tries without progress', async () => {
    server.refuseOnce(503)
    server.refuseOnce(429)
    expect(await fetchFile()).toEqual({ isComplete: true })
    for (let tries = 0; tries < 5; tries += 1) server.refuseOnce(503)
    expect(await fetchFile()).toEqual({ isComplete: false, reason: '下载失败（HTTP 503）' })
    expect(server.ranges).toHaveLength(8)
  })

  it('follows a redirect, and gives up on a loop', async () => {
    server.redirectOnce('/elsewhere')
    expect(await fetchFile()).toEqual({ isComplete: true })
    for (let tries = 0; tries <= 5; tries += 1) server.redirectOnce('/elsewhere')
    expect(await fetchFile()).toEqual({ isComplete: false, reason: '下载失败（HTTP 302）' })
  })

  it('reports a refused connection', async () => {
    await server.close()
    expect(await fetchFile()).toEqual({ isComplete: false, reason: '下载失败（ECONNREFUSED）' })
  })

  it('can be aborted by its signal', async () => {
    server.stallOnce(1_000)
    const ending = new AbortController()
    const result = fetchFile({ signal: ending.signal, onProgress: () => ending.abort(new Error('enough')) })
    await expect(result).rejects.toThrow('enough')
  })
})
