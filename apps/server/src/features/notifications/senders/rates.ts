/**
 * How much may be sent to a channel: a bucket of tokens, a message a token, which the database keeps over restarts. The
 * last tokens are kept for alarms of level 1.
 */
import type { ChannelKind } from '@voltkeep/contract'

interface Rate {
  /** Tokens that come back in a minute, and the most there are. */
  perMinute: number
  /** Of these, for messages with an alarm of level 1 alone. */
  reserved: number
  /** The least pause between two messages, ms. */
  pauseMs: number
}

/** Below the providers' own limits: 20 a minute for WeCom and DingTalk; 100 a minute and 5 a second for Feishu. */
export const rates: Readonly<Record<ChannelKind, Rate>> = {
  wecom: { perMinute: 18, reserved: 5, pauseMs: 250 },
  dingtalk: { perMinute: 18, reserved: 5, pauseMs: 250 },
  feishu: { perMinute: 90, reserved: 20, pauseMs: 250 },
  webhook: { perMinute: 120, reserved: 20, pauseMs: 100 },
  mail: { perMinute: 20, reserved: 5, pauseMs: 500 },
}

export interface Bucket {
  tokens: number
  atMs: number
}

/** The bucket as it is at `nowMs`. A clock that was set back gives nothing. */
export function refilled({ tokens, atMs }: Bucket, { perMinute }: Rate, nowMs: number): Bucket {
  const gained = (Math.max(0, nowMs - atMs) * perMinute) / 60_000
  return { tokens: Math.min(perMinute, tokens + gained), atMs: nowMs }
}

/** Takes a token out of a refilled bucket; or how long it takes until there is one. */
export function take(
  bucket: Bucket,
  { perMinute, reserved }: Rate,
  isCritical: boolean,
): { left: Bucket } | { waitMs: number } {
  const needed = isCritical ? 1 : reserved + 1
  if (bucket.tokens >= needed) return { left: { ...bucket, tokens: bucket.tokens - 1 } }
  return { waitMs: Math.ceil(((needed - bucket.tokens) * 60_000) / perMinute) }
}
