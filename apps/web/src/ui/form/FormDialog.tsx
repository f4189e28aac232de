// A form in a dialog of the one width. Its types follow from the call's schema: field names, values, and the sent
// input.
import type { FieldProblem, InputFor, Schema } from '@voltkeep/contract/endpoint'
import { Button, Form, Modal } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { parsedBy } from '../../lib/schemaInput.ts'
import { texts } from '../../lib/texts/index.ts'
import type { AnswerFor, AnyEndpoint, CallError } from '../../lib/wire/call.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { askToConfirm, type Confirmation } from '../buttons/Confirmation.tsx'
import { sizes } from '../theme/tokens.ts'
import { ConflictAlert } from './ConflictAlert.tsx'
import { Field, FormRules, pathOf } from './Field.tsx'
import styles from './FormDialog.module.css'
import { FormUpload } from './FormUpload.ts'
import { focusField } from './focusField.ts'
import type { FormValues, GivenValues, Sent, TypedForm } from './form.types.ts'
import { useDialogFrame } from './useDialogFrame.ts'
import { useFirstFocus } from './useFirstFocus.ts'
import { useSendingLock } from './useSendingLock.ts'

interface BaseProps<E extends AnyEndpoint, S extends Schema> {
  title: ReactNode
  /** The call; for a dialog that adds and changes, one or the other: `role ? updateRole : insertRole`. */
  endpoint: E
  /** The calls whose answers become stale when it succeeds. */
  stale: readonly AnyEndpoint[]
  /** The form's rules; the endpoint's own input by default. */
  schema?: S
  /** Values to start with. Those without a field, such as id and version, are sent as they are. */
  initial?: GivenValues<S>
  /** A confirmation before sending; undefined sends without one. */
  confirm?: (values: Sent<S>) => Confirmation | undefined
  onClose: () => void
  /** Called with the answer and the sent values. */
  onDone?: (answer: AnswerFor<E>, values: Sent<S>) => void
  /** Whether the form can be sent yet, e.g. once its file is uploaded; always by default. */
  canSend?: (values: FormValues<S>) => boolean
  /** The message on success instead of the server's. */
  said?: string
  /** What follows tells of the success, in this dialog's place. */
  isAnswerShown?: boolean
  /** The sending button's label; 确定 by default. */
  submitLabel?: string
  /**
   * Reads the present state of the edited row. If somebody else saved first (refusal `conflict`), the form keeps the
   * typed values, says so, and offers to load this in their place.
   */
  readPresent?: () => Promise<GivenValues<S>>
  /** Where the call's fields are not the form's: a problem as the form shows it. */
  asShown?: (problem: FieldProblem) => FieldProblem
  /** Neither Esc nor a button closes it; `otherAction` may offer another way out. */
  isForced?: boolean
  otherAction?: ReactNode
  /** Shown above the fields. */
  intro?: ReactNode
  /** In pixels, where there is something beside the fields. */
  width?: number
  /** `{({ Field }) => <Field name="code" label="编码"><Input /></Field>}`, around any antd control. */
  children: (form: TypedForm<S>) => ReactNode
}

/** From the parsed values to the call's input: needed only where they are not that input already. */
type Conversion<E extends AnyEndpoint, S extends Schema> =
  Sent<S> extends InputFor<E>
    ? { toInput?: (values: Sent<S>) => InputFor<E> }
    : { toInput: (values: Sent<S>) => InputFor<E> }

export type FormDialogProps<E extends AnyEndpoint, S extends Schema = E['input']> = BaseProps<E, S> &
  Conversion<E, S>

/**
 * Problems that the schema or the server finds appear under their fields, other errors in the one place for errors. The
 * typed values survive a failed send. Mount it to open it, lazily: `{isOpen && <XDialog onClose=… />}`.
 */
