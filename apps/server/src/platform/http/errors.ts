// How errors of a call are answered: a refusal with its words, a defect with the number of its request.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Envelope, RefusalName } from '@voltkeep/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import { isDatabaseAway, isPartitionMissing, isPoolBusy } from '../database/database.ts'
import { said, speaking } from '../process/language/speech.ts'
import { spoken } from '../process/sentences.ts'
import { languageOf } from './language.ts'

const codeRefusals: Record<string, Refusal> = {
  // deadlock_detected: of two writes that waited for each other the database let this one go.
  '40P01': new Refusal('conflict'),
  // foreign_key_violation: a row that a write refers to, or that refers to the written row, came or went meanwhile.
  '23503': new Refusal('conflict'),
  // disk_full
  '53100': new Refusal('databaseFull'),
  FST_ERR_CTP_BODY_TOO_LARGE: new Refusal('bodyTooLarge'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Refusal('wrongMediaType'),
  FST_ERR_BAD_URL: new Refusal('badInput'),
}

/** Constraint name → the refusal that its violation means: two requests at once are told as one after the other. */
export type ConstraintRefusals = Readonly<Record<string, RefusalName>>

/** Turns whatever was thrown into the refusal that a client may see; null for a defect of ours. */
export type RefusalOf = (error: unknown) => Refusal | null

export function createRefusalOf(constraints: ConstraintRefusals): RefusalOf {
  return (error) => {
    if (error instanceof Refusal) return error
    if (isPoolBusy(error) || isPartitionMissing(error)) return new Refusal('serverBusy')
    if (isDatabaseAway(error)) return new Refusal('databaseAway')
    const { code, constraint, statusCode } = error as Partial<FastifyError> & { constraint?: string }
    const violated = constraint === undefined ? undefined : constraints[constraint]
    if (violated) return new Refusal(violated)
    if (code && codeRefusals[code]) return codeRefusals[code]
    if (statusCode && statusCode >= 400 && statusCode < 500) return new Refusal('badInput')
    return null
  }
}

const retryAfterSeconds: Partial<Record<RefusalName, number>> = {
  signInSlowed: 15,
  signInBusy: 5,
  serverBusy: 5,
  ownUploadsRunning: 15,
  ownExportsRunning: 30,
  tooManyExports: 30,
  tooManyStreams: 60,
  tooManyAhead: 5,
  tooManyCalls: 5,
}
const retryAfterOf = (name: RefusalName) => retryAfterSeconds[name] ?? 900

/** Answers a failed request with the envelope and its status; null is a defect of ours, logged with its request. */
export function answerError(
  error: unknown,
  refusal: Refusal | null,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (!refusal)
    request.log.error(
      { err: error, url: request.routeOptions.url },
      spoken({ zh: '请求处理失败', en: 'a request has failed' }),
    )
  const { refusal: name, code, message, problems, httpStatus } = refusal ?? new Refusal('internal')
  const body: Envelope<unknown> = speaking(languageOf(request), () => ({
    code,
    message: said(refusal ? message : `${message}（请求号 ${request.id}）`),
    data: problems?.map((problem) => ({ ...problem, message: said(problem.message) })) ?? null,
    refusal: name,
  }))
  if (code === 429) reply.header('retry-after', String(retryAfterOf(name)))
  // An answer that had begun as a file is an envelope after all.
  for (const name of [
    'content-disposition',
    'content-length',
    'content-security-policy',
    'etag',
    'cache-control',
  ]) {
    reply.removeHeader(name)
  }
  return reply.code(httpStatus).type('application/json; charset=utf-8').send(body)
}

/** Answers bytes that Node could not read as a request: there is no request to log, only a socket to answer. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  answerBare(socket, 'badInput')
}

/** The last answer of a connection, where there is no request to reply to. */
export function answerBare(socket: Socket, name: RefusalName): void {
  const { refusal, code, message, httpStatus } = new Refusal(name)
  const body = JSON.stringify({ code, message, data: null, refusal } satisfies Envelope<null>)
  socket.end(
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `${httpStatus === 429 ? `Retry-After: ${retryAfterOf(name)}\r\n` : ''}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
