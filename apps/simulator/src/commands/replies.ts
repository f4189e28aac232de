// What a device answers to commands.
import type { ReportBody } from '../outbox.ts'

export type Reply = Omit<ReportBody<'reply'>, 'commandId'>

export const done: Reply = { outcome: 'done' }
export const failed = (reason: string): Reply => ({ outcome: 'failed', reason })
export const refused = (reason: string): Reply => ({ outcome: 'refused', reason })

/** The protocol wants seven days; a device has a limit besides. */
export const memory = { limit: 1_000, maxAgeMs: 8 * 24 * 3_600_000 }

/** How long a device is away when it starts again. */
export const usualRebootMs = 3_000
