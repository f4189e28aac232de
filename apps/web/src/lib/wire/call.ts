// call(): one request by an endpoint of the contract, and its answer or its error.
import type {
  DataFor,
  Endpoint,
  Envelope,
  FieldProblem,
  InputFor,
  Reply,
  Schema,
} from '@voltkeep/contract/endpoint'
import type { RefusalName } from '@voltkeep/contract/refusals'
import { readToken, renewToken } from '../session.ts'
import { createStore } from '../store.ts'
import { texts } from '../texts/index.ts'
import { disposedName } from './disposition.ts'
import { takeEarly } from './early.ts'
import { type Outgoing, outgoingOf } from './outgoing.ts'
import { type Sent, sendWithProgress } from './sending.ts'
import { unreachable } from './unreachable.ts'

const base = '/api'
const timeoutMs = 300_000

interface CallErrorDetails {
  refusal?: RefusalName | undefined
  problems?: readonly FieldProblem[]
  requestId?: string | undefined
}

/** A call that did not succeed. `code` 0: no answer came at all. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: number
  /** The name of the server's refusal; compare this, not `message`. Absent where no envelope came. */
  readonly refusal: RefusalName | undefined
  /** Each problem of the input, where the server named them. */
  readonly problems: readonly FieldProblem[]
  /** The id by which support finds a fault of ours. */
  readonly requestId: string | undefined

  constructor(code: number, message: string, { refusal, problems = [], requestId }: CallErrorDetails = {}) {
    super(message)
    this.code = code
    this.refusal = refusal
    this.problems = problems
    this.requestId = requestId
  }

  /** The session is over: `sessionEnd` shows that once, so callers show no error for it. */
  get isSessionEnd(): boolean {
    return this.code === 401 || sessionCodes.includes(this.code)
  }
}

/** Token unknown, ended by someone else, expired. */
export const sessionCodes: readonly number[] = [50008, 50012, 50014]

/** The last session error of any call; the app subscribes to it. */
export const sessionEnd = createStore<CallError | undefined>(undefined)

/** When a call last succeeded, by `performance.now()`: the server was there then. */
export const lastSuccessMs = createStore(0)

export interface FileAnswer {
  blob: Blob
  name: string
}

const fileKinds: readonly Reply['kind'][] = ['file', 'oneOrFile']

/** The answer of `call`: a page has its total, a file its name. */
export type AnswerFor<E> =
  E extends Endpoint<Schema, infer R>
    ? R extends { kind: 'page' }
      ? { rows: DataFor<E>; total: number }
      : R extends { kind: 'file' }
        ? FileAnswer
        : R extends { kind: 'oneOrFile' }
          ? DataFor<E> | FileAnswer
          : DataFor<E>
    : never

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** The caller handles the end of the session itself: `sessionEnd` is not set. */
  ownsSessionEnd?: boolean
  /** Called with the progress of a call with a file. */
  onSent?: ((sent: Sent) => void) | undefined
  /** Called with the number of bytes received. */
  onReceived?: ((bytes: number) => void) | undefined
}

/** Any endpoint, with its types kept for inference. */
export type AnyEndpoint = Endpoint<Schema, Reply>

/** Makes one call of the contract and returns its data. Throws a CallError; shows nothing. */
export async function call<E extends AnyEndpoint>(
  endpoint: E,
  input: InputFor<E>,
  options: CallOptions = {},
): Promise<AnswerFor<E>> {
  return (await callInFull(endpoint, input, options)).answer
}

/** As `call`, with the server's message beside the answer. */
export async function callInFull<E extends AnyEndpoint>(
  endpoint: E,
  input: InputFor<E>,
  { signal, ownsSessionEnd = false, onSent, onReceived }: CallOptions = {},
): Promise<{ answer: AnswerFor<E>; message: string }> {
  try {
    const outgoing = outgoingOf(endpoint, input as Record<string, unknown>)
    const response = await request(outgoing, signal, { onSent })
    const name = response.ok ? disposedName(response.headers.get('content-disposition')) : undefined
    if (fileKinds.includes(endpoint.reply.kind) && name !== undefined) {
      const file: FileAnswer = { blob: await received(response, onReceived), name }
      renewToken()
      return { answer: file as AnswerFor<E>, message: '' }
    }
    const envelope = await readEnvelope(response, endpoint.reply.kind === 'file')
    if (envelope.code !== 200) throw errorOf(envelope, response)
    lastSuccessMs.set(performance.now())
    renewToken()
    if (endpoint.reply.kind === 'file') throw new CallError(0, texts.errors.noFile)
    const answer =
      endpoint.reply.kind === 'page'
        ? { rows: envelope.data ?? [], total: envelope.total ?? 0 }
        : envelope.data
    return { answer: answer as AnswerFor<E>, message: envelope.message }
  } catch (error) {
    if (error instanceof CallError && error.isSessionEnd && !ownsSessionEnd) sessionEnd.set(error)
    throw error
  }
}

