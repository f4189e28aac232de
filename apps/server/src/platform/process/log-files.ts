// Lists the server's log files and reads lines of them, from the end.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface LogFile {
  name: string
  sizeBytes: number
  modifiedTime: Date
}

export interface LogPiece extends LogFile {
  /** Oldest first. */
  lines: string[]
  /** Where the first of them begins; the next call passes it as `before`. Null at the file's beginning. */
  before: number | null
}

export interface WantedLines {
  lines: number
  /** Only lines that contain it, in either case. */
  text?: string | undefined
  /** Ends there instead of at the file's end. */
  before?: number | undefined
}

const chunkBytes = 65_536
/** A filter that matches little must not read gigabytes in one call; the answer then says where to go on. */
const scanLimitBytes = 32 * 1024 * 1024
const answerLimitBytes = 2 * 1024 * 1024
/** Of a longer line the beginning is shown. */
const lineLimitBytes = 16_384
const newline = 0x0a

/** The files of the log folder, those written to last first. Links and folders are none. */
export async function listLogFiles(directory: string): Promise<LogFile[]> {
  const files: LogFile[] = []
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue
    // Rotation may have renamed it meanwhile.
    const stats = await lstat(join(directory, entry.name)).catch(() => null)
    if (stats) files.push({ name: entry.name, sizeBytes: stats.size, modifiedTime: stats.mtime })
  }
  return files.sort(
    (a, b) => b.modifiedTime.getTime() - a.modifiedTime.getTime() || a.name.localeCompare(b.name),
  )
}

/**
 * The last lines of a log file, read from its end, so that its size does not matter. Null where the folder
 * itself has no such file: a name that is a path, a link or a folder names none.
 */
export async function readLogFile(
  directory: string,
  name: string,
  wanted: WantedLines,
): Promise<LogPiece | null> {
  if (!(await listLogFiles(directory)).some((file) => file.name === name)) return null
  let file: FileHandle
  try {
    // Not followed, should it have become a link since.
    file = await open(join(directory, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return null
    const piece = await readBackwards(file, stats.size, wanted)
    return { name, sizeBytes: stats.size, modifiedTime: stats.mtime, ...piece }
  } finally {
    await file.close()
  }
}

async function readBackwards(
  file: FileHandle,
  sizeBytes: number,
  { lines: lineCount, text, before }: WantedLines,
): Promise<Pick<LogPiece, 'lines' | 'before'>> {
  const needle = text?.toLowerCase()
  const end = Math.min(before ?? sizeBytes, sizeBytes)
  const found: string[] = []
  let foundBytes = 0
  /** Begins the first line that was looked at. */
  let seenFrom = end
  /** Bytes from `position` on, up to the first line break behind it: a line whose beginning is not read yet. */
  let rest: Buffer = Buffer.alloc(0)
  let position = end

  const look = (line: Buffer, from: number) => {
    seenFrom = from
    const shown = line.subarray(0, lineLimitBytes).toString('utf8').replace(/\r$/, '')
    if (shown === '' || (needle !== undefined && !shown.toLowerCase().includes(needle))) return
    found.push(line.length > lineLimitBytes ? `${shown}…` : shown)
    foundBytes += shown.length
  }
  const isEnough = () => found.length >= lineCount || foundBytes > answerLimitBytes

  while (position > 0 && !isEnough() && end - position < scanLimitBytes) {
    const from = Math.max(0, position - chunkBytes)
    const chunk = Buffer.alloc(position - from)
    await file.read(chunk, 0, chunk.length, from)
    position = from
    const bytes = Buffer.concat([chunk, rest])
    let lineEnd = bytes.length
    for (
      let at = chunk.lastIndexOf(newline);
      at !== -1 && !isEnough();
      at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1)
    ) {
      look(bytes.subarray(at + 1, lineEnd), position + at + 1)
      lineEnd = at
    }
    // The part of a line beyond its limit is not kept.
    rest = bytes.subarray(0, Math.min(lineEnd, lineLimitBytes + 1))
  }
  if (position === 0 && !isEnough()) look(rest, 0)
  return { lines: found.reverse(), before: seenFrom === 0 ? null : seenFrom }
}
