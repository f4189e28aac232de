import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { notify } from '../notices.ts'
import { texts } from '../texts/index.ts'
import { type AnswerFor, type AnyEndpoint, type CallError, callInFull } from './call.ts'
import { keyOf } from './reading.ts'

export interface WritingOptions<Answer> {
  /** The message on success; by default the server's message or 操作成功. `false`: the caller shows it. */
  said?: string | false | ((answer: Answer) => string)
  /** Lets a form show an error at its fields. Returns true where it did. */
  claim?: (error: CallError) => boolean
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: { claim?: (error: CallError) => boolean }
    queryMeta: {
      /** No message of a failure: its place tells of it. `first`: it does only while nothing has been read. */
      isQuiet?: boolean | 'first'
    }
  }
}

/** Whether it is done only once a second person has agreed: then no success is told. */
const isWaiting = (answer: unknown) =>
  typeof answer === 'object' && answer !== null && 'approvalId' in answer && answer.approvalId !== undefined

/** `useWriting(recoverAlarm, [listAlarms])`: on success, what was read from the named endpoints is stale. */
export function useWriting<E extends AnyEndpoint>(
  endpoint: E,
  stale: readonly AnyEndpoint[],
  { said, claim }: WritingOptions<AnswerFor<E>> = {},
) {
  const client = useQueryClient()
  return useMutation<AnswerFor<E>, CallError, InputFor<E>>({
    mutationFn: async (input) => {
      const { answer, message } = await callInFull(endpoint, input)
      if (said !== false) {
        const ofCall = typeof said === 'function' ? said(answer) : said
        if (isWaiting(answer)) notify.info(texts.waitsForConsent)
        else notify.success(ofCall ?? (message || texts.done))
      }
      return answer
    },
    onSuccess: async () => {
      await Promise.all(stale.map((each) => client.invalidateQueries({ queryKey: keyOf(each) })))
    },
    meta: claim ? { claim } : {},
  })
}
