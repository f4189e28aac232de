// Serves the built pages, with the headers that they need.
import { createHash } from 'node:crypto'
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../calls/refusal.ts'
import { said } from '../../process/language/speech.ts'
import { languageOf } from '../language.ts'
import { type Encoding, encodingFor } from './compression.ts'

const builtPages = fileURLToPath(new URL('../../../../../web/dist', import.meta.url))

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
/** What the build writes beside a text (scripts/web-build.mjs), by the ending of its name. */
const compressedFiles: Record<string, Encoding> = { '.br': 'br', '.gz': 'gzip' }

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

/** Something that does not change while the process runs, with what is sent of it to clients that take it compressed. */
export interface ServedFile {
  body: Buffer
  /** Of a page with scripts inside. */
  contentSecurityPolicy?: string | undefined
  contentType: string
  etag: string
  /** Its name carries a hash of its content. */
  isHashed: boolean
  compressed: Partial<Record<Encoding, Buffer>>
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
          .send(
            `${said('网页尚未构建：请停止服务，在项目目录用 npm start 重新启动（启动前会构建网页）。')}\n`,
          )
      }
      const file =
        (path === '/index.html' ? undefined : files.get(path)) ??
        (isPagePath(path) ? pageIn(files, request) : undefined)
      if (!file)
        return reply
          .code(404)
          .type('text/plain; charset=utf-8')
          .send(`${said('文件不存在')}\n`)
      return sendFile(file, request, reply)
    },
  })
}

/** The page in the language that the browser has asked for. */
function pageIn(files: ReadonlyMap<string, ServedFile>, request: FastifyRequest): ServedFile | undefined {
  return (languageOf(request) === 'en' ? files.get('/index.en.html') : undefined) ?? files.get('/index.html')
}

/** A file that is asked for by name and is not there must not answer as if it were a page. */
function isPagePath(path: string): boolean {
  return path === '/index.html' || (!path.startsWith('/assets/') && extname(path) === '')
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
export function sendFile(file: ServedFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply
    .header('cache-control', file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', file.etag)
    .type(file.contentType)
  if (file.contentSecurityPolicy !== undefined)
    reply.header('content-security-policy', file.contentSecurityPolicy)
  const varies = Object.keys(file.compressed).length > 0 ? ['accept-encoding'] : []
  // The page is another one in another language.
  if (file.contentSecurityPolicy !== undefined) varies.push('cookie')
  if (varies.length > 0) reply.header('vary', varies.join(', '))
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  const encoding = encodingFor(request)
  const compressed = encoding && file.compressed[encoding]
  return compressed ? reply.header('content-encoding', encoding).send(compressed) : reply.send(file.body)
}

function readPages(directory: string): Map<string, ServedFile> | undefined {
  if (!existsSync(join(directory, 'index.html'))) return undefined
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const pages = entries.filter((entry) => entry.isFile()).map((entry) => readPage(directory, entry))
  // Hidden files (the build's manifest) are the build's own.
  const files = new Map(pages.filter(([path]) => !path.includes('/.')))
  for (const [path, { body }] of files) {
    const ending = extname(path)
    const encoding = compressedFiles[ending]
    const file = encoding && files.get(path.slice(0, -ending.length))
    if (!file) continue
    file.compressed[encoding] = body
    files.delete(path)
  }
  return files
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
export const servedFile = (
  body: Buffer,
  extension: string,
  compressed: ServedFile['compressed'] = {},
): ServedFile => ({
  body,
  contentType: contentTypes[extension] ?? 'application/octet-stream',
  etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
  isHashed: false,
  compressed,
})

/** Of each script that stands in the page itself, as the browser computes it. */
function scriptHashesOf(html: string): string[] {
  return [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}
