// mount(): the one place where an endpoint of the contract becomes a call of a function: authentication and function
// code before the body is read, path, query and body merged into one input and validated, the answer formed by the
// reply's schema (a column that the contract does not declare never leaves) and put into the envelope.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type {
  Endpoint,
  Envelope,
  FileReply,
  MadeFile,
  ParsedInputFor,
  Reply,
  ReplyInputFor,
  Schema,
  StoredFile,
  UploadedFile,
} from '@voltkeep/contract'
import { bodyLimitOf, isCallForKeys } from '@voltkeep/contract'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import * as z from 'zod/mini'
import { type Actor, type Client, callerOf, mayCall } from '../calls/actor.ts'
import { Refusal, refuse } from '../calls/refusal.ts'
import type { Files } from '../files/kept/index.ts'
import type { DiskWatch } from '../process/disk/disk-watch.ts'
import { said, speaking } from '../process/language/speech.ts'
import { spoken } from '../process/sentences.ts'
import { anyPace, type Pace } from './body.ts'
import { type Cookies, cookiesOf } from './cookies.ts'
import type { RefusalOf } from './errors.ts'
import { eventStream } from './event-stream.ts'
import {
  acceptUploads,
  fileSecurityPolicy,
  receiveForTheCall,
  receiveToKeep,
  receiveUpload,
  sendKeptFile,
  spooled,
  type Upload,
} from './files/index.ts'
import { readInput } from './input.ts'
import { languageOf } from './language.ts'
import { createMakings, createPlaces, type HttpLimits, heldUntilLast } from './limits/index.ts'
import { spokenReply } from './spoken-reply.ts'
import { tokenOf, turnOf } from './turns/index.ts'

/** Finds the user of a token, or refuses it. */
export type Authenticate = (token: string, client: Client) => Promise<Actor>

/** Records a write that was refused: those that succeed are recorded in their own transaction. */
export type RecordRefusedWrite = (
  actor: Actor | null,
  client: Client,
  input: unknown,
  refusal: { code: number; message: string },
) => Promise<void>

/** Records an export, and a read of a user that was refused (403); refused reads within a budget. */
export type RecordRead = (
  actor: Actor,
  client: Client,
  input: unknown,
  refusal: { code: number; message: string } | null,
) => Promise<void>

/** What a handler gets: the parsed input, who calls, and whether the caller is still there. */
export interface Call<E> {
  input: ParsedInputFor<E>
  actor: E extends Endpoint<Schema, Reply, 'public'> ? null : Actor
  client: Client
  cookies: Cookies
  /** Aborted when the client has gone. */
  signal: AbortSignal
  /** Ends the call's turn, where it goes on in a queue of its own. */
  leaveTurn(): void
  /** Waits for a turn again. Refuses the call of a client that has left. */
  takeTurn(): Promise<void>
}

export interface Api {
  /** Serves the endpoint under /api. Each endpoint once; its order of checks is token, function code, input. */
  mount<E extends Endpoint>(endpoint: E, handle: (call: Call<E>) => Promise<ReplyInputFor<E>>): void
  /** Every endpoint mounted, for OpenAPI and for tests that walk the whole contract. */
  endpoints: Endpoint[]
}

/** Each is a file on the disk for as long as it is read. */
const exportsInAll = 40
/** That each branch of organizations has, however many the others have open. */
const exportsOfEachBranch = 2

/** What a signed-in user may do before the first password has been changed. */
const openBeforePasswordChange = new Set(['/user/info', '/user/update/password', '/user/logout'])

