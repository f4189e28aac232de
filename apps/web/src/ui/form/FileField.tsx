// A form's control for one file, which is uploaded as soon as it is chosen: the form's value is the server's answer.
// The upload goes on when the form is closed: opened again, it has the file. Use it inside a form's Field:
//
//     <Field name="annex" label="素材">
//       <FileField endpoint={uploadAnnex} describe={({ fileMame, sizeBytes }) => ({ name: fileMame, sizeBytes })} />
//     </Field>
import type { InputFor } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { type DragEvent, type ReactNode, use, useEffect, useState } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import type { AnswerFor, AnyEndpoint } from '../../lib/wire/call.ts'
import { attendUpload, beginUpload, uploadKeyOf, uploads } from '../../lib/wire/uploads.ts'
import { FileDrop } from './FileDrop.tsx'
import styles from './FileField.module.css'
import { FormUpload } from './FormUpload.ts'

const words = texts.file

export interface FileFieldProps<E extends AnyEndpoint> {
  /** The call that receives the file in its field `file`; its `fileLimitBytes` is the limit that is shown. */
  endpoint: E
  /** The other fields of that call. */
  input?: Omit<InputFor<E>, 'file'>
  /** The name and size to show for an answer. */
  describe: (answer: AnswerFor<E>) => { name: string; sizeBytes?: number }
  /** As an input's `accept`, for the dialog. The server decides by the content. */
  accept?: string
  /** The allowed files, in words; the limit is added by itself. */
  hint?: string
  /** Shows the file itself below its name, once the server has it. */
  preview?: (file: File) => ReactNode
  /** Set by the form. */
  id?: string
  value?: AnswerFor<E> | undefined
  onChange?: (answer: AnswerFor<E> | undefined) => void
}

export function FileField<E extends AnyEndpoint>({
  endpoint,
  input,
  describe,
  accept,
  hint,
  preview,
  id,
  value,
  onChange,
}: FileFieldProps<E>) {
  const key = uploadKeyOf(endpoint, input)
  const upload = useStore(uploads).find((each) => each.key === key)
  const step = upload?.step
  /** The problem of the chosen file, before anything was sent. */
  const [refusal, setRefusal] = useState<string>()
  /** The focus moves to the next button only if the user has used this one. */
  const [hasActed, setActed] = useState(false)
  const [sentFile, setSentFile] = useState<File>()
  const tellForm = use(FormUpload)
  const isSending = step?.name === 'sending'
  useEffect(() => attendUpload(key), [key])
  useEffect(() => {
    tellForm?.(isSending)
    return () => tellForm?.(false)
  }, [tellForm, isSending])
  useEffect(() => {
    if (upload?.step.name !== 'kept') return
    setSentFile(upload.file)
    upload.cancel()
    onChange?.(upload.step.answer as AnswerFor<E>)
  }, [upload, onChange])

  const limitBytes = endpoint.fileLimitBytes ?? Infinity
  const limit = formatBytes(limitBytes)

  const choose = (files: readonly File[]) => {
    setActed(true)
    const [file] = files
    if (!file) return
    const problem =
      files.length > 1 || value !== undefined || upload !== undefined
        ? words.onlyOne
        : file.size > limitBytes
          ? words.tooLarge(limit)
          : undefined
    setRefusal(problem)
    if (problem === undefined) beginUpload(endpoint, input, file)
  }

  const clear = () => {
    upload?.cancel()
    setRefusal(undefined)
    if (value !== undefined) onChange?.(undefined)
  }

  /** A second file that is dropped on the first is refused, and not opened by the browser in place of the page. */
  const dropping = {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      choose([...event.dataTransfer.files])
    },
  }

  const kept = value === undefined ? undefined : describe(value)
  return (
    <>
      {upload && step?.name === 'sending' ? (
        <div className={styles.box} {...dropping}>
          <span className={styles.name} role="status">
            {words.sending(upload.file.name)}
          </span>
          <Button id={id} size="small" autoFocus={hasActed} onClick={clear}>
            {words.cancel}
          </Button>
          <progress
            aria-label={words.sending(upload.file.name)}
            max={100}
            value={percentOf(step.bytes, upload.file.size)}
          />
          <span className={styles.quiet}>
            {percentOf(step.bytes, upload.file.size)}%{' · '}
            {step.bytes >= upload.file.size
              ? words.checking
              : words.sent(formatBytes(step.bytes), formatBytes(upload.file.size), formatBytes(step.rate))}
          </span>
        </div>
      ) : upload && step?.name === 'failed' ? (
        <div className={styles.box} {...dropping}>
          <span className={styles.name}>{words.failed(upload.file.name)}</span>
          <span className={styles.actions}>
            <Button id={id} size="small" autoFocus={hasActed} onClick={upload.retry}>
              {words.retry}
            </Button>
            <Button size="small" onClick={clear}>
              {words.remove}
            </Button>
          </span>
        </div>
      ) : kept ? (
        <div className={styles.box} {...dropping}>
          <span className={styles.name} title={kept.name}>
            {kept.name}
          </span>
          {/* By its own name: the field's label would name it after the file. */}
          <Button id={id} size="small" aria-label={words.remove} autoFocus={hasActed} onClick={clear}>
            {words.remove}
          </Button>
          {kept.sizeBytes !== undefined && (
            <span className={styles.quiet}>{formatBytes(kept.sizeBytes)}</span>
          )}
          <span className="visually-hidden" role="status">
            {words.done(kept.name)}
          </span>
        </div>
      ) : (
        <FileDrop
          id={id}
          hasFocus={hasActed}
          invitation={words.drop}
          action={words.choose}
          hint={[hint, Number.isFinite(limitBytes) ? words.limit(limit) : undefined]
            .filter(Boolean)
            .join('，')}
          accept={accept}
          onChoose={choose}
        />
      )}
      {kept && sentFile && preview?.(sentFile)}
      {(refusal !== undefined || step?.name === 'failed') && (
        <p role="alert" className={styles.wrong}>
          {refusal ?? (step?.name === 'failed' && step.message)}
        </p>
      )}
    </>
  )
}

const percentOf = (bytes: number, ofBytes: number) =>
  ofBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / ofBytes) * 100))