/** The body as it comes in; each chunk is handed to the browser at once, so that a long file is not in memory twice. */
async function received(response: Response, onReceived: CallOptions['onReceived']): Promise<Blob> {
  if (!onReceived || !response.body) return response.blob()
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        onReceived(bytes)
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(counted, { headers: response.headers }).blob()
}

/** The headers every request carries. */
export function requestHeaders(): Record<string, string> {
  const token = readToken()
  return {
    'X-Requested-With': 'XMLHttpRequest',
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  }
}

/** Everything that another thread needs to fetch the answer of a GET itself. `errorOfAnswer` reads its error. */
export function fetchingOf<E extends AnyEndpoint>(
  endpoint: E,
  input: InputFor<E>,
): { address: string; headers: Record<string, string> } {
  const { address } = outgoingOf(endpoint, input as Record<string, unknown>)
  return { address: base + address, headers: requestHeaders() }
}

/** The error in the answer to a request for a file, fetched elsewhere; an ended session is reported as by `call`. */
export async function errorOfAnswer(status: number, body: string): Promise<CallError> {
  const error =
    status === 200 ? new CallError(0, texts.errors.noFile) : await refusalOf(new Response(body, { status }))
  if (error.isSessionEnd) sessionEnd.set(error)
  return error
}

/** Opens a request and returns its response; for calls whose body is read as it comes. */
export async function request(
  outgoing: Outgoing,
  signal?: AbortSignal,
  { isEndless = false, onSent }: { isEndless?: boolean; onSent?: CallOptions['onSent'] } = {},
): Promise<Response> {
  const timeout = isEndless ? new AbortController().signal : AbortSignal.timeout(timeoutMs)
  const { method, address, body } = outgoing
  const headers = requestHeaders()
  try {
    const early = takeEarly(outgoing)
    if (early) return await early
    if (body instanceof FormData && onSent) {
      // It may take longer than any answer: it has a limit of its own, on silence.
      return await sendWithProgress(base + address, { method, headers, body, signal, onSent })
    }
    return await fetch(base + address, {
      method,
      headers:
        body instanceof FormData ? headers : { ...headers, 'Content-Type': 'application/json;charset=UTF-8' },
      body: body ?? null,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      credentials: 'same-origin',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    const isTimeout = timeout.aborted || (error as Error).name === 'TimeoutError'
    throw new CallError(0, isTimeout ? texts.errors.timeout : unreachable())
  }
}

/** `isFile`: a success that is no envelope came without the header that names its file. */
async function readEnvelope(response: Response, isFile = false): Promise<Envelope<unknown>> {
  try {
    const body: unknown = await response.json()
    if (typeof body === 'object' && body !== null && 'code' in body) return body as Envelope<unknown>
  } catch {
    // Not JSON: a proxy's page in front of a server that is away.
  }
  if (isFile && response.ok) throw new CallError(0, texts.errors.noFile)
  throw new CallError(response.ok ? 0 : response.status, texts.errors.unreadable(response.status))
}

function errorOf(envelope: Envelope<unknown>, response: Response): CallError {
  const { code, message, data, refusal } = envelope
  const problems = Array.isArray(data) ? data.filter(isProblem) : []
  const given = typeof data === 'object' && data !== null && 'requestId' in data ? data.requestId : undefined
  const requestId = typeof given === 'string' ? given : (response.headers.get('x-request-id') ?? undefined)
  return new CallError(code, message || texts.errors.fallback, {
    refusal,
    problems,
    requestId: code >= 500 ? requestId : undefined,
  })
}

function isProblem(value: unknown): value is FieldProblem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'field' in value &&
    'message' in value &&
    typeof value.message === 'string'
  )
}

/** The error of an answer that was opened with `request` and is no success. */
export async function refusalOf(response: Response): Promise<CallError> {
  try {
    return errorOf(await readEnvelope(response), response)
  } catch (error) {
    if (error instanceof CallError) return error
    throw error
  }
}
