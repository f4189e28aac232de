import type { InputFor } from '@voltkeep/contract/endpoint'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { Permitted } from '../Permitted.tsx'
import { ConfirmButton, type ConfirmButtonProps } from './ConfirmButton.tsx'

export interface DeleteButtonProps extends Pick<ConfirmButtonProps, 'onConfirm' | 'disabled'> {
  words: { title: string; action: string; cancelled: string }
  /** Paragraphs of the confirmation: what is deleted, and the consequences. False ones are left out. */
  asks: readonly (string | false)[]
}

/** Deletes a row's or a panel's record, after confirmation. */
export function DeleteButton({ words, asks, ...button }: DeleteButtonProps) {
  return (
    <ConfirmButton
      {...button}
      type="link"
      size="small"
      isDanger
      title={words.title}
      body={asks.map((text) => text && <p key={text}>{text}</p>)}
      confirmLabel={words.action}
      cancelMessage={words.cancelled}
    >
      {words.action}
    </ConfirmButton>
  )
}

/** Deletes a record by its call, for the users who may. */
export function DeleteRow<E extends AnyEndpoint>({
  endpoint,
  input,
  stale,
  words,
  onDeleted,
  ...button
}: Omit<DeleteButtonProps, 'onConfirm' | 'words'> & {
  endpoint: E
  input: InputFor<E>
  /** The calls whose answers become stale. */
  stale: readonly AnyEndpoint[]
  words: DeleteButtonProps['words'] & { done: string }
  onDeleted?: (() => void) | undefined
}) {
  const deleting = useWriting(endpoint, stale, { said: words.done })
  return (
    <Permitted code={endpoint.access}>
      <DeleteButton
        {...button}
        words={words}
        onConfirm={async () => {
          await deleting.mutateAsync(input)
          onDeleted?.()
        }}
      />
    </Permitted>
  )
}
