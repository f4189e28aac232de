// The worker that reads a log and answers the page's calls, off the page's thread.
import { type Encoding, utf16Of } from './encoding.ts'
import type { Asking, Failure, LogService, Source, Told } from './logService.ts'
import { createLogText } from './logText.ts'
import type { Base } from './times.ts'

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Asking>) => void) | null
  postMessage(told: Told): void
}

/** The state is posted at most this often. */
const tellPauseMs = 200

let base: Base = { year: 1970, month: 1, day: 1 }
let text = createLogText({ base })
let failure: Failure | undefined
let told = ''

function tell() {
  const state = { text: text.state(), search: text.searchState(), ...(failure && { failure }) }
  const words = JSON.stringify(state)
  if (words === told) return
  told = words
  scope.postMessage({ state })
}
setInterval(tell, tellPauseMs)

async function open(source: Source): Promise<void> {
  base = source.base
  text = createLogText({ base })
  failure = undefined
  const into = text
  let response: Response
  try {
    response = await fetch(source.address, { headers: source.headers, credentials: 'same-origin' })
  } catch {
    // An archive of few bytes may break off before its answer has begun.
    await breakOff(source, into, { kind: 'network' })
    return
  }
  const type = response.headers.get('content-type') ?? ''
  // A response without this header is not a file.
  if (!response.ok || !response.body || !response.headers.has('content-disposition')) {
    fail({ kind: 'answer', status: response.status, type, body: await response.text() })
    return
  }
  try {
    await take(await unified(response.body), into)
  } catch {
    await breakOff(source, into, { kind: 'broken' })
  }
}

/**
 * An answer that broke off: of a damaged archive, what can be read is asked for again, as the browser drops what it has
 * received with the end of the connection.
 */
async function breakOff(source: Source, broken: typeof text, otherwise: Failure): Promise<void> {
  const why = await whyIncomplete(source)
  if (broken !== text) return
  if (why) {
    const into = createLogText({ base })
    text = into
    try {
      const { address, headers } = source
      const response = await fetch(`${address}&untilDamage=1`, { headers, credentials: 'same-origin' })
      if (response.ok && response.body) await take(await unified(response.body), into)
    } catch {
      into.finish()
    }
    if (into !== text) return
  } else broken.finish()
  fail(why ?? otherwise)
}

/** Asks for what follows any end: a damaged archive is refused with its reason, a whole one answers nothing. */
async function whyIncomplete({ address, headers }: Source): Promise<Failure | undefined> {
  try {
    const response = await fetch(`${address}&from=${Number.MAX_SAFE_INTEGER}&limit=1`, {
      headers,
      credentials: 'same-origin',
    })
    if (response.status !== 409) return undefined
    return { kind: 'incomplete', status: response.status, body: await response.text() }
  } catch {
    return undefined
  }
}

function fail(next: Failure) {
  failure = next
  tell()
}

async function take(stream: ReadableStream<Uint8Array>, into: typeof text): Promise<void> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (into !== text) return reader.cancel()
    if (done) break
    into.append(value)
  }
  into.finish()
  tell()
}

/** Converts UTF-16 to UTF-8, since lines are split by bytes. */
async function unified(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = stream.getReader()
  const first = await reader.read()
  const whole = new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.done) controller.close()
      else controller.enqueue(first.value)
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const encoding = first.done ? undefined : utf16Of(first.value)
  if (!encoding) return whole
  return whole
    .pipeThrough(new TextDecoderStream(encoding) as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new TextEncoderStream() as unknown as TransformStream<string, Uint8Array>)
}

async function decodeAs(encoding: Encoding | undefined): Promise<void> {
  const bytes = text.whole().stream() as ReadableStream<Uint8Array>
  text = createLogText({ encoding, base })
  await take(bytes, text)
}

const service: LogService = {
  open,
  decodeAs,
  rows: (from, count) => text.rows(from, count),
  filter: async (shown, place) => text.filter(shown, place),
  search: async (query) => text.search(query),
  hit: async (number) => text.hit(number),
  hitFrom: async (place) => text.hitFrom(place),
  placeOfTime: (time) => text.placeOfTime(time),
  timeAt: (place) => text.timeAt(place),
  copied: (from, to) => text.copied(from, to),
}

scope.onmessage = ({ data: { id, method, input } }) => {
  const act = service[method] as (...input: readonly unknown[]) => Promise<unknown>
  act(...input).then(
    (value) => {
      // The state is posted before the answer, so that the page knows the row count to which the answer belongs.
      tell()
      scope.postMessage({ id, value })
    },
    (error: unknown) => scope.postMessage({ id, error: String(error) }),
  )
}
