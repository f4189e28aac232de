// Serves the built pages, with the headers that they need.
import { createHash } from 'node:crypto'
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import { type Encoding, encodingFor, leastCompressedBytes } from './compression.ts'

const builtPages = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}
const compressible = new Set(['.html', '.js', '.css', '.json', '.svg', '.txt'])

/**
 * Nothing but this origin, no inline script but those of the page itself, by their hashes, no frame around us. Inline
 * styles stay: antd writes its style sheets at run time.
 */
const contentSecurityPolicy = (scriptHashes: readonly string[] = []) =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...scriptHashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** What every page and file of pages carries, the reader's page of the API too. */
export function setPageHeaders(reply: FastifyReply): void {
  reply
    .header('content-security-policy', contentSecurityPolicy())
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('x-frame-options', 'DENY')
}

/** Something that does not change while the process runs, and is compressed once. */
export interface ServedFile {
  body: Buffer
  /** Of a page with scripts inside. */
  contentSecurityPolicy?: string | undefined
  contentType: string
  etag: string
  isCompressible: boolean
  /** Its name carries a hash of its content. */
  isHashed: boolean
  compressed: Partial<Record<Encoding, Promise<Buffer>>>
}

/**
 * Serves the built web app from memory (a few MB), as it was when the process started: a build that runs
 * meanwhile cannot mix two versions. Paths that are no file are the app's own and get its HTML.
 */
export function servePages(app: FastifyInstance, directory: string = builtPages): void {
  let files: Map<string, ServedFile> | undefined

  app.route({
    method: 'GET',
    url: '/*',
    handler: async (request, reply) => {
      const path = decodedPath(request)
      if (path === '/api' || path.startsWith('/api/')) throw new Refusal('notFound')
      // Looked for again until it is there: the server may be up before the first build.
      files ??= readPages(directory)
      setPageHeaders(reply)
      if (!files) {
        return reply
          .code(503)
          .type('text/plain; charset=utf-8')
          .send('网页尚未构建：请停止服务，在项目目录用 npm start 重新启动（启动前会构建网页）。\n')
      }
      const file = files.get(path) ?? (isPagePath(path) ? files.get('/index.html') : undefined)
      if (!file) return reply.code(404).type('text/plain; charset=utf-8').send('文件不存在\n')
      return sendFile(file, request, reply)
    },
  })
}

/** A file that is asked for by name and is not there must not answer as if it were a page. */
function isPagePath(path: string): boolean {
  return !path.startsWith('/assets/') && extname(path) === ''
}

function decodedPath(request: FastifyRequest): string {
  const [path = '/'] = request.url.split('?')
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Refusal('badInput')
  }
}

/** Compressed where the client takes it; 304 where it has the same already. */
export async function sendFile(
  file: ServedFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply
    .header('cache-control', file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', file.etag)
    .type(file.contentType)
  if (file.contentSecurityPolicy !== undefined)
    reply.header('content-security-policy', file.contentSecurityPolicy)
  if (file.isCompressible) reply.header('vary', 'accept-encoding')
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  const encoding = file.isCompressible ? encodingFor(request) : undefined
  if (!encoding) return reply.send(file.body)
  // Once a file and encoding, at the first request, on zlib's threads: everyone after gets it from memory.
  if (!file.compressed[encoding]) {
    file.compressed[encoding] = compressors[encoding](file.body)
    if (encoding === 'br') improveLater(file)
  }
  return reply.header('content-encoding', encoding).send(await file.compressed[encoding])
}

/**
 * Of the built app (1.3 MB in 38 files) quality 8 makes 395 kB and quality 11 366 kB, in thirty times the
 * time. So the first visitor gets 8, and whoever comes after 11 has been reached in the background 11.
 */
const firstQuality = 8
const bestQuality = 11

const brotli = (body: Buffer, quality: number) =>
  promisify(brotliCompress)(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })
const compressors = {
  br: (body: Buffer) => brotli(body, firstQuality),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
}

/** One at a time: zlib's threads are also those that check passwords. */
let improving: Promise<unknown> = Promise.resolve()
function improveLater(file: ServedFile): void {
  improving = improving.then(async () => {
    const best = await brotli(file.body, bestQuality)
    file.compressed.br = Promise.resolve(best)
  })
}

function readPages(directory: string): Map<string, ServedFile> | undefined {
  if (!existsSync(join(directory, 'index.html'))) return undefined
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const pages = entries.filter((entry) => entry.isFile()).map((entry) => readPage(directory, entry))
  // Hidden files (the build's manifest) are the build's own.
  return new Map(pages.filter(([path]) => !path.includes('/.')))
}

function readPage(directory: string, { parentPath, name }: Dirent): [path: string, ServedFile] {
  const body = readFileSync(join(parentPath, name))
  const path = `/${relative(directory, join(parentPath, name)).split(sep).join('/')}`
  const extension = extname(name)
  const policy = extension === '.html' ? contentSecurityPolicy(scriptHashesOf(body.toString())) : undefined
  return [
    path,
    {
      ...servedFile(body, extension),
      contentSecurityPolicy: policy,
      isHashed: path.startsWith('/assets/'),
    },
  ]
}

/** `extension` tells its type: `.json`. */
export const servedFile = (body: Buffer, extension: string): ServedFile => ({
  body,
  contentType: contentTypes[extension] ?? 'application/octet-stream',
  etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
  isCompressible: compressible.has(extension) && body.length >= leastCompressedBytes,
  isHashed: false,
  compressed: {},
})

/** Of each script that stands in the page itself, as the browser computes it. */
function scriptHashesOf(html: string): string[] {
  return [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}
