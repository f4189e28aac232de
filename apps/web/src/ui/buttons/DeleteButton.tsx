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
