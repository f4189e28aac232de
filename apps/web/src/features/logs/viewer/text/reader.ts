// The page's client of the worker that reads a log.
import { createStore, type Store } from '../../../../lib/store.ts'
import type { Asking, LogService, Source, Told, WorkerState } from './logService.ts'

export interface LogReader extends Omit<LogService, 'open'> {
  /** Undefined until the worker's first message. */
  readonly state: Store<WorkerState | undefined>
  close(): void
}

/** Opens a log in its own worker. */
export function openLog(source: Source): LogReader {
  const worker = new Worker(new URL('./log.worker.ts', import.meta.url), { type: 'module' })
  const state = createStore<WorkerState | undefined>(undefined)
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  worker.onmessage = ({ data }: MessageEvent<Told>) => {
    if ('state' in data) {
      state.set(data.state)
      return
    }
    const answer = asked.get(data.id)
    asked.delete(data.id)
    if ('error' in data) answer?.reject(new Error(data.error))
    else answer?.resolve(data.value)
  }

  const ask =
    <Method extends keyof LogService>(method: Method) =>
    (...input: Parameters<LogService[Method]>): ReturnType<LogService[Method]> => {
      const answer = Promise.withResolvers<unknown>()
      lastId += 1
      asked.set(lastId, answer)
      worker.postMessage({ id: lastId, method, input } satisfies Asking)
      return answer.promise as ReturnType<LogService[Method]>
    }

  void ask('open')(source)
  return {
    state,
    close: () => worker.terminate(),
    decodeAs: ask('decodeAs'),
    rows: ask('rows'),
    filter: ask('filter'),
    search: ask('search'),
    hit: ask('hit'),
    hitFrom: ask('hitFrom'),
    placeOfTime: ask('placeOfTime'),
    timeAt: ask('timeAt'),
    copied: ask('copied'),
  }
}
