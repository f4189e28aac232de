import type { FastifyInstance } from 'fastify'
import { refuse } from '../../calls/refusal.ts'
import type { Files } from '../../files/kept/index.ts'
import type { Addressed } from '../../files/kept/offers.ts'
import { sendKeptFile } from './kept-file.ts'

/** How long the bucket accepts the address that we redirect a device to. A download that has begun goes on. */
const bucketAddressSeconds = 600

/**
 * `GET /files/<file>/<device>?expires=…&signature=…`: files for devices, which have no token. The signature is the
 * permission. Refused with 403 where the address was changed, made for another device or file, is too old, or would not
 * be given any more, and with 404 where the file has been collected.
 *
 * `isStillGiven` is asked for every request: look-ups by index, beside the one of the file. An address stays good when
 * the device gets a new secret: it opens one file, which whoever had the old secret could have fetched when the address
 * came, and a download that is under way in the cabinet would fail for nothing.
 */
export function mountDeviceFiles(
  app: FastifyInstance,
  files: Files,
  isStillGiven: (address: Addressed) => Promise<boolean>,
): void {
  app.route<{
    Params: { fileId: string; holder: string }
    Querystring: { expires?: unknown; signature?: unknown }
  }>({
    method: ['GET', 'HEAD'],
    url: '/files/:fileId/:holder',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { expires, signature } = request.query
      const { file, kind } = await files.findByAddress({
        ...request.params,
        expires: String(expires),
        signature: String(signature),
      })
      const { holder } = request.params
      if (!(await isStillGiven({ kind, holder, fileId: file.id }))) refuse('addressInvalid')
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
