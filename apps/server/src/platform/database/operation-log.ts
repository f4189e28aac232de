import { codeSeparator, formatDateTime } from '@voltkeep/contract'
import type { Transaction } from 'kysely'
import type { Actor } from '../calls/actor.ts'
import type { Database } from './tables.ts'

/** A row as it was and as it is, in words that a reader of the log understands: names, not ids. No secrets. */
export interface Changes {
  before?: Fields
  after?: Fields
}

type Fields = Record<string, unknown>

/** What a write did: to what, and what it changed. */
export interface Operation {
  /** What it was done to, e.g. `设备 EC0001`. */
  target: string
  changes?: Changes
}

/**
 * A choice or a filter of devices as the log shows it: codes by their number. Readers of an entry may not see these
 * devices; whoever does reads them in the row itself. With the choice before: how many codes were added and removed.
 */
export function shownDevices(
  { filters, codes }: { filters?: object | undefined; codes?: readonly string[] | undefined },
  before?: { codes?: readonly string[] | undefined },
): Fields {
  if (!codes) return Object.keys(filters ?? {}).length > 0 ? { ...filters } : { filters: '全部' }
  const [was, is] = [new Set(before?.codes ?? codes), new Set(codes)]
  const added = [...is].filter((code) => !was.has(code)).length
  const removed = [...was].filter((code) => !is.has(code)).length
  return { ...filters, count: codes.length, ...(added > 0 && { added }), ...(removed > 0 && { removed }) }
}

const codeSeparators = new RegExp(`${codeSeparator}+`)

/** The fields of an input as the log shows them: several codes, as a list or a pasted text, by their number. */
export function shownInput({ code, codes = code, ...fields }: Fields): Fields {
  const texts = Array.isArray(codes) ? codes : typeof codes === 'string' ? codes.split(codeSeparators) : []
  const count = texts.filter((text) => text !== '').length
  return count > 1 ? { ...fields, codes: `${count} 个` } : { code: codes, ...fields }
}

/** The fields of `after` that are not the same in `before`, as they were and as they are. */
export function differenceOf(before: object, after: object): Required<Changes> {
  const [was, is] = [before as Fields, after as Fields]
  const keys = Object.keys(after).filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]))
  const only = (fields: Fields) => Object.fromEntries(keys.map((key) => [key, fields[key]]))
  return { before: only(was), after: only(is) }
}

/**
 * The organization that an entry belongs to, whatever becomes of its user: readers of that organization see it. Null for
 * what was done as SYSTEM, which may be about any organization's devices.
 */
export const organizationOf = ({
  isSystem,
  organizationId,
}: Pick<Actor, 'isSystem' | 'organizationId'>): number | null => (isSystem ? null : organizationId)

/** Records a write in the transaction that makes it: neither is committed without the other. */
export async function recordOperation(
  trx: Transaction<Database>,
  actor: Pick<Actor, 'userId' | 'loginName' | 'organizationId' | 'isSystem' | 'client'>,
  operation: Operation,
): Promise<void> {
  await trx
    .insertInto('operation_log')
    .values({
      user_id: actor.userId,
      login_name: actor.loginName,
      organization_id: organizationOf(actor),
      address: actor.client.address,
      request_id: actor.client.requestId,
      call: actor.client.call,
      summary: actor.client.summary,
      target: operation.target,
      result_code: 200,
      changes: operation.changes ? JSON.stringify(asRecorded(operation.changes)) : null,
    })
    .execute()
}

const secretName = /password|passwd|secret|token|credential|authorization|hash|密码|密钥|口令/i

/**
 * A time as its readers write it. And a second check, should a caller of `recordOperation` pass a secret after all:
 * leaves out, at every depth, each field whose name is like a secret's, unless its value is a boolean.
 */
export function asRecorded(value: unknown): unknown {
  if (value instanceof Date) return formatDateTime(value)
  if (Array.isArray(value)) return value.map(asRecorded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => typeof one === 'boolean' || !secretName.test(name))
      .map(([name, one]) => [name, asRecorded(one)]),
  )
}
