import type { Registry } from 'prom-client'

const sampleMs = 5_000
/** Rates are over the last so many samples. */
const keptSamples = 3

interface Sample {
  atMs: number
  cpuMs: number
  messages: number | null
  refusals: number | null
}

export interface Rates {
  /** Of one core; null until there are two samples. */
  processPercent: number | null
  messagesPerSecond: number | null
  refusalsPerSecond: number | null
}

/** Looks at the counters every few seconds, so that a rate is known when somebody asks for one. */
export function sampleRates(metrics: Registry) {
  const samples: Sample[] = []
  const take = async () => {
    const { user, system } = process.cpuUsage()
    samples.push({
      atMs: performance.now(),
      cpuMs: (user + system) / 1000,
      messages: await figureOf(metrics, 'voltkeep_intake_messages_total'),
      refusals: await figureOf(metrics, 'voltkeep_intake_refusals_total'),
    })
    if (samples.length > keptSamples) samples.shift()
  }
  const timer = setInterval(() => void take(), sampleMs)
  timer.unref()
  void take()

  return {
    rates(): Rates {
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last || first === last) {
        return { processPercent: null, messagesPerSecond: null, refusalsPerSecond: null }
      }
      const ms = last.atMs - first.atMs
      const perSecond = (from: number | null, to: number | null) =>
        from === null || to === null ? null : Math.round(((to - from) / ms) * 10_000) / 10
      return {
        processPercent: Math.round(((last.cpuMs - first.cpuMs) / ms) * 1000) / 10,
        messagesPerSecond: perSecond(first.messages, last.messages),
        refusalsPerSecond: perSecond(first.refusals, last.refusals),
      }
    },
    close: () => clearInterval(timer),
  }
}

/** The sum of a metric over its labels; null where this process has no such metric. */
export async function figureOf(metrics: Registry, name: string): Promise<number | null> {
  const metric = metrics.getSingleMetric(name)
  if (!metric) return null
  const { values } = await metric.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}
