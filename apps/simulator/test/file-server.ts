import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server with one file, Range and ETag, and faults on request. */
export async function startFileServer(bytes: Buffer) {
  /** The Range header of every request, '' for none. */
  const ranges: string[] = []
  const faults: ((request: IncomingMessage, response: ServerResponse) => boolean)[] = []
  let file = bytes
  const server = createServer((request, response) => {
    const { range = '', 'if-range': ifRange } = request.headers
    ranges.push(range)
    const fault = faults.shift()
    if (fault?.(request, response)) return
    const etag = `"${hashOf(file)}"`
    const [, first] = /^bytes=(\d+)-$/.exec(range) ?? []
    const from = first !== undefined && (ifRange === undefined || ifRange === etag) ? Number(first) : 0
    response.writeHead(from > 0 ? 206 : 200, {
      etag,
      'content-length': file.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
    })
    send(response, file.subarray(from))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ranges,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/file?signature=x`,
    get sizeBytes() {
      return file.length
    },
    get sha256() {
      return hashOf(file)
    },
    replace(other: Buffer) {
      file = other
    },
    /** The next request is answered with this status, once `from` has resolved. */
    refuseOnce(status: number, from: Promise<void> = Promise.resolve()) {
      faults.push((_request, response) => {
        void from.then(() => response.writeHead(status).end())
        return true
      })
    },
    /** The next request gets a redirect. */
    redirectOnce(location: string) {
      faults.push((_request, response) => {
        response.writeHead(302, { location }).end()
        return true
      })
    },
    /** The next request is cut off after this many bytes. */
    cutOnce(afterBytes: number) {
      faults.push((request, response) => {
        response.writeHead(200, { etag: `"${hashOf(file)}"`, 'content-length': file.length })
        response.write(file.subarray(0, afterBytes), () => setTimeout(() => request.socket.destroy(), 20))
        return true
      })
    },
    /** The next request gets this many bytes and then nothing, until `close`. */
    stallOnce(afterBytes: number) {
      faults.push((_request, response) => {
        response.writeHead(200, { 'content-length': file.length })
        response.write(file.subarray(0, afterBytes))
        return true
      })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type FileServer = Awaited<ReturnType<typeof startFileServer>>

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** In pieces, as over a network, so that a test can act during a download. */
function send(response: ServerResponse, bytes: Buffer): void {
  const pieceBytes = Math.max(1, Math.ceil(bytes.length / 8))
  let at = 0
  const next = () => {
    if (response.destroyed) return
    if (at >= bytes.length) {
      response.end()
      return
    }
    response.write(bytes.subarray(at, at + pieceBytes), () => setImmediate(next))
    at += pieceBytes
  }
  next()
}
