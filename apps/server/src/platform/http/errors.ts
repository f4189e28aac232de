import type { Socket } from 'node:net'
import type { Envelope } from '@voltkeep/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../database/database.ts'
import { Refusal } from '../refusal.ts'

/** A unique constraint's name is the refusal's: two requests at once are told the same as one after the other. */
const constraintRefusals: Record<string, Refusal> = {
  device_code_taken: new Refusal('deviceCodeTaken'),
  role_code_taken: new Refusal('roleCodeTaken'),
  dictionary_entry_code_taken: new Refusal('dictionaryCodeTaken'),
  equip_type_code_taken: new Refusal('equipTypeCodeTaken'),
  equip_model_code_taken: new Refusal('modelCodeTaken'),
  equip_model_part_taken: new Refusal('modelPartTaken'),
  // A reference made while its target was being deleted: told as if it had been made before.
  equip_model_equip_type_id_fkey: new Refusal('equipTypeHasModels'),
  device_model_id_fkey: new Refusal('modelHasDevices'),
  organization_code_taken: new Refusal('organizationCodeTaken'),
  operator_code_taken: new Refusal('operatorCodeTaken'),
  region_code_taken: new Refusal('regionCodeTaken'),
}

const codeRefusals: Record<string, Refusal> = {
  // deadlock_detected: of two writes that waited for each other the database let this one go.
  '40P01': new Refusal('conflict'),
  // foreign_key_violation: what a write names, or refers to it, came or went while it was under way.
  '23503': new Refusal('conflict'),
  FST_ERR_CTP_BODY_TOO_LARGE: new Refusal('bodyTooLarge'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Refusal('wrongMediaType'),
  FST_ERR_BAD_URL: new Refusal('badInput'),
}

/** Turns whatever was thrown into the refusal that a client may see; null for a defect of ours. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  if (isDatabaseAway(error)) return new Refusal('databaseAway')
  const { code, constraint, statusCode } = error as Partial<FastifyError> & { constraint?: string }
  const known = (constraint && constraintRefusals[constraint]) || (code && codeRefusals[code])
  if (known) return known
  if (statusCode && statusCode >= 400 && statusCode < 500) return new Refusal('badInput')
  return null
}

/** One function turns refusals, schema failures and constraint names into the envelope and its status. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(error)
  if (!refusal) request.log.error({ err: error, url: request.routeOptions.url }, '请求处理失败')
  const { code, message, problems, httpStatus } = refusal ?? new Refusal('internal')
  const body: Envelope<unknown> = {
    code,
    message: refusal ? message : `${message}（请求号 ${request.id}）`,
    data: problems,
  }
  if (code === 429) reply.header('retry-after', '900')
  // An answer that had begun as a file is an envelope after all.
  reply.removeHeader('content-disposition')
  return reply.code(httpStatus).type('application/json; charset=utf-8').send(body)
}

export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError)
}

/** What Node could not read as a request at all: there is no request to log, only a socket to answer. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const { code, message } = new Refusal('badInput')
  const body = JSON.stringify({ code, message, data: null } satisfies Envelope<null>)
  socket.end(
    `HTTP/1.1 ${code} Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
