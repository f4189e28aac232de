// SQL of the messages that are kept for trials.
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db } from '../../../platform/database/database.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'

export interface KeptMessage {
  deviceId: number
  topic: string
  pattern: string
  payload: Buffer
  outcome: 'mapped' | 'unmapped'
  detail: string | null
  receivedAt: Date
}

/** What is kept at most: of a device, of a pattern and outcome within a model and an operator, and of both in all. */
const ofDevice = 20
const ofPattern = 20
const ofOperator = 200

/**
 * Adds messages, and forgets the oldest of these models and operators beyond the limits. What an operator's devices send
 * takes nothing from another one's.
 */
export async function keepMessages(db: Db, messages: readonly KeptMessage[]): Promise<void> {
  await sql`
    INSERT INTO mapping_message (device_id, topic, pattern, payload, outcome, detail, received_at)
    SELECT m.* FROM unnest(
      ${messages.map(({ deviceId }) => deviceId)}::int4[],
      ${messages.map(({ topic }) => topic)}::text[],
      ${messages.map(({ pattern }) => pattern)}::text[],
      ${messages.map(({ payload }) => payload)}::bytea[],
      ${messages.map(({ outcome }) => outcome)}::text[],
      ${messages.map(({ detail }) => detail)}::text[],
      ${messages.map(({ receivedAt }) => receivedAt)}::timestamptz[]
    ) AS m(device_id, topic, pattern, payload, outcome, detail, received_at)
    JOIN device d ON d.id = m.device_id`.execute(db)
  await sql`
    DELETE FROM mapping_message WHERE id IN (
      SELECT id FROM (
        SELECT s.id,
          row_number() OVER (PARTITION BY s.device_id ORDER BY s.id DESC) AS of_device,
          row_number() OVER (PARTITION BY d.model_id, d.operator_id, s.pattern, s.outcome ORDER BY s.id DESC) AS of_pattern,
          row_number() OVER (PARTITION BY d.model_id, d.operator_id ORDER BY s.id DESC) AS of_operator
        FROM mapping_message s JOIN device d ON d.id = s.device_id
        WHERE (d.model_id, d.operator_id) IN (
          SELECT model_id, operator_id FROM device WHERE id = ANY(${messages.map(({ deviceId }) => deviceId)}::int4[]))
      ) r WHERE of_device > ${ofDevice}::int OR of_pattern > ${ofPattern}::int OR of_operator > ${ofOperator}::int
    )`.execute(db)
}

export interface MessageFilter {
  mappingId: number
  outcome?: 'mapped' | 'unmapped' | undefined
  /** Letters and digits alone. */
  code?: readonly string[] | undefined
}

export interface ListedMessage {
  id: string
  equipId: number
  equipCode: string
  protocolIdentity: string | null
  equipModelName: string
  operatorName: string
  topic: string
  payload: Buffer
  outcome: 'mapped' | 'unmapped'
  detail: string | null
  receiveTime: Date
}

const matching = (scope: DataScope, { mappingId, outcome, code }: MessageFilter) => sql`
  FROM mapping_message s
  JOIN device d ON d.id = s.device_id
  JOIN mapping_model mm ON mm.model_id = d.model_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN operator o ON o.id = d.operator_id
  WHERE mm.mapping_id = ${mappingId} AND ${deviceWithinScope(scope)}
    AND (${outcome ?? null}::text IS NULL OR s.outcome = ${outcome ?? null})
    AND (${code ?? null}::text[] IS NULL OR upper(d.code) = ANY(${code ?? null}::text[]))`

/** Of devices of the scope, the newest first. */
export async function listMessages(
  db: Db,
  scope: DataScope,
  filter: MessageFilter,
  page: Page,
): Promise<ListedMessage[]> {
  const { rows } = await sql<ListedMessage>`
    SELECT s.id, d.id AS "equipId", d.code AS "equipCode", d.protocol_identity AS "protocolIdentity",
      m.name AS "equipModelName", o.name AS "operatorName", s.topic, s.payload, s.outcome, s.detail,
      s.received_at AS "receiveTime"
    ${matching(scope, filter)}
    ORDER BY s.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export const countMessages = (db: Db, scope: DataScope, filter: MessageFilter): Promise<number> =>
  countRows(db, matching(scope, filter))

/** What no trial needs any more. */
export async function forgetMessages(db: Db, before: Date): Promise<void> {
  await sql`
    DELETE FROM mapping_message s WHERE s.received_at < ${before}
      OR NOT EXISTS (
        SELECT FROM device d JOIN mapping_model mm ON mm.model_id = d.model_id WHERE d.id = s.device_id
      )`.execute(db)
}
