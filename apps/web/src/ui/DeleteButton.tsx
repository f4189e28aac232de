import { ConfirmButton, type ConfirmButtonProps } from './ConfirmButton.tsx'

export interface DeleteButtonProps extends Pick<ConfirmButtonProps, 'onConfirm' | 'disabled'> {
  words: { title: string; action: string; cancelled: string }
  /** The question that names what goes, and what is to be known before; what is false is left out. */
  asks: readonly (string | false)[]
}

/** Deletes what stands in a row or in a panel, after a question. */
export function DeleteButton({ words, asks, ...button }: DeleteButtonProps) {
  return (
    <ConfirmButton
      {...button}
      type="link"
      size="small"
      isDanger
      title={words.title}
      body={asks.map((text) => text && <p key={text}>{text}</p>)}
      go={words.action}
      saidOnStay={words.cancelled}
    >
      {words.action}
    </ConfirmButton>
  )
}
