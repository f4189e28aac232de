import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Api } from './mount.ts'
import { openApiOf } from './openapi.ts'
import { type ServedFile, sendFile, servedFile, setPageHeaders } from './pages.ts'

const read = (name: string) => readFileSync(new URL(`./api-reader/${name}`, import.meta.url))

const readerFiles = [
  ['/api/docs', 'page.html'],
  ['/api/docs/reader.js', 'reader.js'],
  ['/api/docs/reader.css', 'reader.css'],
] as const

/** `/api/openapi.json` and the page that shows it. Mounted last: it tells of all that is mounted. */
export function mountApiDocuments(app: FastifyInstance, api: Api, { version }: { version: string }): void {
  let document: ServedFile | undefined
  app.get('/api/openapi.json', async (request, reply) => {
    document ??= servedFile(Buffer.from(JSON.stringify(openApiOf(api.endpoints, { version }))), '.json')
    return sendFile(document, request, reply)
  })
  for (const [url, name] of readerFiles) {
    const file = servedFile(read(name), extname(name))
    app.get(url, async (request, reply) => {
      setPageHeaders(reply)
      return sendFile(file, request, reply)
    })
  }
}
