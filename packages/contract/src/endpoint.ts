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

/** How an endpoint answers. All but `file` and `stream` travel in the envelope. */
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

/** Answers a file or, where there is none, one value in `data`: e.g. a trial of an import. */
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
 * Who may call: anyone, any signed-in user, SYSTEM users only, or users who have the function code; of several, where
 * pages share a call, one of them.
 */
export type Access = 'public' | 'signedIn' | 'system' | FunctionCode | readonly FunctionCode[]

/** A user needs one of these function codes to make the call; empty where it needs none. */
export function functionCodesOf({ access }: Pick<Endpoint, 'access'>): readonly FunctionCode[] {
  if (access === 'public' || access === 'signedIn' || access === 'system') return []
  return typeof access === 'string' ? [access] : access
}

export interface Endpoint<I extends Schema = Schema, R extends Reply = Reply, A extends Access = Access> {
  /** The canonical method first; the others work as well. */
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
  /** The message of a success; 操作成功 by default. */
  done?: string
  /** The largest body in bytes that this call accepts, where `bodyLimitOf` would allow too little. */
  bodyLimitBytes?: number
  /** Answers all rows of a list as a file: few at once for each user, and recorded in the operation log. */
  isExport?: true
  /** Accepts a file of at most so many bytes in its field `file` (`upload()`), as multipart/form-data. */
  fileLimitBytes?: number
  /** The platform keeps that file (`keptUpload()`): it is written once, and is there when the call is over. */
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

/** For a body with lists of codes or ids, or with filters that take such a list: 5,000 codes of 32 letters. */
export const listBodyBytes = 196_608
const ordinaryBodyBytes = 16_384
/** Anybody may send one, any number of times. */
const publicBodyBytes = 4_096

/**
 * The largest body in bytes that a call accepts; for a form with a file, its fields without the file. A test compares
 * it with the size of the largest input of the call's schema.
 */
export const bodyLimitOf = ({
  access,
  bodyLimitBytes,
}: Pick<Endpoint, 'access' | 'bodyLimitBytes'>): number =>
  bodyLimitBytes ?? (access === 'public' ? publicBodyBytes : ordinaryBodyBytes)

/** The value that a client sends. */
export type InputFor<E> = E extends Endpoint<infer I, Reply> ? InputOf<I> : never
/** The value that the handler gets: defaults filled in, texts converted. */
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

/** A file as a handler answers it: made while it is sent, or one that the platform keeps. */
export type FileReply = MadeFile | KeptFile

/** Read as it is sent, never whole in memory. */
export interface MadeFile {
  fileName: string
  /** Where it is known: a client that gets less can tell that the answer broke off. */
  sizeBytes?: number
  body: AsyncIterable<Uint8Array>
}

/** Sent with length, ETag and ranges, as the type that was detected in it. */
export interface KeptFile {
  file: StoredFile
  /** `inline` is followed for images, audio, video and PDF; every other type is an attachment. */
  disposition: 'inline' | 'attachment'
}

/** A file that the platform keeps. Hashes are lower-case hexadecimal. */
export interface StoredFile {
  /** A feature's row refers to the file by this id. */
  id: string
  /** As the client called it; a name, never a path. */
  name: string
  sizeBytes: number
  md5: string
  sha1: string
  sha256: string
  /** Detected from the content; `application/octet-stream` where nothing is known of it. */
  contentType: string
  /** Id of the user that uploaded it; null where it came from elsewhere. */
  uploadedBy: number | null
  createdAt: Date
}

/** A file as a handler gets it: it has been received completely, and is removed when the call is answered. */
export interface UploadedFile {
  /** As the client called it; a name, never a path. */
  fileName: string
  /** Where it lies meanwhile. */
  path: string
  sizeBytes: number
}

/** The value in `data` of the answer. */
export type DataFor<E> =
  E extends Endpoint<Schema, infer R>
    ? R extends { kind: 'one' | 'oneOrFile'; schema: infer S }
      ? OutputOf<S>
      : R extends { kind: 'page'; row: infer S }
        ? OutputOf<S>[]
        : null
    : never

/** Every JSON answer. `code` 200 is success; an error's `code` is its HTTP status or a session code. */
export interface Envelope<Data> {
  code: number
  message: string
  data: Data
  /** Rows over all pages; only on a page. */
  total?: number
  /** The refusal's name; only on an error. */
  refusal?: RefusalName
}

/** In `data` of a 400: each problem of the input. `field` is a dotted path. */
export interface FieldProblem {
  field: string
  message: string
}
