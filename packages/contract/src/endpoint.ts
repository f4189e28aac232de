// How a call of the wire contract is declared, and the types that follow from a declaration.
import type { RefusalName } from './refusals.ts'

/**
 * The contract's view of a schema: anything that carries zod's input and output types. The structural type is
 * deliberate: typing hundreds of endpoints as `z.ZodType` was measured ten times more expensive to type-check.
 */
export interface Schema<Output = unknown, Input = unknown> {
  _zod: { output: Output; input: Input }
}
export type OutputOf<S> = S extends { _zod: { output: infer Output } } ? Output : never
export type InputOf<S> = S extends { _zod: { input: infer Input } } ? Input : never

/** The form of an endpoint's answer. All but `file` and `stream` use the envelope. */
export type Reply =
  | { kind: 'one'; schema: Schema }
  | { kind: 'page'; row: Schema }
  | { kind: 'nothing' }
  | { kind: 'file'; contentType: string; isKept?: true }
  | { kind: 'oneOrFile'; schema: Schema; contentType: string }
  | { kind: 'stream'; event: Schema }

/** Answers one value in `data`. */
/*@__NO_SIDE_EFFECTS__*/
export function one<S extends Schema>(schema: S) {
  return { kind: 'one', schema } as const
}

/** Answers rows in `data` and their count over all pages in `total`. */
/*@__NO_SIDE_EFFECTS__*/
export function page<S extends Schema>(row: S) {
  return { kind: 'page', row } as const
}

/** Answers `data: null`: a write whose only answer is its success. */
/*@__NO_SIDE_EFFECTS__*/
export function nothing() {
  return { kind: 'nothing' } as const
}

/** Answers a file with a content-disposition header; an error is still an envelope. */
/*@__NO_SIDE_EFFECTS__*/
export function file(contentType: string) {
  return { kind: 'file', contentType } as const
}

/** Answers a file that the platform keeps: with length, ETag, ranges and HEAD, as the type detected in it. */
/*@__NO_SIDE_EFFECTS__*/
export function keptFile() {
  return { kind: 'file', contentType: 'application/octet-stream', isKept: true } as const
}

/** Answers a file or one value in `data`, e.g. the report of a dry run. */
/*@__NO_SIDE_EFFECTS__*/
export function oneOrFile<S extends Schema>(schema: S, contentType: string) {
  return { kind: 'oneOrFile', schema, contentType } as const
}

/** Answers Server-Sent Events, one `event` per message. */
/*@__NO_SIDE_EFFECTS__*/
export function stream<S extends Schema>(event: S) {
  return { kind: 'stream', event } as const
}

export type Method = 'GET' | 'POST' | 'DELETE'

/** `<noun>:<verb>`: the `remark` of a menu of type F. */
export type FunctionCode = `${string}:${string}`

/**
 * Who may call: anyone, any signed-in user, SYSTEM users only, or users with the function code; with several codes
 * (pages that share a call), one of them is enough.
 */
export type Access = 'public' | 'signedIn' | 'system' | FunctionCode | readonly FunctionCode[]

/** The function codes of which a user needs one; empty where none is needed. */
export function functionCodesOf({ access }: Pick<Endpoint, 'access'>): readonly FunctionCode[] {
  if (access === 'public' || access === 'signedIn' || access === 'system') return []
  return typeof access === 'string' ? [access] : access
}

export interface Endpoint<I extends Schema = Schema, R extends Reply = Reply, A extends Access = Access> {
  /** The canonical method first; the others work too. */
  methods: readonly [Method, ...Method[]]
  /** Under /api, with `:name` for path parameters. */
  path: string
  access: A
  /** One Chinese line for OpenAPI and the operation log. */
  summary: string
  input: I
  reply: R
  /** A write is recorded in the operation log. */
  isWrite: boolean
  /** The success message; 操作成功 by default. */
  done?: string
  /**
   * Optional fields of a write that limit what it reaches. Sent empty, as '' or null, they are not absent, which would
   * lift the limit: the schema gets '' and refuses it.
   */
  narrows?: readonly string[]
  /** Of a call that adds a row or changes the one of `id`: the message where the input has no id. */
  doneNew?: string
  /** The maximum size of the body in bytes, where the default of `bodyLimitOf` is too small. */
  bodyLimitBytes?: number
  /** Returns all rows of a list as a file: limited to a few at once per user, and recorded in the operation log. */
  isExport?: true
  /** Accepts a file of at most this many bytes in the field `file` (`upload()`), as multipart/form-data. */
  fileLimitBytes?: number
  /** The file is stored by the platform (`keptUpload()`), instead of being deleted at the end of the call. */
  keepsFile?: true
}

