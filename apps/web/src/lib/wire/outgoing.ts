import type { Endpoint } from '@voltkeep/contract/endpoint'

/** A request: where, how, with what body. */
export interface Outgoing {
  method: string
  /** Below the API's base. */
  address: string
  body: string | FormData | undefined
}

/** Without empty values: undefined, null, '', NaN and empty lists go; 0 and false stay. */
export function withoutEmpty(input: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => !isEmpty(value) && !isEmptyList(value)),
  )
}

/** As `withoutEmpty`, for writes: an empty list means none, its absence means unchanged. */
export function withoutEmptyFields(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => !isEmpty(value)))
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || Number.isNaN(value)
}

/** Path parameters from the input, then the rest as a query, a JSON body or, with a file, a form. */
export function outgoingOf(
  endpoint: Pick<Endpoint, 'methods' | 'path' | 'isWrite' | 'reply'>,
  input: Record<string, unknown>,
): Outgoing {
  const method = endpoint.methods[0]
  const rest = endpoint.isWrite && method === 'POST' ? withoutEmptyFields(input) : withoutEmpty(input)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    if (value === undefined) throw new Error(`${endpoint.path} is called without ${name}`)
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (method !== 'POST') {
    const query = queryOf(rest)
    return { method, address: query ? `${path}?${query}` : path, body: undefined }
  }
  if (Object.values(rest).some((value) => value instanceof Blob)) {
    const form = new FormData()
    // A streaming server reads the fields before the file.
    const fields = Object.entries(rest).sort(
      ([, a], [, b]) => Number(a instanceof Blob) - Number(b instanceof Blob),
    )
    for (const [name, value] of fields) form.append(name, value instanceof Blob ? value : String(value))
    return { method, address: path, body: form }
  }
  return { method, address: path, body: JSON.stringify(endpoint.reply.kind === 'page' ? joined(rest) : rest) }
}

/** A search by POST joins its lists as one by GET does: several codes travel as `A1,A2`. */
function joined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )
}

/** Lists comma-joined; readable: commas, colons and slashes stay as they are. */
export function queryOf(values: object): string {
  return Object.entries(withoutEmpty(values))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeQueryValue(value)}`)
    .join('&')
}

function encodeQueryValue(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return encodeURIComponent(text)
    .replace(/%2C/g, ',')
    .replace(/%3A/g, ':')
    .replace(/%2F/g, '/')
    .replace(/%20/g, '+')
}
