/**
 * OpenTelemetry: spans and figures to a collector, OTLP by HTTP in JSON. This room alone imports its libraries, and app.ts
 * loads it where OTLP_URL says so.
 */
import { hostname } from 'node:os'
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Registry } from 'prom-client'
import { createComplaints } from '../complaints.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { spoken } from '../sentences.ts'
import { producerOf } from './metrics.ts'
import { traceWork } from './spans.ts'

export interface Telemetry {
  /** Sends what it has, for some seconds at most. */
  close(): Promise<void>
}

const timeoutMs = 5_000

export function openTelemetry({
  url,
  config,
  version,
  metrics,
  log,
}: {
  url: string
  config: Pick<Config, 'nodeName' | 'otlpAuthorization' | 'otlpTracePercent' | 'otlpMetricsSeconds'>
  version: string
  metrics: Registry
  log: Pick<Log, 'warn'>
}): Telemetry {
  const complain = createComplaints((said, count) =>
    log.warn(
      { said, count },
      spoken({
        zh: 'OpenTelemetry 数据未能发送，已丢弃',
        en: 'telemetry could not be sent and was dropped',
      }),
    ),
  )
  const said = (message: string, ...more: unknown[]) => complain([message, ...more.map(String)].join(' '))
  const quiet = () => {}
  diag.setLogger(
    { error: said, warn: said, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const resource = resourceFromAttributes({
    'service.name': 'voltkeep',
    'service.version': version,
    'service.instance.id': config.nodeName ?? hostname(),
  })
  const base = url.replace(/(?<!\/)\/+$/, '')
  const { otlpAuthorization: authorization } = config
  const exporting = (path: string) => ({
    url: base + path,
    timeoutMillis: timeoutMs,
    ...(authorization !== undefined && { headers: { authorization } }),
  })
  const tracers = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.otlpTracePercent / 100) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(exporting('/v1/traces')) })],
  })
  const everyMs = config.otlpMetricsSeconds * 1_000
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(exporting('/v1/metrics')),
        exportIntervalMillis: everyMs,
        exportTimeoutMillis: Math.min(everyMs, timeoutMs),
        metricProducers: [producerOf(metrics, { resource, version })],
      }),
    ],
  })
  const stop = traceWork(tracers.getTracer('voltkeep', version))
  return {
    async close() {
      stop()
      const ended = Promise.allSettled([tracers.shutdown(), meters.shutdown()])
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, timeoutMs)
      await Promise.race([ended, late.promise])
      clearTimeout(timer)
      diag.disable()
    },
  }
}
