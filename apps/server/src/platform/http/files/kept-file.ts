import type { KeptFile } from '@voltkeep/contract'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../calls/refusal.ts'
import { mayBeInline } from '../../files/kept/content-type.ts'
import type { Files } from '../../files/kept/index.ts'
import { namesTag, rangeOf } from './range.ts'

/**
 * The policy of a file that a browser opens by its address: the file is shown and can do nothing else. `sandbox` gives
 * it an origin of its own, without scripts.
 */
export const fileSecurityPolicy =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

/** The internal location of nginx that stands for the folder of all blobs. */
const nginxLocation = '/stored-files/'

/**
 * Answers a kept file: length, strong ETag (the SHA-256), one range, 304 where the client has it already, the head
 * alone to HEAD. Several ranges are answered with the whole file, as RFC 9110 allows. Throws `rangeOutOfFile`,
 * `fileNotFound` and `filesAway` before anything is sent. A client that leaves closes the source. With
 * FILE_DELIVERY=nginx the bytes are nginx's to send.
 */
export async function sendKeptFile(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Pick<Files, 'read' | 'place' | 'delivery'>,
  { file, disposition }: KeptFile,
): Promise<FastifyReply> {
  const { headers, method } = request
  const name = contentDisposition(file.name, {
    type: mayBeInline(file.contentType) ? disposition : 'attachment',
  })
  // Only for an nginx that has announced that it does this: any other client would get an empty answer. Length, tag and
  // ranges are then set by nginx.
  if (files.delivery === 'nginx' && files.place.kind === 'disk' && headers['x-files-by'] === 'nginx') {
    return reply
      .header('x-accel-redirect', nginxLocation + files.place.pathOf(file.id))
      .header('cache-control', 'private, no-cache')
      .header('content-disposition', name)
      .type(file.contentType)
      .send()
  }
  const tag = `"${file.sha256}"`
  const setHeaders = () =>
    reply
      .header('etag', tag)
      // The browser may keep it, and asks each time whether it still may show it.
      .header('cache-control', 'private, no-cache')
      .header('accept-ranges', 'bytes')
      .header('content-security-policy', fileSecurityPolicy)

  if (namesTag(headers['if-none-match'], tag)) return setHeaders().code(304).send()
  // A range of another version is of no use: then the whole file is sent.
  const isSameVersion = headers['if-range'] === undefined || headers['if-range'] === tag
  const asked = method === 'GET' && isSameVersion ? rangeOf(headers.range, file.sizeBytes) : 'whole'
  if (asked === 'outside') {
    reply.header('content-range', `bytes */${file.sizeBytes}`)
    refuse('rangeOutOfFile')
  }
  const range = asked === 'whole' ? undefined : asked
  const body = method === 'HEAD' ? undefined : await files.read(file, range)
  setHeaders()
    .header('content-type', file.contentType)
    .header('content-length', range ? range.end - range.start + 1 : file.sizeBytes)
    .header('content-disposition', name)
  if (range) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
  }
  return reply.send(body)
}
