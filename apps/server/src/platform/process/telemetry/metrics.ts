// The figures of Prometheus' registry as OpenTelemetry has them: counted once, told twice.

import { type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'

type Value = MetricValue<string> & { metricName?: string }
type Metric = MetricObjectWithValues<Value>

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)]

export function producerOf(
  registry: Registry,
  { resource, version }: { resource: ResourceMetrics['resource']; version: string },
): MetricProducer {
  const startTime = hrTimeOf(Date.now() - process.uptime() * 1_000)
  return {
    async collect(): Promise<CollectionResult> {
      const span = { startTime, endTime: hrTimeOf(Date.now()) }
      const all = (await registry.getMetricsAsJSON()) as unknown as Metric[]
      const metrics = all.flatMap((metric) => metricOf(metric, span) ?? [])
      return {
        errors: [],
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'voltkeep', version }, metrics }] },
      }
    },
  }
}

interface Span {
  startTime: HrTime
  endTime: HrTime
}

/** Undefined for a kind that there is not here (a summary). */
function metricOf({ name, help, type, values }: Metric, span: Span): MetricData | undefined {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE }
  const aggregationTemporality = AggregationTemporality.CUMULATIVE
  const point = <T>(labels: Value['labels'], value: T): DataPoint<T> => ({
    ...span,
    attributes: Object.fromEntries(Object.entries(labels).map(([key, label]) => [key, String(label)])),
    value,
  })
  // As text: prom-client's types are a const enum without names at run time.
  switch (String(type)) {
    case 'counter':
      return {
        descriptor,
        aggregationTemporality,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: values.map(({ labels, value }) => point(labels, value)),
      }
    case 'gauge':
      return {
        descriptor,
        aggregationTemporality,
        dataPointType: DataPointType.GAUGE,
        // A gauge that nobody has set.
        dataPoints: values
          .filter(({ value }) => Number.isFinite(value))
          .map(({ labels, value }) => point(labels, value)),
      }
    case 'histogram':
      return {
        descriptor,
        aggregationTemporality,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramsOf(name, values).map(([labels, value]) => point(labels, value)),
      }
    default:
      return undefined
  }
}

/** Prometheus counts a value in every bucket from its own on; OpenTelemetry in its own alone. */
function histogramsOf(name: string, values: readonly Value[]): [Value['labels'], Histogram][] {
  const groups = new Map<
    string,
    { labels: Value['labels']; below: [number, number][]; sum: number; count: number }
  >()
  for (const { labels, value, metricName } of values) {
    const { le, ...own } = labels as Record<string, string | number>
    const key = JSON.stringify(own)
    const group = groups.get(key) ?? { labels: own, below: [], sum: 0, count: 0 }
    groups.set(key, group)
    if (metricName === `${name}_sum`) group.sum = value
    else if (metricName === `${name}_count`) group.count = value
    else if (le !== undefined && le !== '+Inf') group.below.push([Number(le), value])
  }
  return [...groups.values()].map(({ labels, below, sum, count }) => {
    const ordered = below.toSorted(([a], [b]) => a - b)
    const counts = ordered.map(([, upTo], at) => upTo - (ordered[at - 1]?.[1] ?? 0))
    const buckets = {
      boundaries: ordered.map(([bound]) => bound),
      counts: [...counts, count - (ordered.at(-1)?.[1] ?? 0)],
    }
    return [labels, { buckets, sum, count }]
  })
}
