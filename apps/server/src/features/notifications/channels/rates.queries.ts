// SQL of the rates that channels use, each of an address.
import type { ChannelKind } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Trx } from '../../../platform/database/database.ts'
import { deletingOld } from '../../../platform/database/jobs/retention.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { type Bucket, rates } from '../senders/rates.ts'
import { openTarget, rateKeyOf } from './sealed.ts'

/** The bucket of a channel's rate, locked, and the moment by the database's clock. */
export interface SharedBucket extends Bucket {
  key: string
  nowMs: number
}

export interface RatedChannel {
  id: number
  kind: ChannelKind
  address: string
  secret: string | null
  /** Null: nobody has read the address since channels share rates. */
  rateKey: string | null
}

/** The channel is locked, and the only one of its transaction. */
export async function lockBucket(trx: Trx, sealer: Sealer, channel: RatedChannel): Promise<SharedBucket> {
  const key = channel.rateKey ?? (await keepRateKey(trx, sealer, channel))
  await sql`
    INSERT INTO notify_rate (key, tokens) VALUES (${key}, ${rates[channel.kind].burst})
    ON CONFLICT (key) DO NOTHING`.execute(trx)
  const { rows } = await sql<{ tokens: number; at: Date; now: Date }>`
    SELECT tokens, tokens_at AS at, now() AS now FROM notify_rate WHERE key = ${key} FOR UPDATE`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('a rate that was written is there')
  return { key, tokens: row.tokens, atMs: row.at.getTime(), nowMs: row.now.getTime() }
}

async function keepRateKey(trx: Trx, sealer: Sealer, channel: RatedChannel): Promise<string> {
  const address = openTarget(sealer, channel)?.address ?? null
  const key = rateKeyOf(sealer, { ...channel, address })
  if (key === null) return `channel ${channel.id}`
  await sql`UPDATE notify_channel SET rate_key = ${key} WHERE id = ${channel.id}`.execute(trx)
  return key
}

export async function writeTokens(trx: Trx, key: string, tokens: number): Promise<void> {
  await sql`UPDATE notify_rate SET tokens = ${tokens}, tokens_at = clock_timestamp() WHERE key = ${key}`.execute(
    trx,
  )
}

/** What a provider blocks is the address: other channels that have it rest, too. */
export async function pauseOthers(trx: Trx, channelId: number, pauseMs: number): Promise<void> {
  await sql`
    UPDATE notify_channel SET paused_until = greatest(paused_until, now() + ${pauseMs} * interval '1 ms')
    WHERE id IN (
      SELECT o.id FROM notify_channel o JOIN notify_channel c ON c.rate_key = o.rate_key
      WHERE c.id = ${channelId} AND o.id <> c.id ORDER BY o.id FOR UPDATE OF o
    )`.execute(trx)
}

/** Of addresses that no channel has any more. */
export const deleteRates = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM notify_rate WHERE key IN (
      SELECT key FROM notify_rate r
      WHERE tokens_at < ${before} AND NOT EXISTS (
        SELECT FROM notify_channel c WHERE c.rate_key = r.key OR 'channel ' || c.id = r.key)
      LIMIT ${limit})`.execute(db),
)
