// A collector of OpenTelemetry: takes OTLP by HTTP in JSON, and reads what has come.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type AnyValue = {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
  boolValue?: boolean
} & {
  arrayValue?: { values: AnyValue[] }
}
interface KeyValue {
  key: string
  value: AnyValue
}

export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  kind: number
  attributes: Record<string, unknown>
  status: number
  durationNs: bigint
}

export interface ReceivedMetric {
  name: string
  kind: 'sum' | 'gauge' | 'histogram'
  points: {
    attributes: Record<string, unknown>
    value?: number
    count?: number
    sum?: number
    counts?: number[]
    bounds?: number[]
  }[]
}

const plain = (value: AnyValue): unknown => {
  if (value.arrayValue) return value.arrayValue.values.map(plain)
  if (value.intValue !== undefined) return Number(value.intValue)
  return value.stringValue ?? value.doubleValue ?? value.boolValue
}
const fieldsOf = (list: readonly KeyValue[] = []) =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]))

// biome-ignore lint/suspicious/noExplicitAny: as the protocol's documents have it; what is wrong in it throws.
type Json = any

function spansOf(body: Json): ReceivedSpan[] {
  return body.resourceSpans.flatMap(({ scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => {
        if (!/^[0-9a-f]{32}$/.test(span.traceId) || !/^[0-9a-f]{16}$/.test(span.spanId))
          throw new Error('ids')
        return {
          name: span.name,
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId || undefined,
          kind: span.kind,
          attributes: fieldsOf(span.attributes),
          status: span.status?.code ?? 0,
          durationNs: BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano),
        }
      }),
    ),
  )
}

function metricsOf(body: Json): ReceivedMetric[] {
  return body.resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) =>
      metrics.map((metric: Json) => {
        const kind = (['sum', 'gauge', 'histogram'] as const).find((one) => metric[one])
        if (!kind) throw new Error(`${metric.name} is of no kind`)
        const points = metric[kind].dataPoints.map((point: Json) => ({
          attributes: fieldsOf(point.attributes),
          ...(kind === 'histogram'
            ? {
                count: Number(point.count),
                sum: point.sum,
                counts: point.bucketCounts.map(Number),
                bounds: point.explicitBounds,
              }
            : { value: point.asDouble ?? Number(point.asInt) }),
        }))
        return { name: metric.name, kind, points }
      }),
    ),
  )
}

export async function openOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  /** Of the newest of each name. */
  const metrics = new Map<string, ReceivedMetric>()
  const resources: Record<string, unknown>[] = []
  /** Everything, as it came. */
  const texts: string[] = []
  const problems: string[] = []
  const authorizations = new Set<string | undefined>()
  const server = createServer({ keepAlive: false }, async (request, reply) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString('utf8')
    texts.push(text)
    authorizations.add(request.headers.authorization)
    try {
      if (request.headers['content-type'] !== 'application/json') throw new Error('no JSON')
      const body = JSON.parse(text)
      const [first] = body.resourceSpans ?? body.resourceMetrics
      resources.push(fieldsOf(first.resource.attributes))
      if (request.url === '/v1/traces') spans.push(...spansOf(body))
      else if (request.url === '/v1/metrics')
        for (const metric of metricsOf(body)) metrics.set(metric.name, metric)
      else throw new Error(`${request.url}`)
    } catch (error) {
      problems.push((error as Error).message)
    }
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, metrics, resources, texts, problems, authorizations },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
