// Files that devices upload, each by an address that is its permission.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Envelope } from '@voltkeep/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../calls/refusal.ts'
import { receiveFromDevice, type UploadReceiver } from '../../files/kept/device-uploads.ts'
import type { Files } from '../../files/kept/index.ts'
import type { Log } from '../../process/log.ts'
import { anyPace, type Pace, watchUpload } from '../body.ts'
import type { HttpLimits } from '../limits/index.ts'

const root = '/uploads/'

/**
 * `PUT /uploads/<purpose>/<row>/<device>?expires=…&signature=…`: files from devices, which have no token. The signature
 * is the permission. Refused with 403 where the address was changed or is too old, with 409 where it has been used,
 * with 413 where the file is too large: before the first byte where the device says `Expect: 100-continue`.
 */
export function mountDeviceUploads(
  app: FastifyInstance,
  {
    files,
    uploads,
    log,
    pace = anyPace,
    limits,
  }: {
    files: Files
    uploads: Readonly<Record<string, UploadReceiver>>
    log: Log
    /** The least rate of an upload; by default any. */
    pace?: Pace
    limits?: HttpLimits
  },
): void {
  letHandlersContinue(app)
  app.register(async (scope) => {
    // The body is passed on as bytes, whatever content type the device names.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _content, done) => done(null))
    const receive = async (
      request: FastifyRequest,
      reply: FastifyReply,
      { purpose, id, deviceCode }: Row,
      { expires, signature }: Permission,
    ): Promise<Envelope<{ sizeBytes: number; sha256: string }>> => {
      files.checkUploadAddress({
        purpose,
        id,
        deviceCode,
        expires: String(expires),
        signature: String(signature),
      })
      const takes = uploads[purpose] ?? refuse('uploadAddressInvalid')
      const stopWatching = watchUpload(request.raw, pace, () => {
        limits?.met('uploadTooSlow', { address: request.ip, call: `${root}${purpose}` })
        request.raw.destroy()
      })
      const { sizeBytes, sha256 } = await receiveFromDevice({ files, log }, takes, {
        id,
        deviceCode,
        announced: announcedBy(request.headers),
        accept: () => accepted(request, reply),
      }).finally(stopWatching)
      return { code: 200, message: '上传成功', data: { sizeBytes, sha256 } }
    }
    scope.route<{ Params: Row; Querystring: Permission }>({
      method: 'PUT',
      url: `${root}:purpose/:id/:deviceCode`,
      handler: (request, reply) => receive(request, reply, request.params, request.query),
    })
    // For devices that take an address for a directory, and add the name of the file to it.
    scope.route<{ Params: Row & Permission }>({
      method: ['PUT', 'POST'],
      url: `${root}:purpose/:id/:deviceCode/:expires/:signature/*`,
      handler: (request, reply) => receive(request, reply, request.params, request.params),
    })
  })
}

interface Row {
  purpose: string
  id: string
  deviceCode: string
}

interface Permission {
  expires?: unknown
  signature?: unknown
}

function announcedBy(headers: IncomingMessage['headers']) {
  const { 'content-length': length, 'content-md5': md5, 'x-content-sha256': sha256 } = headers
  return {
    sizeBytes: length === undefined ? null : Number(length),
    md5: typeof md5 === 'string' ? md5 : undefined,
    sha256: typeof sha256 === 'string' ? sha256 : undefined,
  }
}

/** The body of the request; sends 100 Continue first, if the device waits for it. */
function accepted({ raw }: FastifyRequest, reply: FastifyReply): Readable {
  if (expectsContinue(raw)) reply.raw.writeContinue()
  return raw
}

const expectsContinue = ({ headers }: IncomingMessage) => /100-continue/i.test(headers.expect ?? '')

/** Node would send every 100 Continue by itself, before anybody has looked at the address. */
function letHandlersContinue(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith(root)) response.writeContinue()
    app.routing(request, response)
  })
}