export function createApi(
  app: FastifyInstance,
  parts: {
    authenticate: Authenticate
    recordRefusedWrite: RecordRefusedWrite
    /** By default no reads are recorded. */
    recordRead?: RecordRead
    refusalOf: RefusalOf
    /** Where uploaded files are while their call is handled. */
    uploadDirectory: string
    disk?: Pick<DiskWatch, 'roomFor'>
    /** The store: for endpoints that keep an uploaded file, or that answer a kept one. */
    files: Files
    /** The least rate of uploads; by default any. */
    pace?: Pace
    /** Told where an upload is slower. */
    limits?: HttpLimits
    /** What a user may have open at once; by default any number. */
    perUser?: { exports: number; streams: number; uploads: number }
    /** The groups of users that those of an organization are in, the outermost first; by default itself alone. */
    branchOf?: (organizationId: number) => Promise<readonly number[]>
  },
): Api {
  const endpoints: Endpoint[] = []
  const callers = new WeakMap<FastifyRequest, Caller>()
  const any = Number.POSITIVE_INFINITY
  const perUser = parts.perUser ?? { exports: any, streams: any, uploads: any }
  const exportPlaces = createPlaces({
    perUser: perUser.exports,
    inAll: exportsInAll,
    always: exportsOfEachBranch,
    ownRefusal: 'ownExportsRunning',
    refusal: 'tooManyExports',
  })
  const takeMaking = createMakings({ waiting: exportsInAll })
  const streamPlaces = createPlaces({ perUser: perUser.streams, ownRefusal: 'tooManyStreams' })
  const uploadPlaces = createPlaces({ perUser: perUser.uploads, ownRefusal: 'ownUploadsRunning' })
  // An open stream would delay a stop for as long as someone watches; other calls in flight may finish.
  const openStreams = new Set<AbortController>()
  app.addHook('preClose', async () => {
    for (const stream of openStreams) stream.abort()
  })

  /** Refusals that the log has: what a handler has recorded passes the route's error handler as well. */
  const recorded = new WeakSet<object>()

  async function recordRefusal(
    endpoint: Endpoint,
    actor: Actor | null,
    client: Client,
    input: unknown,
    error: unknown,
  ) {
    const refusal = parts.refusalOf(error)
    if (!refusal || refusal.httpStatus >= 500) return
    if (typeof error === 'object' && error !== null) {
      if (recorded.has(error)) return
      recorded.add(error)
    }
    const { code, message } = refusal
    if (!endpoint.isWrite) {
      if (actor && refusal.httpStatus === 403)
        await parts.recordRead?.(actor, client, input, { code, message })
      return
    }
    // Nor are badly formed calls of strangers recorded: nothing limits how often they come.
    if (actor === null && refusal.refusal === 'badInput') return
    await parts.recordRefusedWrite(actor, client, input, { code, message })
  }

  return {
    endpoints,
    mount(endpoint, handle) {
      endpoints.push(endpoint)
      const { fileLimitBytes } = endpoint
      const route: RouteOptions = {
        // Otherwise GET gets no HEAD twin: a stream or an export would run for nothing.
        method: isKeptReply(endpoint) ? [...endpoint.methods, 'HEAD'] : [...endpoint.methods],
        url: `/api${endpoint.path}`,
        bodyLimit: bodyLimitOf(endpoint),
        exposeHeadRoute: false,
        onRequest: async (request) => {
          const client = clientOf(request, endpoint)
          const caller: Caller = { actor: null, client, askedMs: performance.now() }
          callers.set(request, caller)
          if (endpoint.access === 'public') return
          const token = tokenOf(request)
          if (!token) refuse('notSignedIn')
          const actor = await parts.authenticate(token, client).catch((error: unknown) => {
            if (error instanceof Refusal && error.httpStatus === 401) turnOf(request)?.isOfNobody()
            throw error
          })
          await turnOf(request)?.isOf(callerOf(actor))
          caller.actor = actor
          caller.askedMs = performance.now()
          try {
            refuseUnpermitted(actor, endpoint)
          } catch (error) {
            await recordRefusal(endpoint, actor, client, null, error)
            throw error
          }
        },
        // A body that cannot be read, or is too large, is refused before the handler. Strangers' are not recorded.
        errorHandler: (async (error, request) => {
          const caller = callers.get(request)
          if (caller?.actor) await recordRefusal(endpoint, caller.actor, caller.client, null, error)
          throw error
          // Fastify waits for what it returns, which its type does not say.
        }) as NonNullable<RouteOptions['errorHandler']>,
        handler: inOwnLanguage(async (request, reply) => {
          const caller = callers.get(request) as Caller
          const { client } = caller
          let { actor } = caller
          let raw: Record<string, unknown> = {}
          let upload: Upload<StoredFile | UploadedFile> | undefined
          let letGo = () => {}
          if (fileLimitBytes !== undefined && request.isMultipart()) {
            const giveBack = actor ? uploadPlaces.take(callerOf(actor), []) : undefined
            upload = await receiveUpload<StoredFile | UploadedFile>(request, {
              limitBytes: fileLimitBytes,
              fieldsLimitBytes: bodyLimitOf(endpoint),
              pace: parts.pace ?? anyPace,
              onSlow: () =>
                parts.limits?.met('uploadTooSlow', { address: client.address, call: client.call }),
              receive: endpoint.keepsFile
                ? receiveToKeep(parts.files, actor)
                : receiveForTheCall(parts.uploadDirectory, parts.disk),
            }).finally(giveBack)
          }
          try {
            if (upload) await turnOf(request)?.take()
            // A file may have come in for hours, a body for half a minute, and a call may have waited behind the caller's
            // others: it is that of the caller as of now.
            const isLate = performance.now() - caller.askedMs > freshMs
            if (actor && (upload || endpoint.isWrite || isLate)) {
              actor = await parts.authenticate(tokenOf(request) ?? '', client)
              refuseUnpermitted(actor, endpoint)
            }
            raw = readInput(request, endpoint)
            // The file that was received, and nothing that a client wrote in its place.
            if (fileLimitBytes !== undefined) raw.file = upload?.file
            // Not safeParseAsync: it puts the problems of coerced fields last, and the first is the message.
            const parsed = z.safeParse(endpoint.input as z.ZodMiniType, raw, { error: unforeseen })
            if (!parsed.success) throw new Refusal('badInput', problemsOf(parsed.error))
            const places = endpoint.isExport
              ? exportPlaces
              : endpoint.reply.kind === 'stream'
                ? streamPlaces
                : undefined
            const groups =
              actor && endpoint.isExport
                ? ((await parts.branchOf?.(actor.organizationId)) ?? [actor.organizationId])
                : []
            const asked = actor && callerOf(actor)
            // Taken before the work begins, and given back when the work has ended, also that for a client which has gone,
            // and the last byte has been sent: leaving would else make room for the next.
            const hold =
              asked !== null && places ? heldUntilLast(places.take(asked, groups)) : () => () => undefined
            letGo = hold()
            const letGoOfAnswer = hold()
            const gone = new AbortController()
            if (endpoint.reply.kind === 'stream') openStreams.add(gone)
            const onClose = () => {
              gone.abort()
              letGoOfAnswer()
              openStreams.delete(gone)
            }
            // For a client that has left already, no close event comes any more.
            if (reply.raw.destroyed) onClose()
            else reply.raw.once('close', onClose)
            if (endpoint.isExport && gone.signal.aborted) refuse('serverBusy')
            const result = await handle({
              input: parsed.data,
              actor,
              client,
              cookies: cookiesOf(request, reply),
              signal: gone.signal,
              leaveTurn: () => turnOf(request)?.leave(),
              takeTurn: async () => turnOf(request)?.take(),
            } as unknown as Call<typeof endpoint>)
            // It waits for its turn among the exports, and is made at the disk's pace.
            if (endpoint.isExport) turnOf(request)?.leave()
            if (actor && endpoint.isExport) await parts.recordRead?.(actor, client, raw, null)
            const answered = await answer(saying(endpoint, parsed.data), result, request, reply, {
              files: parts.files,
              signal: gone.signal,
              spool: (content) =>
                heldWhile(
                  hold,
                  spooled(content, {
                    directory: parts.uploadDirectory,
                    disk: parts.disk,
                    takeTurn: () => takeMaking(asked ?? 0, groups[0] ?? 0, gone.signal),
                    signal: gone.signal,
                  }),
                ),
            })
            // A file has been sent by now: `answer` waits for it, since a reply is a promise of its end.
            if (!endpoint.keepsFile) await upload?.remove()
            return answered
          } catch (error) {
            await upload
              ?.remove()
              .catch((err: unknown) =>
                request.log.warn(
                  { err },
                  spoken({ zh: '上传的文件未能删除', en: 'an uploaded file could not be removed' }),
                ),
              )
            // Not the values: they may be secrets.
            request.log = request.log.child({ user: actor?.loginName, inputKeys: Object.keys(raw) })
            await recordRefusal(endpoint, actor, client, raw, error)
            throw error
          } finally {
            letGo()
          }
        }),
      }
      if (fileLimitBytes === undefined) app.route(route)
      // On other routes multipart/form-data is refused as an unknown media type.
      else app.register(async (scope) => acceptUploads(scope, route))
    },
  }
}

