// Uploads to the server. They go on while their user is on other pages, are listed among the tasks, and wait for their
// form: opened again, it has its file. They end with the browser's page.
import type { InputFor } from '@voltkeep/contract/endpoint'
import { guardLeaving } from '../leaving.ts'
import { notify } from '../notices.ts'
import { createStore } from '../store.ts'
import { texts } from '../texts/index.ts'
import { type AnyEndpoint, CallError, call } from './call.ts'
import { createRate } from './sending.ts'

/** One upload for each call and its other fields at a time. */
export interface Upload {
  key: string
  file: File
  /** The title of the call. */
  title: string
  /** The path of the page with its form. */
  pathname: string
  step:
    | { name: 'sending'; bytes: number; rate: number }
    | { name: 'failed'; message: string }
    /** The server has the file, and no form has used it yet. */
    | { name: 'kept'; answer: unknown }
  retry: () => void
  /** Ends it without an error, or forgets its result. */
  cancel: () => void
}

export const uploads = createStore<readonly Upload[]>([])

/** Forms on show, by the key of their upload: these announce its end themselves. */
const forms = new Map<string, number>()

export function uploadKeyOf<E extends AnyEndpoint>(
  endpoint: E,
  input: Omit<InputFor<E>, 'file'> | undefined,
) {
  return `${endpoint.path} ${JSON.stringify(input ?? {})}`
}

/** Sends a file; a former upload under the same key is aborted. */
export function beginUpload<E extends AnyEndpoint>(
  endpoint: E,
  input: Omit<InputFor<E>, 'file'> | undefined,
  file: File,
): void {
  const key = uploadKeyOf(endpoint, input)
  cancelUpload(key)
  const abort = new AbortController()
  const rateAt = createRate()
  const own = { key, file, title: endpoint.summary, pathname: location.pathname }
  const others = () => uploads.get().filter((each) => each.key !== key)
  const drop = () => uploads.set(others())
  const tell = (step: Upload['step']) =>
    uploads.set([
      ...others(),
      {
        ...own,
        step,
        retry: () => beginUpload(endpoint, input, file),
        cancel() {
          abort.abort()
          drop()
        },
      },
    ])
  const send = async () => {
    try {
      const answer = await call(endpoint, { ...input, file } as InputFor<E>, {
        signal: abort.signal,
        // The form around the file is a little longer than the file.
        onSent({ bytes, ofBytes }) {
          if (abort.signal.aborted) return
          const share = ofBytes > 0 ? Math.min(1, bytes / ofBytes) : 0
          tell({ name: 'sending', bytes: share * file.size, rate: rateAt(bytes) })
        },
      })
      if (abort.signal.aborted) return
      tell({ name: 'kept', answer })
      if (!forms.has(key)) notify.success(texts.file.done(file.name))
    } catch (error) {
      if (abort.signal.aborted) return
      if (!(error instanceof CallError)) throw error
      if (error.isSessionEnd) return drop()
      tell({ name: 'failed', message: error.message })
      if (!forms.has(key)) notify.error(texts.file.failed(file.name), error.message)
    }
  }
  tell({ name: 'sending', bytes: 0, rate: 0 })
  void guardLeaving(send())
}

const cancelUpload = (key: string) =>
  uploads
    .get()
    .find((each) => each.key === key)
    ?.cancel()

/** Registers a form that shows this upload; returns the function that removes it. */
export function attendUpload(key: string): () => void {
  forms.set(key, (forms.get(key) ?? 0) + 1)
  return () => {
    const left = (forms.get(key) ?? 1) - 1
    if (left > 0) forms.set(key, left)
    else forms.delete(key)
  }
}
