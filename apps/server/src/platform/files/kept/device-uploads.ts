// Uploads of devices to signed addresses: the file goes into the store and to the feature that asked for it.
import type { Readable } from 'node:stream'
import type { StoredFile } from '@voltkeep/contract'
import { Refusal } from '../../calls/refusal.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import type { Files } from './files.ts'
import { tooLarge } from './fingerprint.ts'

/** A feature's side of uploads of one purpose. */
export interface UploadReceiver {
  /** The most bytes of one file. */
  limitBytes: number
  /**
   * Before the first byte. Refuses where the row does not wait for an upload; from then on one upload is under way,
   * and ends with `stored` or `failed`. `sizeBytes` is what the device announced; null where it did not.
   */
  begin(asked: { id: string; deviceCode: string; sizeBytes: number | null }): Promise<DeviceUpload>
}

/** One upload under way. */
export interface DeviceUpload {
  /** How the file is to be called. */
  name: string
  /** Aborted, with a refusal as the reason, when nobody wants the file any more: the connection is cut. */
  signal: AbortSignal
  /** Called with each piece that came. */
  progressed(receivedBytes: number): void
  /** The file is in the store. A refusal removes it, and is what the device is answered. */
  stored(file: StoredFile): Promise<void>
  /** Nothing is in the store: what came was too much, damaged, or broke off. The device may try again. */
  failed(error: unknown): Promise<void>
}

/** A connection on which nothing comes for so long is closed. */
const silenceMs = 60_000

/** What the device announces of the whole file; absent where it does not. */
export interface Announced {
  sizeBytes: number | null
  /** Content-MD5: base64. */
  md5?: string | undefined
  /** X-Content-SHA256: hexadecimal. */
  sha256?: string | undefined
}

/**
 * Receives one file in flat memory. Throws what `begin` and `stored` refuse, `bodyTooLarge`, `uploadDamaged` where the
 * bytes are not what the device said, refusals of the store, and what the stream throws; then nothing is kept.
 */
export async function receiveFromDevice(
  { files, log }: { files: Pick<Files, 'keep' | 'discard'>; log: Log },
  receiver: UploadReceiver,
  asked: { id: string; deviceCode: string; announced: Announced; accept: () => Readable },
): Promise<StoredFile> {
  const { id, deviceCode, announced, accept } = asked
  const { limitBytes } = receiver
  const upload = await receiver.begin({ id, deviceCode, sizeBytes: announced.sizeBytes })
  let file: StoredFile
  try {
    // Before a byte is sent, if the device waits for 100 Continue.
    if ((announced.sizeBytes ?? 0) > limitBytes) throw tooLarge(limitBytes)
    file = await keep(accept(), upload)
  } catch (error) {
    await upload.failed(error).catch((err: unknown) =>
      log.warn(
        { err, id },
        spoken({
          zh: '设备上传失败未能记录',
          en: 'the failure of an upload by a device could not be recorded',
        }),
      ),
    )
    throw error
  }
  try {
    requireAnnounced(file, announced)
  } catch (error) {
    await files.discard(file.id)
    await upload.failed(error)
    throw error
  }
  try {
    await upload.stored(file)
    return file
  } catch (error) {
    await files.discard(file.id)
    throw error
  }

  async function keep(content: Readable, { name, signal, progressed }: DeviceUpload): Promise<StoredFile> {
    const silence = setTimeout(() => content.destroy(), silenceMs)
    // With the refusal: an upload that nobody wants any more is no defect of ours.
    const cut = () => content.destroy(signal.reason as Error)
    signal.addEventListener('abort', cut, { once: true })
    async function* pieces() {
      let receivedBytes = 0
      // The answer to an upload that is refused halfway needs the connection, which destroying the stream would end.
      for await (const bytes of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        receivedBytes += bytes.byteLength
        silence.refresh()
        progressed(receivedBytes)
        yield bytes
        free(bytes)
      }
    }
    try {
      return await files.keep(pieces(), { name, limitBytes, announcedBytes: announced.sizeBytes })
    } finally {
      clearTimeout(silence)
      signal.removeEventListener('abort', cut)
    }
  }
}

/**
 * Frees the memory of a piece at once. Left to V8, the pieces of an upload make it collect the whole heap every 25 MB,
 * which took more time than receiving, hashing and writing them.
 */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

function requireAnnounced(file: StoredFile, { md5, sha256 }: Announced): void {
  const damaged = (field: string) => {
    const message = `文件的 ${field} 与校验值不符，请重新上传`
    throw new Refusal('uploadDamaged', [{ field, message }])
  }
  if (md5 !== undefined && Buffer.from(md5, 'base64').toString('hex') !== file.md5) damaged('MD5')
  if (sha256 !== undefined && sha256.toLowerCase() !== file.sha256) damaged('SHA-256')
}
