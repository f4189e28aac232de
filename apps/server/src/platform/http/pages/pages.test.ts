import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import rootPackage from '../../../../../../package.json' with { type: 'json' }
import { createLog } from '../../process/log.ts'
import { createHttpServer } from '../server.ts'
import { servePages } from './pages.ts'

const html = `<!doctype html><title>Voltkeep</title>${' '.repeat(2_000)}`
const script = `console.log(${'1,'.repeat(2_000)}1)`

let directory: string
let app: ReturnType<typeof createHttpServer>
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-pages-'))
  app = createHttpServer({ log: createLog({ level: 'silent' }) })
  servePages(app, directory)
})
afterEach(async () => {
  await app.close()
  rmSync(directory, { recursive: true, force: true })
})

function build() {
  mkdirSync(join(directory, 'assets'))
  mkdirSync(join(directory, '.vite'))
  writeFileSync(join(directory, 'index.html'), html)
  writeFileSync(join(directory, 'favicon.svg'), '<svg/>')
  const file = join(directory, 'assets', 'main-a1b2c3.js')
  writeFileSync(file, script)
  writeFileSync(`${file}.br`, brotliCompressSync(script))
  writeFileSync(`${file}.gz`, gzipSync(script))
  writeFileSync(join(directory, '.vite', 'manifest.json'), '{}')
}

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test('before the first build a page says what to do, and after it works without a restart', async () => {
  const missing = await get('/')
  expect(missing.statusCode).toBe(503)
  const command = /npm (run )?([\w:]+)/.exec(missing.body)?.[2] ?? ''
  expect(Object.keys(rootPackage.scripts)).toContain(command)
  build()
  expect((await get('/')).body).toBe(html)
})

describe('built pages', () => {
  beforeEach(build)

  test.each(['/', '/login', '/maintenance/exitWarning?page=2', '/404'])(
    '%s returns the app, which caches must revalidate',
    async (path) => {
      const { statusCode, headers, body } = await get(path)
      expect(statusCode).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['cache-control']).toBe('no-cache')
      expect(body).toBe(html)
    },
  )

  test('may run scripts of this origin only, and cannot be framed', async () => {
    const { headers } = await get('/')
    expect(headers['content-security-policy']).toContain("script-src 'self';")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('same-origin')
  })

  test('may run the inline script of the build, by its hash, and no other', async () => {
    const script = "document.title = 'x'"
    writeFileSync(
      join(directory, 'index.html'),
      `<!doctype html><script>${script}</script><div id="root"></div>`,
    )
    const { headers } = await get('/login')
    const hash = createHash('sha256').update(script).digest('base64')
    expect(headers['content-security-policy']).toContain(`script-src 'self' 'sha256-${hash}';`)
    expect((await get('/assets/main-a1b2c3.js')).headers['content-security-policy']).toContain(
      "script-src 'self';",
    )
  })

  test('with a hash in the name are cached for a year', async () => {
    const { headers } = await get('/assets/main-a1b2c3.js')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect((await get('/favicon.svg')).headers['cache-control']).toBe('no-cache')
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are compressed with %s where the browser accepts it', async (encoding, decompress) => {
    for (let time = 0; time < 2; time += 1) {
      const { headers, rawPayload } = await get('/assets/main-a1b2c3.js', { 'accept-encoding': encoding })
      expect(headers['content-encoding']).toBe(encoding)
      expect(headers.vary).toBe('accept-encoding')
      expect(rawPayload.length).toBeLessThan(script.length / 10)
      expect(decompress(rawPayload).toString()).toBe(script)
    }
  })

  test('are served as they were when the process first read them, whatever is built meanwhile', async () => {
    await get('/')
    for (const ending of ['', '.br', '.gz']) rmSync(join(directory, 'assets', `main-a1b2c3.js${ending}`))
    writeFileSync(join(directory, 'index.html'), 'another version')
    expect((await get('/')).body).toBe(html)
    expect((await get('/assets/main-a1b2c3.js')).body).toBe(script)
    const { rawPayload } = await get('/assets/main-a1b2c3.js', { 'accept-encoding': 'br' })
    expect(brotliDecompressSync(rawPayload).toString()).toBe(script)
  })

  test('are sent uncompressed if the browser accepts no compression', async () => {
    expect((await get('/assets/main-a1b2c3.js')).body).toBe(script)
    const { headers } = await get('/assets/main-a1b2c3.js', { 'accept-encoding': 'br;q=0, gzip;q=0' })
    expect(headers['content-encoding']).toBeUndefined()
  })

  test('are not sent again while they are unchanged', async () => {
    const { headers } = await get('/')
    const again = await get('/', { 'if-none-match': String(headers.etag) })
    expect(again.statusCode).toBe(304)
    expect(again.body).toBe('')
  })

  test.each([
    '/assets/old-d4e5f6.js',
    '/assets/none',
    '/robots.txt',
    '/.vite/manifest.json',
    '/assets/main-a1b2c3.js.br',
    '/../secret',
    '/assets/..%2f..%2fpackage.json',
    '/%2e%2e/%2e%2e/etc/passwd',
  ])('do not include %s, and do not return the app in its place', async (path) => {
    const { statusCode, body } = await get(path)
    if (statusCode === 200) expect(body).toBe(html)
    else expect(statusCode).toBe(404)
    expect(body).not.toContain('root:')
  })

  test('leave unknown calls to the envelope', async () => {
    const answer = await get('/api/none')
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toEqual({ code: 404, message: '接口不存在', data: null, refusal: 'notFound' })
  })

  test('answer HEAD', async () => {
    const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/login' })
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '' })
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
  })
})
