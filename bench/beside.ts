// What a bench compares with: other pages, served from this machine like ours, compressed, with permanent caching.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, posix } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Browser, BrowserContext } from 'playwright-core'
import { servePages } from '../apps/server/src/platform/http/pages/index.ts'
import { closeHttpServer, createHttpServer } from '../apps/server/src/platform/http/server.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'
import { watchFirstRow } from './alarm-page.ts'

/**
 * vue-element-admin as published by its authors (branch gh-pages). Its calls are mocked in the page, so neither user
 * nor rows cost a round trip. A row counts as soon as it is inserted, although a mask covers it for another 1.5 s.
 */
const vueElementAdmin = {
  base: '/vue-element-admin/',
  page: '/vue-element-admin/#/table/complex-table',
  row: '.el-table__body tbody tr',
  cookie: { name: 'Admin-Token', value: 'admin-token' },
}

export interface Beside {
  /** The address of its page with a table. */
  address: string
  /** The selector of one of its rows. */
  row: string
  /** A browser without cache, signed in. */
  visitor(browser: Browser): Promise<BrowserContext>
  close(): Promise<void>
}

/** The built site in this directory; throws where it has no index.html. */
export async function openBeside(directory: string): Promise<Beside> {
  const { base, page, row, cookie } = vueElementAdmin
  const files = new Map(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [posix.join(base, path.slice(directory.length)), compressed(path)] as const
      }),
  )
  const index = files.get(`${base}index.html`)
  if (!index) throw new Error(`${directory} has no index.html`)
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://site').pathname
    const file = path === base ? index : files.get(path)
    if (!file) {
      response.writeHead(404).end()
      return
    }
    const keeping = file === index ? 'no-cache' : 'public, max-age=31536000, immutable'
    response.writeHead(200, { ...file.headers, 'cache-control': keeping }).end(file.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address: url + page,
    row,
    async visitor(browser) {
      const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1440, height: 900 } })
      await context.addCookies([{ ...cookie, url }])
      await context.addInitScript(watchFirstRow, row)
      return context
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Another build of our own pages, whose calls go on to the server at this address. */
export async function openPages(
  directory: string,
  server: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const app = createHttpServer({ log: createLog({ level: 'warn' }) })
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!raw.url?.startsWith('/api/')) return
    reply.hijack()
    const { method, headers } = raw
    const onward = httpRequest(server + raw.url, { method, headers }, (answer) => {
      reply.raw.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply.raw)
    })
    // A reader who leaves ends the live stream.
    reply.raw.on('close', () => onward.destroy())
    onward.on('error', () => reply.raw.destroy())
    raw.pipe(onward)
  })
  servePages(app, directory)
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => closeHttpServer(app) }
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Text compressed with brotli, like apps/server; other files unchanged. Requests to other hosts are blocked. */
function compressed(path: string): { headers: Record<string, string>; body: Buffer } {
  const type = types[extname(path)]
  const content = readFileSync(path)
  if (!type) return { headers: {}, body: content }
  const body =
    extname(path) === '.html'
      ? Buffer.from(content.toString().replace(/<script[^>]*src="?\/\/[^>]*><\/script>/g, ''))
      : content
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
  return {
    headers: { 'content-type': type, 'content-encoding': 'br' },
    body: brotliCompressSync(body, { params }),
  }
}