/** What the call says is in the language of its page. */
const inOwnLanguage =
  (handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): RouteOptions['handler'] =>
  (request, reply) =>
    speaking(languageOf(request), () => handle(request, reply))

/** A read is by the caller as of so long before it begins at most; a write by the caller as of its beginning. */
const freshMs = 1_000

interface Caller {
  /** As of then. */
  actor: Actor | null
  askedMs: number
  client: Client
}

function refuseUnpermitted(actor: Actor, endpoint: Endpoint): void {
  const { path, access } = endpoint
  if (actor.makerId !== null && !isCallForKeys(endpoint)) refuse('notForKeys')
  if (actor.mustChangePassword && !openBeforePasswordChange.has(path)) refuse('mustChangePassword')
  if (!mayCall(actor, access)) refuse('notPermitted')
}

/** What the contract declares of it, and no more, in the language of who reads it. */
const formed = (schema: unknown, value: unknown) =>
  spokenReply(schema, z.parse(schema as z.ZodMiniType, value))

/** Only such an endpoint answers HEAD: nothing is made for it. */
const isKeptReply = ({ reply }: Endpoint) => reply.kind === 'file' && reply.isKept === true

async function answer(
  endpoint: Endpoint,
  result: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { files, signal, spool }: { files: Files; signal: AbortSignal; spool: Spool },
) {
  const shape = endpoint.reply
  switch (shape.kind) {
    case 'nothing':
      return success(endpoint, null)
    case 'one':
      return success(endpoint, formed(shape.schema, result))
    case 'oneOrFile':
      return isFile(result)
        ? sendFile(shape.contentType, result, request, reply, files)
        : success(endpoint, formed(shape.schema, result))
    case 'page': {
      const { rows, total } = result as { rows: unknown[]; total: number }
      return {
        ...success(
          endpoint,
          rows.map((row) => formed(shape.row, row)),
        ),
        total,
      }
    }
    case 'file':
      return sendFile(
        shape.contentType,
        endpoint.isExport ? spooledFile(result as MadeFile, spool) : (result as FileReply),
        request,
        reply,
        files,
      )
    case 'stream':
      return reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(
          Readable.from(eventStream(result as AsyncIterable<unknown>, shape.event, signal), {
            objectMode: false,
          }),
        )
  }
}

