// Kept files in a bucket of an S3-compatible store.
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Refusal } from '../../calls/refusal.ts'
import type { BucketAddress } from '../../process/bucket-address.ts'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { type Blobs, idOf, keyOf, ownerKey } from './blobs.ts'
import { partsOf } from './parts.ts'

/** At most 10,000 parts make an object: 80 GB. */
const partBytes = 8 * 1024 * 1024
/** Parts of one upload that are sent at once; one more is being filled. */
const partsAtOnce = 2
const connectTimeoutMs = 5_000
/** Without a byte in either direction. A device that reads slowly resumes with a range. */
const idleTimeoutMs = 60_000
/** Fleets download at once, each download is a connection to the bucket. */
const connectionLimit = 500

export interface S3BlobsOptions {
  address: BucketAddress
  region: string
  accessKeyId: string
  secretAccessKey: string
  log: Log
}

/**
 * Blobs as objects of a bucket, `<prefix>files/<two digits>/<id>`. Up to 8 MB is one request; a larger blob is a
 * multipart upload, which becomes an object only when it is completed and is aborted where anything fails. Loaded only
 * where S3_URL is set: the client takes 30 MB.
 */
export function openS3Blobs({
  address: { endpoint, bucket, prefix, isPathStyle },
  region,
  accessKeyId,
  secretAccessKey,
  log,
}: S3BlobsOptions): Blobs {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: isPathStyle,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: idleTimeoutMs,
      httpAgent: { maxSockets: connectionLimit },
      httpsAgent: { maxSockets: connectionLimit },
    },
    // Many compatible services do not know the checksums that the client sends by default; all of them know
    // Content-MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const root = `${prefix}files/`
  const objectOf = (id: string) => ({ Bucket: bucket, Key: root + keyOf(id) })
  const complain = createComplaints((err, count) =>
    log.error(
      { err, count },
      spoken({ zh: '文件存储（S3）不可用', en: 'the file store (S3) cannot be used' }),
    ),
  )

  /** False once the bucket has said that it cannot. */
  let listsUploads = true

  /** The bucket's own failures are one refusal; the reason is in the log. */
  const ask = async <Answer>(request: Promise<Answer>): Promise<Answer> => {
    try {
      return await request
    } catch (error) {
      if (isMissing(error)) throw error
      complain(error)
      throw new Refusal('filesAway')
    }
  }

  const putWhole = async (id: string, body: Buffer) => {
    const command = new PutObjectCommand({ ...objectOf(id), Body: body, ContentMD5: md5Of(body) })
    await ask(client.send(command))
  }

  const putInParts = async (id: string, parts: AsyncIterable<Buffer>) => {
    const { UploadId } = await ask(client.send(new CreateMultipartUploadCommand(objectOf(id))))
    const upload = { ...objectOf(id), UploadId }
    const sending: Promise<{ PartNumber: number; ETag: string | undefined }>[] = []
    try {
      for await (const body of inTurn(parts, sending)) {
        const PartNumber = sending.length + 1
        const command = new UploadPartCommand({ ...upload, PartNumber, Body: body, ContentMD5: md5Of(body) })
        const sent = ask(client.send(command))
        sending.push(sent.then(({ ETag }) => ({ PartNumber, ETag })))
      }
      const MultipartUpload = { Parts: await Promise.all(sending) }
      await ask(client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload })))
    } catch (error) {
      // A part that is still on its way would be kept, and paid for, after the upload was aborted.
      await Promise.allSettled(sending)
      await client.send(new AbortMultipartUploadCommand(upload)).catch((err: unknown) =>
        log.warn(
          { err, id },
          spoken({
            zh: '未完成的上传未能取消，稍后自动清理',
            en: 'an unfinished upload could not be cancelled and is cleaned up later',
          }),
        ),
      )
      throw error
    }
  }

  return {
    async put(id, source) {
      const parts = partsOf(source, { partBytes, buffers: partsAtOnce + 1 })
      const first = await parts.next()
      const second = first.done ? first : await parts.next()
      if (second.done) await putWhole(id, first.done ? Buffer.alloc(0) : first.value)
      else await putInParts(id, prepended([first.value as Buffer, second.value], parts))
    },

    async open(id, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      try {
        const { Body } = await ask(client.send(new GetObjectCommand({ ...objectOf(id), Range })))
        return Body as Readable
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    async remove(id) {
      await ask(client.send(new DeleteObjectCommand(objectOf(id))))
    },

    async *list() {
      let ContinuationToken: string | undefined
      do {
        const query = new ListObjectsV2Command({ Bucket: bucket, Prefix: root, ContinuationToken })
        const page = await ask(client.send(query))
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const id = idOf(Key.slice(root.length))
          if (id !== undefined && LastModified) yield { id, changedAt: LastModified }
        }
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
    },

    async removeUnfinished(before) {
      let count = 0
      const query = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: root })
      const listing = client.send(query).catch((error: unknown) => {
        if (!isNotImplemented(error)) throw error
        if (listsUploads)
          log.warn(
            spoken({
              zh: '存储桶不能列出未完成的上传（ListMultipartUploads）：请在存储桶一侧设置自动清理',
              en: 'the bucket cannot list unfinished uploads (ListMultipartUploads): have the bucket itself remove them',
            }),
          )
        listsUploads = false
        return { Uploads: [] }
      })
      const { Uploads = [] } = await ask(listing)
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (!Initiated || Initiated >= before) continue
        await ask(client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })))
        count += 1
      }
      return count
    },

    async readOwner() {
      try {
        const { Body } = await ask(
          client.send(new GetObjectCommand({ Bucket: bucket, Key: root + ownerKey })),
        )
        return (await Body?.transformToString()) ?? null
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async writeOwner(installation) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: root + ownerKey, Body: installation })
      await ask(client.send(command))
    },

    async ping() {
      await client.send(new HeadBucketCommand({ Bucket: bucket }))
    },

    place: {
      kind: 'bucket',
      addressOf: (id, { expiresInSeconds, contentType, contentDisposition }) =>
        getSignedUrl(
          client,
          new GetObjectCommand({
            ...objectOf(id),
            ResponseContentType: contentType,
            ResponseContentDisposition: contentDisposition,
          }),
          { expiresIn: expiresInSeconds },
        ),
    },
    leftBytes: Number.POSITIVE_INFINITY,
    close: () => client.destroy(),
  }
}

const md5Of = (body: Buffer) => createHash('md5').update(body).digest('base64')

const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound'].includes((error as Error).name)

/** Some compatible services lack a call. */
const isNotImplemented = (error: unknown) =>
  [405, 501].includes((error as S3ServiceException).$metadata?.httpStatusCode ?? 0)

async function* prepended<Item>(first: readonly Item[], rest: AsyncIterable<Item>) {
  yield* first
  yield* rest
}

/** Passes a part on when all but `partsAtOnce - 1` of those before have arrived. */
async function* inTurn(parts: AsyncIterable<Buffer>, sending: readonly Promise<unknown>[]) {
  for await (const part of parts) {
    yield part
    // The error of a part that fails while the next is being filled is met here or at the end.
    sending.at(-1)?.catch(() => undefined)
    await sending.at(-partsAtOnce)
  }
}
