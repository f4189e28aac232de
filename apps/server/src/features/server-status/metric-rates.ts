// Rates of the server page: how fast the counters of the metrics grow.
import { cpus } from 'node:os'
import type { Registry } from 'prom-client'

const sampleMs = 5_000
/** Rates are over this number of samples, the last ones. */
const keptSamples = 3

interface Sample {
  atMs: number
  cpuMs: number
  /** Of all cores together, since the machine started. */
  machine: { busyMs: number; allMs: number }
  messages: number | null
  refusals: number | null
}

export interface Rates {
  /** Of one core; as all rates null until there are two samples. */
  processPercent: number | null
  /** Of all cores. */
  systemPercent: number | null
  messagesPerSecond: number | null
  refusalsPerSecond: number | null
}

/** Samples the counters every few seconds, so that a rate is known when a call asks for one. */
export function sampleRates(metrics: Registry) {
  const samples: Sample[] = []
  const take = async () => {
    const { user, system } = process.cpuUsage()
    samples.push({
      atMs: performance.now(),
      cpuMs: (user + system) / 1000,
      machine: machineTimes(),
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
        return { processPercent: null, systemPercent: null, messagesPerSecond: null, refusalsPerSecond: null }
      }
      const ms = last.atMs - first.atMs
      const perSecond = (from: number | null, to: number | null) =>
        from === null || to === null ? null : Math.round(((to - from) / ms) * 10_000) / 10
      return {
        processPercent: percent(last.cpuMs - first.cpuMs, ms),
        systemPercent: percent(
          last.machine.busyMs - first.machine.busyMs,
          last.machine.allMs - first.machine.allMs,
        ),
        messagesPerSecond: perSecond(first.messages, last.messages),
        refusalsPerSecond: perSecond(first.refusals, last.refusals),
      }
    },
    close: () => clearInterval(timer),
  }
}

/** To one decimal. */
const percent = (part: number, whole: number) => (whole > 0 ? Math.round((part / whole) * 1000) / 10 : null)

function machineTimes(): Sample['machine'] {
  let busyMs = 0
  let allMs = 0
  for (const { times } of cpus()) {
    const { idle, ...busy } = times
    for (const ms of Object.values(busy)) busyMs += ms
    allMs += idle
  }
  return { busyMs, allMs: allMs + busyMs }
}

/** A metric's values above 0 by one of its labels, the highest first; null where this process has no such metric. */
export async function figuresBy(
  metrics: Registry,
  name: string,
  label: string,
): Promise<{ of: string; value: number }[] | null> {
  const metric = metrics.getSingleMetric(name)
  if (!metric) return null
  const { values } = await metric.get()
  return values
    .filter(({ value }) => value > 0)
    .map(({ labels, value }) => ({ of: String((labels as Record<string, unknown>)[label]), value }))
    .sort((a, b) => b.value - a.value)
}

/** The sum of a metric over its labels; null where this process has no such metric. */
export async function figureOf(metrics: Registry, name: string): Promise<number | null> {
  const metric = metrics.getSingleMetric(name)
  if (!metric) return null
  const { values } = await metric.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}