type Spool = (content: MadeFile['body']) => MadeFile['body']

/** Made as fast as the disk takes it, however slowly the client reads. */
const spooledFile = ({ body, ...file }: MadeFile, spool: Spool): MadeFile => ({ ...file, body: spool(body) })

/** One more who holds it, from the first part that is asked for until all of them have ended. */
async function* heldWhile<Part>(hold: () => () => void, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  const letGo = hold()
  try {
    yield* parts
  } finally {
    letGo()
  }
}

const isFile = (result: unknown): result is FileReply =>
  typeof result === 'object' && result !== null && ('body' in result || 'disposition' in result)

function sendFile(
  contentType: string,
  result: FileReply,
  request: FastifyRequest,
  reply: FastifyReply,
  files: Files,
): FastifyReply | Promise<FastifyReply> {
  if ('file' in result) return sendKeptFile(request, reply, files, result)
  if (result.sizeBytes !== undefined) reply.header('content-length', result.sizeBytes)
  return reply
    .header('content-type', contentType)
    .header('content-disposition', contentDisposition(result.fileName))
    .header('content-security-policy', fileSecurityPolicy)
    .header('cache-control', 'no-store')
    .send(Readable.from(result.body, { objectMode: false }))
}

/** The endpoint with the message for this input. */
const saying = (endpoint: Endpoint, input: unknown): Endpoint =>
  endpoint.doneNew === undefined || (input as { id?: unknown }).id !== undefined
    ? endpoint
    : { ...endpoint, done: endpoint.doneNew }

const success = <Data>({ done }: Endpoint, data: Data): Envelope<Data> => ({
  code: 200,
  message: said(done ?? '操作成功'),
  data,
})

function clientOf(request: FastifyRequest, endpoint: Endpoint): Client {
  const agent = request.headers['user-agent']
  return {
    address: request.ip,
    userAgent: agent ? agent.slice(0, 256) : null,
    requestId: request.id,
    call: endpoint.path,
    summary: endpoint.summary,
  }
}

/** Where a schema has no words of its own: zod's would be English. */
const unforeseen = () => '格式有误'

function problemsOf(error: z.core.$ZodError) {
  return error.issues.flatMap((issue) => {
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    return paths.map((path) => ({ field: path.join('.'), message: issue.message }))
  })
}

export const newRequestId = () => randomUUID()
