/**
 * The files that the platform keeps: bytes on disk or in a bucket (blobs.ts), a row of `stored_file` for each. A
 * feature refers to a file by a foreign key of its own row; what nothing refers to is collected (collector.ts).
 */
import { randomUUID } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import type { StoredFile } from '@voltkeep/contract'
import { refuse } from '../../calls/refusal.ts'
import type { Db } from '../../database/database.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import {
  checkAddress,
  checkUploadAddress,
  type HolderKind,
  type SignedAddress,
  type SignedUploadAddress,
  signAddress,
  signUploadAddress,
} from './addresses.ts'
import type { BlobPlace, Blobs, ByteRange } from './blobs.ts'
import { type Collector, createCollector } from './collector.ts'
import { deleteUnreferenced, findFile, insertFile, type Uploader } from './files.queries.ts'
import { createFingerprint } from './fingerprint.ts'
import { quotasOf, reserveUpload } from './upload-quota.ts'

export interface KeepOptions {
  /** As the client called it; a name, never a path. */
  name: string
  /** Of more bytes the file is refused. */
  limitBytes?: number
  /** As many bytes as the client will send at most; null where it does not say. */
  announcedBytes?: number | null
  /** The user that it came from: the file counts against what a user may have unused. */
  uploader?: Uploader | null
  /** Aborted when nobody wants it any more. It destroys a stream; an iterable that is none ends at its next piece. */
  signal?: AbortSignal
}

function abortable(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Readable {
  const stream = source instanceof Readable ? source : Readable.from(source, { objectMode: false })
  return addAbortSignal(signal, stream)
}

export interface Files extends Collector {
  /**
   * Stores a stream and returns its row. Memory does not grow with the stream; without `signal`, the memory of a piece
   * is free when the next one is asked for. The file is collected after an hour unless a row refers to it by then. Throws
   * what the stream throws, `bodyTooLarge`, `unusedFilesOfUser`, `unusedFilesOfOrganization`, `filesFull` and
   * `filesAway`; then nothing is left behind.
   */
  keep(source: AsyncIterable<Uint8Array>, options: KeepOptions): Promise<StoredFile>
  /** Throws `fileNotFound`. */
  find(id: string, db?: Db): Promise<StoredFile>
  /** The bytes, or a range of them. Throws `fileNotFound` and `filesAway`, before the first byte. */
  read(file: Pick<StoredFile, 'id'>, range?: ByteRange): Promise<Readable>
  /** Removes at once what no row refers to; does nothing to a file that one refers to. */
  discard(id: string): Promise<void>
  /**
   * An address of the file for one device, good without a token until it expires or the device is deleted, on every
   * process of the installation and after a restart. Whether the file and the device exist is not asked here.
   */
  addressFor(deviceCode: string, fileId: string, options: { expiresAt: Date }): string
  /** The same for a user, who may pass it on: good until it expires. */
  addressForUser(userId: number, fileId: string, options: { expiresAt: Date }): string
  /**
   * The file of such an address, and whom the address was made for. Throws `addressInvalid`, `addressExpired` and
   * `fileNotFound`.
   */
  findByAddress(address: SignedAddress): Promise<{ file: StoredFile; kind: HolderKind }>
  /**
   * An address to which one device can PUT one file without a token, until it expires, on every process of the
   * installation and after a restart. The file goes to the feature that receives uploads of that purpose
   * (device-uploads.ts), for the row `id`.
   */
  uploadAddressFor(deviceCode: string, purpose: string, id: string, options: { expiresAt: Date }): string
  /** Throws `uploadAddressInvalid` and `uploadAddressExpired`. */
  checkUploadAddress(address: SignedUploadAddress): void
  place: BlobPlace
  delivery: FileDelivery
  /** Throws where the store cannot be reached or written to. */
  ping(): Promise<void>
  close(): void
}

/** What sends the bytes of a file: this server, the nginx before it, or (to devices) the bucket. */
export type FileDelivery = 'server' | 'nginx' | 'bucket'

export interface FilesOptions {
  db: Db
  blobs: Blobs
  log: Log
  /** Signs addresses; 32 bytes that all processes share. */
  secret: Buffer
  /** Without a slash at its end: what addresses begin with. */
  baseUrl: () => string
  delivery?: FileDelivery
  /** What a user may have uploaded that no row refers to; by default any number of bytes. */
  unusedBytesPerUser?: number
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function createFiles({
  db,
  blobs,
  log,
  secret,
  baseUrl,
  delivery = 'server',
  unusedBytesPerUser: perUserBytes = Number.POSITIVE_INFINITY,
}: FilesOptions): Files {
  const find = async (id: string, at = db) => {
    const file = uuid.test(id) ? await findFile(at, id) : undefined
    return file ?? refuse('fileNotFound')
  }

  return {
    ...createCollector({ db, blobs, log }),
    find,

    async keep(source, { name, limitBytes, announcedBytes, uploader = null, signal }) {
      const id = randomUUID()
      const fingerprint = createFingerprint(limitBytes)
      const mostBytes = Math.min(limitBytes ?? 0, announcedBytes ?? limitBytes ?? 0)
      const reservation = uploader
        ? await reserveUpload(
            db,
            { id, uploader, bytes: mostBytes },
            quotasOf({ perUserBytes, leftBytes: blobs.leftBytes, fileLimitBytes: limitBytes ?? 0 }),
          )
        : null
      const content = signal ? abortable(source, signal) : source
      try {
        await blobs.put(id, fingerprint.over(reservation?.over(content) ?? content), mostBytes)
        try {
          signal?.throwIfAborted()
          return await db.transaction().execute(async (trx) => {
            await reservation?.end(trx)
            return insertFile(trx, { id, name, ...fingerprint.result() }, uploader)
          })
        } catch (error) {
          // If this fails as well, the bytes have no row and are swept.
          await blobs.remove(id).catch((err: unknown) =>
            log.warn(
              { err, id },
              spoken({
                zh: '文件未能删除，稍后自动清理',
                en: 'a file could not be removed and is cleaned up later',
              }),
            ),
          )
          throw error
        }
      } catch (error) {
        // If this fails, it no longer counts after a while.
        await reservation?.end().catch(() => undefined)
        throw error
      }
    },

    async read({ id }, range) {
      const stream = await blobs.open(id, range)
      if (stream) return stream
      // Collected since the row was read, or lost: only the second is worth a line.
      if (await findFile(db, id))
        log.error({ id }, spoken({ zh: '文件内容已丢失', en: 'the content of a file is missing' }))
      return refuse('fileNotFound')
    },

    async discard(id) {
      const deleted = await db.transaction().execute((trx) => deleteUnreferenced(trx, [id]))
      if (deleted.length > 0) await blobs.remove(id)
    },

    addressFor: (deviceCode, fileId, { expiresAt }) =>
      baseUrl() + signAddress(secret, 'device', { holder: deviceCode, fileId, expiresAt }),
    addressForUser: (userId, fileId, { expiresAt }) =>
      baseUrl() + signAddress(secret, 'user', { holder: String(userId), fileId, expiresAt }),
    async findByAddress(address) {
      const kind = checkAddress(secret, address)
      return { file: await find(address.fileId), kind }
    },

    uploadAddressFor: (deviceCode, purpose, id, { expiresAt }) =>
      baseUrl() + signUploadAddress(secret, { deviceCode, purpose, id, expiresAt }),
    checkUploadAddress: (address) => checkUploadAddress(secret, address),

    place: blobs.place,
    delivery,
    ping: () => blobs.ping(),
    close: () => blobs.close(),
  }
}
