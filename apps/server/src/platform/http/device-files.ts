import type { FastifyInstance } from 'fastify'
import type { Files } from '../files/index.ts'
import { sendKeptFile } from './kept-file.ts'

/** How long the bucket accepts the address that we redirect a device to. A download that has begun goes on. */
const bucketAddressSeconds = 600

/**
 * `GET /files/<file>/<device>?expires=…&signature=…`: files for devices, which have no token. The signature is the
 * permission. Refused with 403 where the address was changed, made for another device or file, or is too old, and
 * with 404 where the file has been collected.
 */
export function mountDeviceFiles(app: FastifyInstance, files: Files): void {
  app.route<{
    Params: { fileId: string; deviceCode: string }
    Querystring: { expires?: unknown; signature?: unknown }
  }>({
    method: ['GET', 'HEAD'],
    url: '/files/:fileId/:deviceCode',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { expires, signature } = request.query
      const file = await files.findByAddress({
        ...request.params,
        expires: String(expires),
        signature: String(signature),
      })
      const { place, delivery } = files
      // The bucket's address is signed for GET alone, so HEAD is answered here.
      if (delivery === 'bucket' && place.kind === 'bucket' && request.method === 'GET') {
        const address = await place.addressOf(file.id, {
          expiresInSeconds: bucketAddressSeconds,
          contentType: file.contentType,
          // Without the name: services differ in how they read quotes and stars in a signed query.
          contentDisposition: 'attachment',
        })
        return reply.header('cache-control', 'no-store').redirect(address, 302)
      }
      return sendKeptFile(request, reply, files, { file, disposition: 'attachment' })
    },
  })
}
