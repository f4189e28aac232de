import { useMutation } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { guardLeaving } from '../leaving.ts'
import { notify } from '../notices.ts'
import { createStore, useStore } from '../store.ts'
import { texts } from '../texts/index.ts'
import { type AnyEndpoint, type CallError, call, type FileAnswer } from './call.ts'

/** Starts the browser's own download of a file. */
export function saveFile({ blob, name }: FileAnswer): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has opened the blob by the next turn; Safari needs a little longer.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** `const exporting = useDownload(exportAlarms)`; the file goes to the browser's downloads. */
export function useDownload<E extends AnyEndpoint>(endpoint: E) {
  return useMutation<void, CallError, InputFor<E>>({
    mutationFn: async (input) => saveFile((await call(endpoint, input)) as FileAnswer),
  })
}

/** A long download under way; one of each call at a time. */
export interface Download {
  path: string
  /** The title of the call. */
  title: string
  /** The number of bytes received. */
  bytes: number
  /** Ends the download without an error. */
  cancel: () => void
}

/** Downloads go on while the user is on other pages, and are listed among the tasks. */
export const downloads = createStore<readonly Download[]>([])

/**
 * The same for a file that may take long. `current`: its progress, whichever page began it. Its end is announced.
 * `isQuiet`: a refusal is not; the caller shows `isFailed` in its place.
 */
export function useLongDownload<E extends AnyEndpoint>(endpoint: E, { isQuiet = false } = {}) {
  const { path, summary: title } = endpoint
  const current = useStore(downloads).find((one) => one.path === path)
  const { mutate, isError } = useMutation<void, CallError, InputFor<E>>({
    mutationFn: async (input) => {
      const abort = new AbortController()
      const others = () => downloads.get().filter((one) => one.path !== path)
      const tell = (bytes: number) =>
        downloads.set([...others(), { path, title, bytes, cancel: () => abort.abort() }])
      tell(0)
      try {
        const coming = call(endpoint, input, { signal: abort.signal, onReceived: tell })
        saveFile((await guardLeaving(coming)) as FileAnswer)
        notify.success(texts.list.exported)
      } catch (error) {
        if (!abort.signal.aborted) throw error
        notify.info(texts.list.exportCancelled)
      } finally {
        downloads.set(others())
      }
    },
    meta: { claim: () => isQuiet },
  })
  return { begin: mutate, current, isFailed: isError }
}
