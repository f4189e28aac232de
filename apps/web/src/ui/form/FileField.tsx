// A form's control for one file, which is uploaded as soon as it is chosen: the form's value is what the server
// answered. Use it inside a form's Field:
//
//     <Field name="annex" label="素材">
//       <FileField endpoint={uploadAnnex} describe={({ fileMame, sizeBytes }) => ({ name: fileMame, sizeBytes })} />
//     </Field>
import type { InputFor } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { type AnswerFor, type AnyEndpoint, CallError, call } from '../../lib/wire/call.ts'
import { createRate } from '../../lib/wire/sending.ts'
import { FileDrop } from './FileDrop.tsx'
import styles from './FileField.module.css'

const words = texts.file

export interface FileFieldProps<E extends AnyEndpoint> {
  /** Takes the file in its field `file`; its `fileLimitBytes` is the limit that is shown. */
  endpoint: E
  /** The other fields of that call. */
  input?: Omit<InputFor<E>, 'file'>
  /** How an answer is shown: by the file's name and size. */
  describe: (answer: AnswerFor<E>) => { name: string; sizeBytes?: number }
  /** As an input's `accept`: what the dialog offers. The server decides by the content. */
  accept?: string
  /** What may be chosen, in words; the limit follows by itself. */
  hint?: string
  /** Shows the file itself below its name, once the server has it. */
  preview?: (file: File) => ReactNode
  /** Set by the form. */
  id?: string
  value?: AnswerFor<E> | undefined
  onChange?: (answer: AnswerFor<E> | undefined) => void
  /** A form that must not be sent meanwhile asks for it. */
  onSending?: (isSending: boolean) => void
}

type Step =
  | { name: 'none' }
  | { name: 'sending'; file: File; bytes: number; rate: number }
  | { name: 'failed'; file: File; message: string }

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
  onSending,
}: FileFieldProps<E>) {
  const [step, setStep] = useState<Step>({ name: 'none' })
  /** What was wrong with what was chosen, before anything was sent. */
  const [refusal, setRefusal] = useState<string>()
  /** The focus follows to the next button only where the user has been here. */
  const [hasActed, setActed] = useState(false)
  const [sentFile, setSentFile] = useState<File>()
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])

  const limitBytes = endpoint.fileLimitBytes ?? Infinity
  const limit = formatBytes(limitBytes)

  const send = async (file: File) => {
    const own = new AbortController()
    sending.current = own
    const rateAt = createRate()
    setStep({ name: 'sending', file, bytes: 0, rate: 0 })
    onSending?.(true)
    try {
      const answer = await call(endpoint, { ...input, file } as InputFor<E>, {
        signal: own.signal,
        // The form around the file is a little longer than the file.
        onSent: ({ bytes, ofBytes }) => {
          const share = ofBytes > 0 ? Math.min(1, bytes / ofBytes) : 0
          setStep({ name: 'sending', file, bytes: share * file.size, rate: rateAt(bytes) })
        },
      })
      setStep({ name: 'none' })
      setSentFile(file)
      onChange?.(answer)
    } catch (error) {
      if (own.signal.aborted) return
      if (!(error instanceof CallError)) throw error
      setStep(error.isSessionEnd ? { name: 'none' } : { name: 'failed', file, message: error.message })
    } finally {
      if (sending.current === own) onSending?.(false)
    }
  }

  const choose = (files: readonly File[]) => {
    setActed(true)
    const [file] = files
    if (!file) return
    const problem =
      files.length > 1 || value !== undefined || step.name !== 'none'
        ? words.onlyOne
        : file.size > limitBytes
          ? words.tooLarge(limit)
          : undefined
    setRefusal(problem)
    if (problem === undefined) void send(file)
  }

  const clear = () => {
    sending.current?.abort()
    setStep({ name: 'none' })
    setRefusal(undefined)
    if (value !== undefined) onChange?.(undefined)
  }

  /** A second file that is dropped on the first is told, and not opened by the browser in place of the page. */
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
      {step.name === 'sending' ? (
        <div className={styles.box} {...dropping}>
          <span className={styles.name} role="status">
            {words.sending(step.file.name)}
          </span>
          <Button id={id} size="small" autoFocus={hasActed} onClick={clear}>
            {words.cancel}
          </Button>
          <progress
            aria-label={words.sending(step.file.name)}
            max={100}
            value={percentOf(step.bytes, step.file.size)}
          />
          <span className={styles.quiet}>
            {percentOf(step.bytes, step.file.size)}%{' · '}
            {step.bytes >= step.file.size
              ? words.checking
              : words.sent(formatBytes(step.bytes), formatBytes(step.file.size), formatBytes(step.rate))}
          </span>
        </div>
      ) : step.name === 'failed' ? (
        <div className={styles.box} {...dropping}>
          <span className={styles.name}>{words.failed(step.file.name)}</span>
          <span className={styles.actions}>
            <Button id={id} size="small" autoFocus={hasActed} onClick={() => void send(step.file)}>
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
      {(refusal !== undefined || step.name === 'failed') && (
        <p role="alert" className={styles.wrong}>
          {refusal ?? (step.name === 'failed' && step.message)}
        </p>
      )}
    </>
  )
}

const percentOf = (bytes: number, ofBytes: number) =>
  ofBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / ofBytes) * 100))
