/**
 * How much may be sent to an address: a bucket of tokens, a message a token, which the database keeps over restarts and
 * which all channels with the address share. The last tokens are kept for alarms of level 1.
 */
import type { ChannelKind } from '@voltkeep/contract'

interface Rate {
  /** Tokens that come back in a minute. */
  perMinute: number
  /** The most there are. No minute sees more than `burst` and `perMinute` together. */
  burst: number
  /** Of these, for messages with an alarm of level 1 alone. */
  reserved: number
  /** The least pause between two messages, ms. */
  pauseMs: number
}

/**
 * Below the providers' own limits, of which a message that is late on its way may use a part: 20 in any minute for WeCom
 * and DingTalk; 100 a minute and 5 a second for Feishu. What comes back evenly is there for the next alarm of level 1
 * within seconds, also in the midst of a storm.
 */
export const rates: Readonly<Record<ChannelKind, Rate>> = {
  wecom: { perMinute: 12, burst: 6, reserved: 3, pauseMs: 250 },
  dingtalk: { perMinute: 12, burst: 6, reserved: 3, pauseMs: 250 },
  feishu: { perMinute: 60, burst: 30, reserved: 10, pauseMs: 300 },
  webhook: { perMinute: 60, burst: 60, reserved: 20, pauseMs: 100 },
  // A number gets fifty a day by the providers' own limits.
  aliyunSms: { perMinute: 1, burst: 10, reserved: 5, pauseMs: 200 },
  tencentSms: { perMinute: 1, burst: 10, reserved: 5, pauseMs: 200 },
  mail: { perMinute: 12, burst: 8, reserved: 3, pauseMs: 500 },
}

export interface Bucket {
  tokens: number
  atMs: number
}

/** The bucket as it is at `nowMs`. A clock that was set back gives nothing. */
export function refilled({ tokens, atMs }: Bucket, { perMinute, burst }: Rate, nowMs: number): Bucket {
  const gained = (Math.max(0, nowMs - atMs) * perMinute) / 60_000
  return { tokens: Math.min(burst, tokens + gained), atMs: nowMs }
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
