// Work that is said on the channels of tracing.ts, as spans: which of them, how they are called, and what they say.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import {
  type BatchWork,
  type CallWork,
  type JobWork,
  type StatementWork,
  tracedBatches,
  tracedCalls,
  tracedJobs,
  tracedStatements,
  type WorkChannel,
} from './tracing.ts'

/** Returns what ends it. */
export function traceWork(tracer: Tracer): () => void {
  const current = new AsyncLocalStorage<Span | undefined>()
  const stops = [
    listen<CallWork>(tracer, current, tracedCalls, {
      kind: SpanKind.SERVER,
      isTraced: () => true,
      begin: ({ method, requestId }) => ({
        name: method,
        attributes: { 'http.request.method': method, 'voltkeep.request_id': requestId },
      }),
      end(span, { method, route, status }) {
        span.updateName(route === undefined ? method : `${method} ${route}`)
        if (route !== undefined) span.setAttribute('http.route', route)
        if (status === undefined) return
        span.setAttribute('http.response.status_code', status)
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      },
    }),
    listen<StatementWork>(tracer, current, tracedStatements, {
      kind: SpanKind.CLIENT,
      // What the process asks by itself is no part of anything: it would be most of all traces.
      isTraced: () => current.getStore() !== undefined,
      begin({ text }) {
        const { verb, table } = summaryOf(text)
        return {
          name: table === undefined ? verb : `${verb} ${table}`,
          attributes: {
            'db.system.name': 'postgresql',
            'db.operation.name': verb,
            ...(table !== undefined && { 'db.collection.name': table }),
          },
        }
      },
    }),
    listen<BatchWork>(tracer, current, tracedBatches, {
      kind: SpanKind.CONSUMER,
      isTraced: () => true,
      begin: ({ kinds, count }) => ({
        name: 'intake batch',
        attributes: { 'messaging.batch.message_count': count, 'voltkeep.kinds': [...kinds] },
      }),
    }),
    listen<JobWork>(tracer, current, tracedJobs, {
      kind: SpanKind.INTERNAL,
      isTraced: () => true,
      begin: ({ name }) => ({ name: `job ${name}`, attributes: { 'voltkeep.job': name } }),
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

interface Telling<W> {
  kind: SpanKind
  isTraced(work: W): boolean
  begin(work: W): { name: string; attributes: Attributes }
  end?(span: Span, work: W): void
}

function listen<W extends { error?: unknown }>(
  tracer: Tracer,
  current: AsyncLocalStorage<Span | undefined>,
  channel: WorkChannel<W>,
  telling: Telling<W>,
): () => void {
  const spans = new WeakMap<W, Span>()
  channel.start.bindStore(current as AsyncLocalStorage<unknown>, (said) => {
    const work = said as W
    // A call comes here again once its body has been read.
    const known = spans.get(work)
    if (known) return known
    const parent = current.getStore()
    if (!telling.isTraced(work)) return parent
    const { name, attributes } = telling.begin(work)
    const within = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = tracer.startSpan(name, { kind: telling.kind, attributes }, within)
    spans.set(work, span)
    return span
  })
  const subscribers = {
    asyncEnd(said: unknown) {
      const work = said as W
      const span = spans.get(work)
      if (!span) return
      spans.delete(work)
      telling.end?.(span, work)
      if (work.error !== undefined && work.error !== null) {
        span.setAttribute('error.type', errorTypeOf(work.error))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
  channel.subscribe(subscribers as never)
  return () => {
    channel.unsubscribe(subscribers as never)
    channel.start.unbindStore(current as AsyncLocalStorage<unknown>)
  }
}

/** Its code or its class: a message may have a value in it, and whose it is. */
function errorTypeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : typeof error
}

/** Stands for what is in parentheses: behind INTO the columns, behind FROM the arguments of what is no table. */
const inner = '#'
const tables =
  /\b(?:INTO|UPDATE|COPY)\s+"?([a-z_][a-z0-9_]*)\b|\b(?:FROM|JOIN)\s+(?:ONLY\s+)?"?([a-z_][a-z0-9_]*)\b"?(?!\s*[(#])/gi
const namedParts =
  /(?:\bWITH(?:\s+RECURSIVE)?|,)\s+([a-z_][a-z0-9_]*)\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?#/gi
/** Of as many texts as there may be without end: statements with lists in them. */
const knownAtMost = 5_000
const known = new Map<string, { verb: string; table: string | undefined }>()

/** What a statement does, and to which table first: of its outermost part, where that names one. */
export function summaryOf(text: string): { verb: string; table: string | undefined } {
  const found = known.get(text)
  if (found) return found
  const verb = (/[a-z]+/i.exec(text)?.[0] ?? 'query').toUpperCase()
  let outer = text
  for (let before = ''; before !== outer; ) {
    before = outer
    outer = outer.replaceAll(/\([^()]*\)/g, inner)
  }
  // A part of the statement itself is no table.
  const own = new Set(Array.from(outer.matchAll(namedParts), ([, name]) => name))
  const named = [...outer.matchAll(tables), ...text.matchAll(tables)].map(
    ([, written, read]) => written ?? read,
  )
  const summary = { verb, table: named.find((name) => !own.has(name))?.toLowerCase() }
  if (known.size < knownAtMost) known.set(text, summary)
  return summary
}
