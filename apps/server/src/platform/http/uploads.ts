import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import type { UploadedFile } from '@voltkeep/contract'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { Refusal } from '../refusal.ts'

/** What a form may hold beside its file. */
const fieldLimits = { fields: 50, fieldSize: 65_536, fieldNameSize: 100, headerPairs: 100 }
const fileNameLimit = 200
/** No call lasts as long: what is older was left by a process that was killed. */
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

export interface Upload {
  /** Absent where the form has none. */
  file: UploadedFile | undefined
  remove(): Promise<void>
}

/**
 * Writes the file of a form to disk as it comes in, so that memory does not grow with it and the fields may
 * stand before it or after it. The fields become the request's body.
 */
export async function receiveUpload(
  request: FastifyRequest,
  { directory, limitBytes }: { directory: string; limitBytes: number },
): Promise<Upload> {
  const path = join(directory, randomUUID())
  const remove = () => rm(path, { force: true })
  const fields: Record<string, unknown> = {}
  let file: UploadedFile | undefined
  try {
    for await (const part of request.parts({ limits: { ...fieldLimits, files: 1, fileSize: limitBytes } })) {
      if (part.type === 'field') {
        const already = fields[part.fieldname]
        fields[part.fieldname] = already === undefined ? part.value : [already, part.value].flat()
        continue
      }
      if (part.fieldname !== 'file' || file !== undefined) {
        // Browsers send an empty part for an input without a file.
        part.file.resume()
        continue
      }
      await pipeline(part.file, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
      if (part.file.truncated) throw tooLarge(limitBytes)
      if (part.filename === '' && part.file.bytesRead === 0) continue
      file = { fileName: plainName(part.filename), path, sizeBytes: part.file.bytesRead }
    }
  } catch (error) {
    await remove()
    throw refusalOf(error)
  }
  request.body = fields
  return { file, remove }
}

function tooLarge(limitBytes: number): Refusal {
  const limit = Math.floor(limitBytes / 1024 / 1024)
  return new Refusal('bodyTooLarge', [{ field: 'file', message: `文件大小不能超过${limit}MB` }])
}

/** A form that cannot be read is the client's; what befell the disk is ours. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'FST_FILES_LIMIT')
    return new Refusal('badInput', [{ field: 'file', message: '只能上传一个文件' }])
  if (syscall !== undefined && code !== 'ECONNRESET') return error
  return new Refusal('badInput', [{ field: 'file', message: '上传的内容不完整或格式有误' }])
}

/** Without the folders that some browsers send along, and without what no file name has. */
function plainName(given: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const name = (given.split(/[\\/]/).at(-1) ?? '').replace(/[\u0000-\u001f\u007f]/g, '').toWellFormed()
  return name.slice(-fileNameLimit) || '未命名'
}
