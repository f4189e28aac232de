import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Api } from '../mount.ts'
import { compressors, type ServedFile, sendFile, servedFile, setPageHeaders } from '../pages/index.ts'
import { openApiOf } from './openapi.ts'

const read = (name: string) => readFileSync(new URL(`./api-reader/${name}`, import.meta.url))

const compressedFile = async (body: Buffer, extension: string): Promise<ServedFile> =>
  servedFile(body, extension, { br: await compressors.br(body), gzip: await compressors.gzip(body) })

const readerFiles = [
  ['/api/docs', 'page.html'],
  ['/api/docs/reader.js', 'reader.js'],
  ['/api/docs/reader.css', 'reader.css'],
] as const

/** `/api/openapi.json` and the page that shows it. Mounted last: it tells of all that is mounted. */
export function mountApiDocuments(app: FastifyInstance, api: Api, { version }: { version: string }): void {
  let document: Promise<ServedFile> | undefined
  app.get('/api/openapi.json', async (request, reply) => {
    document ??= compressedFile(Buffer.from(JSON.stringify(openApiOf(api.endpoints, { version }))), '.json')
    return sendFile(await document, request, reply)
  })
  for (const [url, name] of readerFiles) {
    const file = compressedFile(read(name), extname(name))
    app.get(url, async (request, reply) => {
      setPageHeaders(reply)
      return sendFile(await file, request, reply)
    })
  }
}
