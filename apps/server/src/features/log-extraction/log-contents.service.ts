// The content of an extracted log: the text itself, the text in a gzip file, the texts in a ZIP archive.
import {
  type FileReply,
  logEntriesLimit,
  logTextLimitBytes,
  type ParsedInputFor,
  type readExtractedLog,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import { gunzipped, readUnpackedSize } from '../../platform/files/archives/gzip.ts'
import { withoutArchives } from '../../platform/files/archives/nested.ts'
import { portionOf } from '../../platform/files/archives/portion.ts'
import { openZip, withZip } from '../../platform/files/archives/zip.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import type { LogExtractions } from './log-extraction.service.ts'

export type LogContents = ReturnType<typeof createLogContents>

export function createLogContents({
  files,
  extractions,
}: {
  files: Pick<Files, 'read'>
  extractions: Pick<LogExtractions, 'fileOf'>
}) {
  return {
    /** Refuses `logExtractionNotFound`, `logFileMissing`, and `archiveUnreadable` where an archive is damaged. */
    async listLogEntries(actor: Actor, id: string) {
      const file = await extractions.fileOf(actor, id)
      const { contentType, sizeBytes } = file
      if (contentType === 'application/zip') {
        return withZip(files, file, logTextLimitBytes, async (zip) => ({
          entries: (await zip.list(logEntriesLimit)).map(({ index, name, sizeBytes: size, problem }) => ({
            index,
            name,
            sizeBytes: size,
            problem,
          })),
          entryCount: zip.entryCount,
        }))
      }
      const isPacked = contentType === 'application/gzip'
      const entry = {
        index: 0,
        name: isPacked ? file.name.replace(/\.gz$/, '.txt') : file.name,
        sizeBytes: isPacked ? await readUnpackedSize(files, file) : sizeBytes,
        problem: null,
      }
      return { entries: [entry], entryCount: 1 }
    },

    /** Refuses as `listLogEntries` does, and `archiveEntryNotFound`. */
    async readExtractedLog(
      actor: Actor,
      {
        id,
        entry,
        from,
        limit = Number.MAX_SAFE_INTEGER,
        untilDamage,
      }: ParsedInputFor<typeof readExtractedLog>,
    ): Promise<FileReply> {
      const portion = { from, limit, endsAtDamage: untilDamage === 1 }
      const file = await extractions.fileOf(actor, id)
      if (file.contentType === 'application/zip') {
        const zip = await openZip(files, file, logTextLimitBytes)
        return {
          fileName: file.name,
          body: await portionOf(withoutArchives(zip.stream(entry)), portion),
        }
      }
      if (entry !== 0) refuse('archiveEntryNotFound')
      if (file.contentType === 'application/gzip') {
        return {
          fileName: file.name,
          body: await portionOf(withoutArchives(gunzipped(files, file, logTextLimitBytes)), portion),
        }
      }
      const size = Math.max(0, Math.min(limit, file.sizeBytes - from))
      const body = size === 0 ? [] : await files.read(file, { start: from, end: from + size - 1 })
      return { fileName: file.name, sizeBytes: size, body: bytesOf(body) }
    },
  }
}

async function* bytesOf(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  yield* source
}
