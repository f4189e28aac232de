// SQL of letters: messages that another feature writes.
import { sql } from 'kysely'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import type { Decider } from '../../../domain/access/deciders.ts'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface MailChannel {
  id: number
  name: string
}

/** The mail channels of the actor's organizations, by name. */
export async function nameMailChannels(db: Db, actor: Actor): Promise<MailChannel[]> {
  const { rows } = await sql<MailChannel>`
    SELECT c.id, c.name FROM notify_channel c
    WHERE c.kind = 'mail' AND ${inOwnTree(actor, sql.ref('c.organization_id'))} ORDER BY c.name, c.id`.execute(
    db,
  )
  return rows
}

/** A mail channel of the actor's organizations, kept from being deleted until the transaction ends. */
export async function lockMailChannel(trx: Trx, actor: Actor, id: number): Promise<MailChannel | undefined> {
  const { rows } = await sql<MailChannel>`
    SELECT c.id, c.name FROM notify_channel c
    WHERE c.id = ${id} AND c.kind = 'mail' AND ${inOwnTree(actor, sql.ref('c.organization_id'))}
    FOR KEY SHARE`.execute(trx)
  return rows[0]
}

export interface Mailing {
  name: string
  isEnabled: boolean
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
}

/** The channel, with who set its receivers. */
export async function readMailing(db: Db, channelId: number): Promise<Mailing | undefined> {
  const { rows } = await sql<Mailing>`
    SELECT c.name, c.is_enabled AS "isEnabled", c.decided_by AS "decidedBy", c.decided_by_name AS "decidedByName",
      c.decided_in AS "decidedIn"
    FROM notify_channel c WHERE c.id = ${channelId}`.execute(db)
  return rows[0]
}

export interface LetterRow {
  channelId: number
  series: string
  period: string
  /** Shown as the rule by which it was sent. */
  source: string
  title: string
  message: object
  /** Who reads it in the record of messages. */
  owners: readonly Decider[]
  deciders: readonly Decider[]
  scope: DataScope
  file: { name: string; content: Buffer } | null
}

/** Whether the series has a letter of this period. */
export async function hasLetter(db: Db, series: string, period: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM notify_letter WHERE series = ${series} AND period = ${period}`.execute(db)
  return rows.length > 0
}

/** Writes a message that no attempt has been made of. A second one of the period violates `notify_letter_once`. */
export async function insertLetter(trx: Trx, letter: LetterRow): Promise<void> {
  const { channelId, series, period, source, title, message, owners, deciders, scope, file } = letter
  await sql`
    WITH delivery AS (
      INSERT INTO notify_delivery (channel_id, channel_name, kind, rule_names, decided_by, decided_in, state, title,
        message, alarm_count, attempts)
      SELECT c.id, c.name, c.kind, ARRAY[${source}]::text[], ${[...new Set(owners.map(({ userId }) => userId))]}::int[],
        ${[...new Set(owners.map(({ decidedIn }) => decidedIn ?? 0))]}::int[], 'sending', ${title},
        ${JSON.stringify(message)}::jsonb, 0, 0
      FROM notify_channel c WHERE c.id = ${channelId} RETURNING id
    )
    INSERT INTO notify_letter (delivery_id, series, period, deciders, scope, file_name, file)
    SELECT id, ${series}, ${period}, ${JSON.stringify(deciders)}::jsonb, ${JSON.stringify(scope)}::jsonb,
      ${file?.name ?? null}, ${file?.content ?? null}::bytea
    FROM delivery`.execute(trx)
}

/** Has the queue look at the channel. */
export async function scheduleChannel(trx: Trx, id: number): Promise<void> {
  await sql`
    UPDATE notify_channel SET next_at = now() WHERE id = ${id} AND (next_at IS NULL OR next_at > now())`.execute(
    trx,
  )
}

/** Whose decision a letter is, and how far it reached; undefined where the message is none. */
export async function readDecision(
  trx: Trx,
  deliveryId: string,
): Promise<{ deciders: Decider[]; scope: DataScope } | undefined> {
  const { rows } = await sql<{ deciders: Decider[]; scope: DataScope }>`
    SELECT deciders, scope FROM notify_letter WHERE delivery_id = ${deliveryId}`.execute(trx)
  return rows[0]
}

export async function readFile(
  db: Db,
  deliveryId: string,
): Promise<{ name: string; content: Buffer } | null> {
  const { rows } = await sql<{ name: string; content: Buffer }>`
    SELECT coalesce(file_name, '') AS name, file AS content FROM notify_letter
    WHERE delivery_id = ${deliveryId} AND file IS NOT NULL`.execute(db)
  return rows[0] ?? null
}

export async function forgetFile(trx: Trx, deliveryId: string): Promise<void> {
  await sql`UPDATE notify_letter SET file = NULL WHERE delivery_id = ${deliveryId}`.execute(trx)
}

export async function giveUp(trx: Trx, deliveryId: string, reason: string): Promise<void> {
  await sql`
    UPDATE notify_delivery SET state = 'givenUp', retry_at = NULL, provider_code = 'SCOPE', provider_message = ${reason}
    WHERE id = ${deliveryId}`.execute(trx)
}

/** Gives up the letters of a series that are not over. */
export async function giveUpSeries(trx: Trx, series: string, reason: string): Promise<void> {
  await sql`
    WITH letter AS (UPDATE notify_letter SET file = NULL WHERE series = ${series} RETURNING delivery_id)
    UPDATE notify_delivery y SET state = 'givenUp', retry_at = NULL, provider_code = 'ENDED', provider_message = ${reason}
    FROM letter WHERE y.id = letter.delivery_id AND y.state IN ('sending', 'retrying')`.execute(trx)
}
