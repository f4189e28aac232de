// The work of this process that can be traced: whoever does it says so on a channel of Node's diagnostics. Nobody listens
// without OTLP_URL, and then it costs one look (decision 79). What is said is of the program, never of people or devices.
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'

interface Work {
  /** Set where it has failed. */
  error?: unknown
}

export interface CallWork extends Work {
  method: string
  requestId: string
  /** The path's template, once it is known. */
  route?: string
  status?: number
}

export interface StatementWork extends Work {
  /** Without its values, which are sent apart. */
  text: string
}

export interface BatchWork extends Work {
  /** The kinds of its reports. */
  kinds: readonly string[]
  count: number
}

export interface JobWork extends Work {
  name: string
}

export type WorkChannel<W extends object> = TracingChannel<unknown, W>

export const tracedCalls: WorkChannel<CallWork> = tracingChannel('voltkeep.call')
export const tracedStatements: WorkChannel<StatementWork> = tracingChannel('voltkeep.statement')
export const tracedBatches: WorkChannel<BatchWork> = tracingChannel('voltkeep.batch')
export const tracedJobs: WorkChannel<JobWork> = tracingChannel('voltkeep.job')

/** `about` is only asked where somebody listens. */
export const traced = <W extends object, Result>(
  channel: WorkChannel<W>,
  about: () => W,
  work: () => Promise<Result>,
): Promise<Result> => (channel.hasSubscribers ? channel.tracePromise(work, about()) : work())
