import type { Endpoint, InputFor } from '@voltkeep/contract/endpoint'
import { useEffect, useState } from 'react'
import { type AnswerFor, CallError, call } from '../../lib/wire/call.ts'

export interface PublicAnswer<Answer> {
  answer?: Answer
  /** Any failure: a refusal, or an error of the server or the network. */
  error?: CallError
}

/**
 * Calls a public endpoint once per input. It does not use the console's query client, because these pages load
 * without it. A null input makes no call.
 */
export function usePublicCall<E extends Endpoint>(
  endpoint: E,
  input: InputFor<E> | null,
): PublicAnswer<AnswerFor<E>> & { retry: () => void } {
  const [state, setState] = useState<PublicAnswer<AnswerFor<E>>>({})
  const [tries, setTries] = useState(0)
  const asked = input === null ? null : JSON.stringify(input)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry sends the same input again
  useEffect(() => {
    setState({})
    if (asked === null) return
    const abort = new AbortController()
    call(endpoint, JSON.parse(asked) as InputFor<E>, { signal: abort.signal, ownsSessionEnd: true }).then(
      (answer) => setState({ answer }),
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ error: asCallError(error) })
      },
    )
    return () => abort.abort()
  }, [endpoint, asked, tries])
  return { ...state, retry: () => setTries((before) => before + 1) }
}

const asCallError = (error: unknown) =>
  error instanceof CallError ? error : new CallError(0, error instanceof Error ? error.message : '')
