import { useMutation } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { useRef, useState } from 'react'
import { type AnyEndpoint, type CallError, call, type FileAnswer } from './call.ts'

/** Hands a file to the browser's own download. */
export function saveFile({ blob, name }: FileAnswer): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken hold of the blob by the next turn; Safari needs a little longer.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** `const exporting = useDownload(exportAlarms)`; the file goes to the browser's downloads. */
export function useDownload<E extends AnyEndpoint>(endpoint: E) {
  return useMutation<void, CallError, InputFor<E>>({
    mutationFn: async (input) => saveFile((await call(endpoint, input)) as FileAnswer),
  })
}

/** The same for a file that may take long: `bytes` have come, and `cancel` ends it without a word. */
export function useLongDownload<E extends AnyEndpoint>(endpoint: E) {
  const [bytes, setBytes] = useState(0)
  const own = useRef<AbortController>(undefined)
  const downloading = useMutation<boolean, CallError, InputFor<E>>({
    mutationFn: async (input) => {
      const abort = new AbortController()
      own.current = abort
      setBytes(0)
      try {
        saveFile((await call(endpoint, input, { signal: abort.signal, onReceived: setBytes })) as FileAnswer)
        return true
      } catch (error) {
        if (abort.signal.aborted) return false
        throw error
      }
    },
  })
  return { downloading, bytes, cancel: () => own.current?.abort() }
}
