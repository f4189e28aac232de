// multipart/form-data: its fields become the request's body, its file goes to a temporary file for the time of the
// call, or into the store where the endpoint keeps it.
import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import { type StoredFile, type UploadedFile, withoutInvisible } from '@voltkeep/contract'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { Refusal } from '../../calls/refusal.ts'
import { tooLarge } from '../../files/kept/fingerprint.ts'
import type { Files, Uploader } from '../../files/kept/index.ts'
import type { DiskWatch } from '../../process/disk/disk-watch.ts'
import { refusalOfWriting } from '../../process/disk/no-room.ts'
import { type Pace, watchUpload } from '../body.ts'

/** The limits of a form's fields, beside its file. */
const fieldLimits = { fields: 50, fieldSize: 16_384, fieldNameSize: 100, headerPairs: 100 }
const fileNameLimit = 200
/** No call lasts as long: an older file was left by a process that was killed. */
const leftOverMs = 86_400_000

/** Makes the directory, closed to other users, and removes what a killed process has left in it. */
export function openUploadDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (Date.now() - statSync(path).mtimeMs > leftOverMs) rmSync(path, { force: true })
  }
}

/** A route that takes multipart/form-data beside what every route takes. */
export async function acceptUploads(scope: FastifyInstance, route: RouteOptions): Promise<void> {
  await scope.register(multipart, { throwFileSizeLimit: false, limits: fieldLimits })
  scope.route(route)
}

export interface Upload<File> {
  /** Absent where the form has none. */
  file: File | undefined
  /** Removes the file again. */
  remove(): Promise<void>
}

/**
 * Receives one file, and removes it again where that fails. Throws `bodyTooLarge`, refusals of the store, and what the
 * stream throws.
 */
export type Receive<File> = (
  content: Readable,
  options: { name: string; limitBytes: number; announcedBytes: number | null },
) => Promise<{ file: File; remove(): Promise<void> }>

/** To a file of its own in that directory, which the handler reads. Throws `filesFull` where there is no room. */
export function receiveForTheCall(
  directory: string,
  disk?: Pick<DiskWatch, 'roomFor'>,
): Receive<UploadedFile> {
  return async (content, { name, limitBytes, announcedBytes }) => {
    const room = disk?.roomFor(Math.min(limitBytes, announcedBytes ?? limitBytes))
    const path = join(directory, randomUUID())
    const remove = async () => {
      await rm(path, { force: true })
      room?.end()
    }
    let sizeBytes = 0
    async function* counted() {
      for await (const bytes of content as AsyncIterable<Buffer>) {
        sizeBytes += bytes.length
        if (sizeBytes > limitBytes) throw tooLarge(limitBytes)
        yield bytes
      }
    }
    try {
      await pipeline(counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    } catch (error) {
      await remove()
      throw refusalOfWriting(error)
    }
    return { file: { fileName: name, path, sizeBytes }, remove }
  }
}

/** Straight into the store, once: a handler that refuses it leaves nothing. */
export function receiveToKeep(files: Files, uploader: Uploader | null): Receive<StoredFile> {
  return async (content, options) => {
    const file = await files.keep(content, { ...options, uploader })
    return { file, remove: () => files.discard(file.id) }
  }
}

/**
 * Receives the file of a form as it comes in, so that memory does not grow with it and the fields may stand before it
 * or after it. The fields become the request's body.
 */
export async function receiveUpload<File extends { sizeBytes: number }>(
  request: FastifyRequest,
  {
    limitBytes,
    fieldsLimitBytes,
    receive,
    pace,
    onSlow,
  }: {
    limitBytes: number
    /** Of all fields together. */
    fieldsLimitBytes: number
    receive: Receive<File>
    pace: Pace
    onSlow: () => void
  },
): Promise<Upload<File>> {
  const { 'content-length': length } = request.headers
  // Of the whole form, which is a little more than its file.
  const announcedBytes = length === undefined ? null : Number(length)
  const fields: Record<string, unknown> = {}
  let fieldBytes = 0
  const stopWatching = watchUpload(request.raw, pace, () => {
    onSlow()
    request.raw.destroy()
  })
  let received: Upload<File> = { file: undefined, remove: async () => undefined }
  try {
    // One byte more than the limit, so that the receiver meets the limit and does not get a file that was cut.
    const limits = { ...fieldLimits, files: 1, fileSize: limitBytes + 1 }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') {
        fieldBytes += part.fieldname.length + String(part.value).length
        if (fieldBytes > fieldsLimitBytes || part.valueTruncated) throw new Refusal('bodyTooLarge')
        const already = fields[part.fieldname]
        fields[part.fieldname] = already === undefined ? part.value : [already, part.value].flat()
        continue
      }
      if (part.fieldname !== 'file' || received.file !== undefined) {
        part.file.resume()
        continue
      }
      try {
        received = await receive(part.file, { name: plainName(part.filename), limitBytes, announcedBytes })
      } catch (error) {
        throw isFromClient(error, part.file) ? error : new StoreFailure(error)
      }
      // Browsers send an empty part for an input without a file.
      if (!part.filename && received.file?.sizeBytes === 0) {
        await received.remove()
        received.file = undefined
      }
    }
  } catch (error) {
    // What the client is still sending would, unread, block the next request on this connection.
    request.raw.unpipe()
    request.raw.resume()
    await received.remove()
    throw refusalOf(error)
  } finally {
    stopWatching()
  }
  request.body = fields
  return received
}

/** Whether the stream failed, and not the place that it is written to. */
function isFromClient(error: unknown, content: Readable): boolean {
  return error === content.errored || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
}

class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('an upload could not be stored', { cause })
  }
}

/** A form that cannot be read is the client's fault; an error of the store is ours. */
function refusalOf(error: unknown): unknown {
  if (error instanceof StoreFailure) return error.cause
  if (error instanceof Refusal) return error
  if ((error as NodeJS.ErrnoException).code === 'FST_FILES_LIMIT')
    return new Refusal('badInput', [{ field: 'file', message: '只能上传一个文件，请先删除当前文件!' }])
  return new Refusal('badInput', [{ field: 'file', message: '上传的内容不完整或格式有误' }])
}

/** Removes the folders that some browsers send along, and characters that no file name has or that are not seen. */
function plainName(given: string | undefined = ''): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const plain = (given.split(/[\\/]/).at(-1) ?? '').replace(/[\u0000-\u001f\u007f]/g, '').toWellFormed()
  const name = withoutInvisible(plain)
  return name.slice(-fileNameLimit) || '未命名'
}
