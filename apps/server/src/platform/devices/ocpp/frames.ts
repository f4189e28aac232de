// The frames of OCPP-J: a call, its result, or its error, each a JSON array.
import { isUtf8 } from 'node:buffer'
import { isStorable } from '../ingest/report-schemas.ts'

export const errorCodes = [
  'NotImplemented',
  'NotSupported',
  'InternalError',
  'ProtocolError',
  'SecurityError',
  'FormationViolation',
  'PropertyConstraintViolation',
  'OccurenceConstraintViolation',
  'TypeConstraintViolation',
  'GenericError',
] as const
export type CallErrorCode = (typeof errorCodes)[number]

export type Frame =
  | { kind: 'call'; id: string; action: string; payload: Record<string, unknown> }
  | { kind: 'result'; id: string; payload: Record<string, unknown> }
  | { kind: 'error'; id: string; code: string; text: string }
  /** `id`: of the call that it was to be; null where nothing can be answered. */
  | { kind: 'unreadable'; id: string | null; reason: 'notJson' | 'badPayload'; detail: string }

const idLimit = 64
const actionPattern = /^[A-Za-z0-9]{1,64}$/
const kinds = { call: 2, result: 3, error: 4 } as const

/** The deepest of the standard are six; whoever sends thousands ends what goes through them by calling itself. */
const depthLimit = 20
const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner)))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Never throws, whatever the bytes are: an exception out of a socket's event ends the process. */
export function readFrame(bytes: Buffer): Frame {
  const unreadable = (detail: string, id: string | null = null): Frame => ({
    kind: 'unreadable',
    id,
    reason: 'badPayload',
    detail,
  })
  if (!isUtf8(bytes))
    return { kind: 'unreadable', id: null, reason: 'notJson', detail: '报文不是 UTF-8 编码' }
  const text = bytes.toString()
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return { kind: 'unreadable', id: null, reason: 'notJson', detail: 'JSON 语法错误' }
  }
  if (!Array.isArray(frame)) return unreadable('报文应为 OCPP-J 的 JSON 数组')
  const [kind, id] = frame as unknown[]
  if (typeof id !== 'string' || id === '' || id.length > idLimit)
    return unreadable(`报文的编号应为 1 到 ${idLimit} 个字符`)
  if (isDeeperThan(depthLimit, frame)) return unreadable('报文嵌套过深', kind === kinds.call ? id : null)
  // Only an escape can bring in a character that PostgreSQL does not store.
  if (text.includes('\\u') && !isStorable(frame))
    return unreadable('报文包含无效字符（\\u0000 或不成对的代理字符）', kind === kinds.call ? id : null)
  const [, , third, fourth] = frame as unknown[]
  switch (kind) {
    case kinds.call:
      if (typeof third !== 'string' || !actionPattern.test(third)) return unreadable('报文没有动作', id)
      return isObject(fourth)
        ? { kind: 'call', id, action: third, payload: fourth }
        : unreadable('报文的内容应为 JSON 对象', id)
    case kinds.result:
      return isObject(third) ? { kind: 'result', id, payload: third } : unreadable('应答的内容应为 JSON 对象')
    case kinds.error:
      return {
        kind: 'error',
        id,
        code: typeof third === 'string' ? third : '',
        text: typeof fourth === 'string' ? fourth : '',
      }
    default:
      return unreadable('报文的类型应为 2、3 或 4')
  }
}

export const callFrame = (id: string, action: string, payload: object) =>
  JSON.stringify([kinds.call, id, action, payload])

export const resultFrame = (id: string, payload: object) => JSON.stringify([kinds.result, id, payload])

export const errorFrame = (id: string, code: CallErrorCode, text: string) =>
  JSON.stringify([kinds.error, id, code, text.slice(0, 255), {}])