export function FormDialog<E extends AnyEndpoint, S extends Schema = E['input']>({
  title,
  endpoint,
  stale,
  schema = endpoint.input as S,
  initial = {},
  toInput = (values: Sent<S>) => values as InputFor<E>,
  confirm,
  onClose,
  onDone,
  canSend = () => true,
  said,
  isAnswerShown = false,
  submitLabel = texts.confirm,
  readPresent,
  asShown = (problem) => problem,
  isForced = false,
  otherAction,
  intro,
  width = sizes.dialog,
  children,
}: FormDialogProps<E, S>) {
  const { form, showProblems, ...typedForm } = useTypedForm<S>()
  const [isOpen, setOpen] = useState(true)
  const [hasTried, setTried] = useState(false)
  const [hasConflict, setConflict] = useState(false)
  const [isUploading, setUploading] = useState(false)
  const isNarrow = useMedia(narrowQuery)
  const frame = useDialogFrame(width)
  const { body, attach, dialog } = useFirstFocus(onClose)
  const lock = useSendingLock(body)
  const isLeaving = useRef(false)
  /**
   * From the press to the answer, and for good once the answer is a success: a second press is handled before the first
   * is drawn, or meets a dialog that is closing.
   */
  const isSending = useRef(false)
  const isSendable = canSend((Form.useWatch([], form) ?? initial) as FormValues<S>) && !isUploading
  const isUnsaved = () => form.isFieldsTouched() && isOpen && !isForced
  useLeaveWarning(isUnsaved)

  const writing = useWriting(endpoint, stale, {
    said: isAnswerShown ? false : said,
    claim: (error: CallError) => {
      // First, as a locked field cannot take the focus.
      lock.end()
      const isConflict = readPresent !== undefined && error.refusal === 'conflict'
      if (isConflict) setConflict(true)
      return isConflict || showProblems(error.problems.map(asShown))
    },
  })

  const loadPresent = async () => {
    if (!readPresent) return
    form.setFieldsValue(withoutNull(await readPresent()) as object)
    setConflict(false)
  }

  const send = async () => {
    if (isSending.current || !isSendable) return
    isSending.current = true
    let isBegun = false
    try {
      isBegun = await begin()
    } finally {
      isSending.current = isBegun
    }
  }

  /** Whether a request is on its way: not where something is wrong, or the question was answered no. */
  const begin = async () => {
    setTried(true)
    const { values, problems } = parsedBy(schema, form.getFieldsValue(true) as object)
    form.setFields(form.getFieldsError().map(({ name }) => ({ name, errors: [] })))
    if (problems) {
      showProblems(problems)
      return false
    }
    const confirmation = confirm?.(values as Sent<S>)
    if (confirmation && !(await askToConfirm(confirmation))) return false
    const input = toInput(values as Sent<S>)
    lock.begin()
    writing.mutate(input, {
      onSuccess: (answer) => {
        onDone?.(answer, values as Sent<S>)
        setOpen(false)
      },
      onError: () => {
        lock.end()
        isSending.current = false
      },
    })
    return true
  }

  /** Esc and the cross may be pressed by mistake: typed values are discarded only after a confirmation. */
  const leave = async () => {
    if (writing.isPending || isLeaving.current) return
    isLeaving.current = true
    try {
      // The same Esc would close the confirmation as well.
      await new Promise((resolve) => setTimeout(resolve))
      if (!isUnsaved() || (await askToConfirm({ ...texts.unsaved, isDanger: true }))) setOpen(false)
    } finally {
      isLeaving.current = false
    }
  }

  return (
    <Modal
      open={isOpen}
      title={title}
      {...frame}
      {...dialog}
      // Otherwise nobody would see what became of the request.
      closable={isForced ? false : { disabled: writing.isPending }}
      keyboard={!isForced && !writing.isPending}
      mask={{ closable: false }}
      onCancel={() => void leave()}
      footer={
        <>
          {isForced ? (
            otherAction
          ) : isUploading ? (
            <Button onClick={() => void leave()}>{texts.toBackground}</Button>
          ) : (
            <Button disabled={writing.isPending} onClick={() => setOpen(false)}>
              {texts.cancel}
            </Button>
          )}
          <Button
            type="primary"
            loading={writing.isPending}
            disabled={!isSendable}
            onClick={() => void send()}
          >
            {submitLabel}
          </Button>
        </>
      }
    >
      <div className={styles.intro}>{intro}</div>
      <div ref={attach} className={styles.body} inert={lock.isLocked}>
        {hasConflict && <ConflictAlert onLoad={loadPresent} />}
        <FormRules value={{ schema, hasTried }}>
          <Form
            form={form}
            layout={isNarrow ? 'vertical' : 'horizontal'}
            labelCol={isNarrow ? {} : { flex: '108px' }}
            wrapperCol={isNarrow ? {} : { flex: '1 1 0', style: { minWidth: 0 } }}
            labelWrap
            colon={false}
            requiredMark={(label, { required }) => (
              <span className={required ? 'required' : undefined}>{label}</span>
            )}
            initialValues={withoutNull(initial)}
            scrollToFirstError
            onSubmitCapture={(event) => {
              event.preventDefault()
              event.stopPropagation()
              void send()
            }}
          >
            <FormUpload value={setUploading}>{children(typedForm)}</FormUpload>
            {/* Enter in a field sends, as in any form. */}
            <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden="true" />
          </Form>
        </FormRules>
      </div>
    </Modal>
  )
}

/** antd's form behind the names and types of the schema `S`. */
function useTypedForm<S extends Schema>() {
  const [form] = Form.useForm()
  const typedForm: TypedForm<S> = {
    Field: Field as TypedForm<S>['Field'],
    values: () => form.getFieldsValue(true),
    setValues: (values) => form.setFieldsValue(values),
    instance: form,
  }

  /** Puts problems under their fields and focuses the first; returns whether every one found its field. */
  const showProblems = (problems: readonly FieldProblem[]): boolean => {
    const fields = form.getFieldsError().map(({ name }) => name.join('.'))
    // A problem inside a list or a group is shown at the list or the group.
    const shown = problems.flatMap(({ field, message }) => {
      const name = fields.find((each) => field === each || field.startsWith(`${each}.`))
      return name === undefined ? [] : [{ field: name, message }]
    })
    // Each of several wrong entries of a list is shown.
    const messagesOf = (name: string) =>
      shown.filter(({ field }) => field === name).map(({ message }) => message)
    const wrong = new Set(shown.map(({ field }) => field))
    form.setFields([...wrong].map((field) => ({ name: pathOf(field), errors: messagesOf(field) })))
    // The first in reading order, which is the order of the fields and not the schema's.
    const first = fields.find((field) => wrong.has(field))
    if (first !== undefined) focusField(form, pathOf(first))
    return problems.length > 0 && shown.length === problems.length
  }

  return { form, showProblems, ...typedForm }
}

/** Controls take undefined for no value. The keys stay: loading such a row clears the field. */
function withoutNull<S>(values: GivenValues<S>): FormValues<S> {
  const entries = Object.entries(values).map(([name, value]) => [name, value ?? undefined])
  return Object.fromEntries(entries) as FormValues<S>
}

/** The browser asks before a page with unsaved input is closed. */
function useLeaveWarning(isUnsaved: () => boolean): void {
  useEffect(() => {
    const onLeave = (event: BeforeUnloadEvent) => {
      if (isUnsaved()) event.preventDefault()
    }
    window.addEventListener('beforeunload', onLeave)
    return () => window.removeEventListener('beforeunload', onLeave)
  })
}