interface EndpointDefinition<I extends Schema, R extends Reply, A extends Access>
  extends Omit<Endpoint<I, R, A>, 'methods' | 'isWrite'> {
  method: Method | readonly [Method, ...Method[]]
  isWrite?: boolean
}

/**
 * Declares one call of the wire contract. The server mounts this constant, the web calls it, and OpenAPI is
 * generated from it.
 */
/*@__NO_SIDE_EFFECTS__*/
export function endpoint<I extends Schema, R extends Reply, const A extends Access>(
  definition: EndpointDefinition<I, R, A>,
): Endpoint<I, R, A> {
  const { method, isWrite = false, ...rest } = definition
  return { ...rest, methods: typeof method === 'string' ? [method] : method, isWrite }
}

/** For bodies with lists of codes or ids, or with such filters: 5,000 codes of 32 letters. */
export const listBodyBytes = 196_608
const ordinaryBodyBytes = 16_384
/** Small, because anybody may send one, any number of times. */
const publicBodyBytes = 4_096

/**
 * The maximum size of a call's body in bytes; for a form with a file, of its other fields. A test compares it with
 * the size of the largest input of the call's schema.
 */
export const bodyLimitOf = ({
  access,
  bodyLimitBytes,
}: Pick<Endpoint, 'access' | 'bodyLimitBytes'>): number =>
  bodyLimitBytes ?? (access === 'public' ? publicBodyBytes : ordinaryBodyBytes)

/** The value that a client sends. */
export type InputFor<E> = E extends Endpoint<infer I, Reply> ? InputOf<I> : never
/** The value that the handler gets: with defaults, and with texts converted. */
export type ParsedInputFor<E> = E extends Endpoint<infer I, Reply> ? OutputOf<I> : never

/** The value that a handler returns, before the reply's schema has parsed it. */
export type ReplyInputFor<E> =
  E extends Endpoint<Schema, infer R>
    ? R extends { kind: 'one'; schema: infer S }
      ? InputOf<S>
      : R extends { kind: 'page'; row: infer S }
        ? { rows: InputOf<S>[]; total: number }
        : R extends { kind: 'file' }
          ? R extends { isKept: true }
            ? KeptFile
            : FileReply
          : R extends { kind: 'oneOrFile'; schema: infer S }
            ? InputOf<S> | FileReply
            : R extends { kind: 'stream'; event: infer S }
              ? AsyncIterable<InputOf<S>>
              : void
    : never

/** A handler's file: generated while it is sent, or stored by the platform. */
export type FileReply = MadeFile | KeptFile

/** Streamed while it is generated, never whole in memory. */
export interface MadeFile {
  fileName: string
  /** The size, where it is known, so that a client can detect an incomplete answer. */
  sizeBytes?: number
  body: AsyncIterable<Uint8Array>
}

/** Sent with length, ETag and ranges, with its detected type. */
export interface KeptFile {
  file: StoredFile
  /** `inline` is followed for images, audio, video and PDF; every other type is an attachment. */
  disposition: 'inline' | 'attachment'
}

/** A file in the platform's store. Hashes are in lower-case hexadecimal. */
export interface StoredFile {
  /** A feature's row refers to the file by this id. */
  id: string
  /** The name given by the client; never a path. */
  name: string
  sizeBytes: number
  md5: string
  sha1: string
  sha256: string
  /** Detected from the content; `application/octet-stream` if unknown. */
  contentType: string
  /** Id of the user who uploaded it; null for any other origin. */
  uploadedBy: number | null
  createdAt: Date
}

/** A received file, complete; deleted at the end of the call. */
export interface UploadedFile {
  /** The name given by the client; never a path. */
  fileName: string
  /** The path of the temporary file. */
  path: string
  sizeBytes: number
}

/** The type of `data` in the answer. */
export type DataFor<E> =
  E extends Endpoint<Schema, infer R>
    ? R extends { kind: 'one' | 'oneOrFile'; schema: infer S }
      ? OutputOf<S>
      : R extends { kind: 'page'; row: infer S }
        ? OutputOf<S>[]
        : null
    : never

/** The form of every JSON answer. `code` 200 is success; an error's `code` is its HTTP status or a session code. */
export interface Envelope<Data> {
  code: number
  message: string
  data: Data
  /** The number of rows on all pages; only on a page. */
  total?: number
  /** The refusal's name; only on an error. */
  refusal?: RefusalName
}

/** In `data` of a 400: each problem of the input. `field` is a dotted path. */
export interface FieldProblem {
  field: string
  message: string
}
