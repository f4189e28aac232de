import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Api } from './mount.ts'
import { openApiOf } from './openapi.ts'
import { setPageHeaders } from './pages.ts'

const read = (name: string) => readFileSync(new URL(`./api-reader/${name}`, import.meta.url), 'utf8')

const readerFiles = [
  ['/api/docs', 'page.html', 'text/html; charset=utf-8'],
  ['/api/docs/reader.js', 'reader.js', 'text/javascript; charset=utf-8'],
  ['/api/docs/reader.css', 'reader.css', 'text/css; charset=utf-8'],
] as const

/** `/api/openapi.json` and the page that shows it. Mounted last: it tells of all that is mounted. */
export function mountApiDocuments(app: FastifyInstance, api: Api, { version }: { version: string }): void {
  let document: string | undefined
  app.get('/api/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApiOf(api.endpoints, { version }))
    return reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(document)
  })
  for (const [url, name, contentType] of readerFiles) {
    const text = read(name)
    app.get(url, async (_request, reply) => {
      setPageHeaders(reply)
      return reply.header('cache-control', 'no-cache').type(contentType).send(text)
    })
  }
}
