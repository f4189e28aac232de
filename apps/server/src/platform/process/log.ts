// The server's log: lines on the console and in files that are kept for a while.
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Level, type Logger, multistream, pino } from 'pino'
import { withOffset } from './clock.ts'

export type Log = Logger
export type LogLevel = Level | 'silent'

const fileSizeLimitBytes = 10 * 1024 * 1024
const keptFiles = 5

/**
 * Fields whose value is never written to the log, at the top of the line's object or one level below. Request bodies
 * are not logged at all; this list is a second safeguard.
 */
const secretFields = [
  'password',
  'oldPassword',
  'newPassword',
  'loginPassword',
  'secret',
  'token',
  'authorization',
  'cookie',
  'accessKey',
  'secretKey',
  'databaseUrl',
  'mqttUrl',
]

export interface LogOptions {
  level: LogLevel
  /** Where the rotated JSON files go; without it only the console is written. */
  directory?: string
  /** The files' name: several processes on one directory must not write the same file. */
  name?: string
  console?: { write(text: string): unknown }
}

/** Lines for people go to the console, the same lines as JSON to files that a screen reads later. */
export function createLog({
  level,
  directory,
  name = 'voltkeep',
  console = process.stdout,
}: LogOptions): Log {
  const streams: { stream: { write(line: string): unknown }; level: Level }[] = [
    { stream: { write: (line) => console.write(readable(line)) }, level: 'trace' },
  ]
  if (directory !== undefined) {
    streams.push({ stream: new RotatingFile(directory, name), level: 'trace' })
  }
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${withOffset(new Date())}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '***' },
    },
    multistream(streams, { dedupe: false }),
  )
}

/** `09:30:12 INFO  message  key=value`, and an error's stack below. */
function readable(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = new Date(String(time)).toTimeString().slice(0, 8)
  const words = Object.entries(rest).map(
    ([key, value]) => `${key}=${inOneLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  const error = err as { stack?: string; message?: string } | undefined
  const stack = error === undefined ? '' : `\n${error.stack ?? error.message}`
  const text = msg === undefined ? undefined : inOneLine(String(msg))
  return `${[clock, String(level).toUpperCase().padEnd(5), text, ...words].filter(Boolean).join(' ')}${stack}\n`
}

/** A client's text may contain line breaks or hidden characters: with them it could forge lines on the console. */
const inOneLine = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )

/**
 * Written synchronously on purpose: the line before a crash is the one that is needed. One write of a
 * short line costs a few microseconds, and requests are not logged one by one at the default level.
 */
class RotatingFile {
  readonly #directory: string
  readonly #name: string
  #fd: number
  #sizeBytes: number

  constructor(directory: string, name: string) {
    this.#directory = directory
    this.#name = name
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#fd = openSync(this.#path(0), 'a', 0o600)
    this.#sizeBytes = fstatSync(this.#fd).size
  }

  write(line: string): void {
    if (this.#sizeBytes > fileSizeLimitBytes) this.#rotate()
    try {
      this.#sizeBytes += writeSync(this.#fd, line)
    } catch {
      // A full disk must not take the server down with it; the console still has the line.
    }
  }

  /** `voltkeep.log` is the newest, `voltkeep.1.log` the one before. */
  #path(age: number): string {
    return join(this.#directory, age === 0 ? `${this.#name}.log` : `${this.#name}.${age}.log`)
  }

  /**
   * The new file is opened before the old one is closed: a descriptor closed twice might by then be a socket's. Where
   * it cannot be opened, the old one stays in use.
   */
  #rotate(): void {
    const unfinishedPath = `${this.#path(0)}.new`
    let fd: number
    try {
      // Somebody may have removed the folder.
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      fd = openSync(unfinishedPath, 'w', 0o600)
    } catch {
      return
    }
    for (let age = keptFiles - 1; age >= 0; age -= 1) moveOver(this.#path(age), this.#path(age + 1))
    if (!moveOver(unfinishedPath, this.#path(0))) {
      closeSync(fd)
      return
    }
    closeSync(this.#fd)
    this.#fd = fd
    this.#sizeBytes = 0
  }
}

/** False where there is nothing to move: there are not that many files yet. */
function moveOver(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}
