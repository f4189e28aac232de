import type { InputFor, Schema } from '@voltkeep/contract/endpoint'
import { conflictMessage } from '@voltkeep/contract/refusals'
import { Alert, Button, Form, type FormInstance, Modal } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/media.ts'
import { notify } from '../../lib/notices.ts'
import { problemsOf } from '../../lib/schemaInput.ts'
import { texts } from '../../lib/texts/index.ts'
import { type AnswerFor, type AnyEndpoint, CallError } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ask, type Question } from '../Asking.tsx'
import { sizes } from '../tokens.ts'
import { FormRules } from './Field.tsx'

type Values = Record<string, unknown>

export interface FormDialogProps<E extends AnyEndpoint> {
  title: ReactNode
  endpoint: E
  /** What becomes stale when it succeeds. */
  stale: readonly AnyEndpoint[]
  /** The form's rules; by default the endpoint's own input. */
  schema?: Schema
  initial?: Values
  /** From the form's values to the call's input; by default the values themselves. */
  toInput?: (values: Values) => InputFor<E>
  /** Asked before it is sent. */
  confirm?: (values: Values) => Question
  onClose: () => void
  onDone?: (answer: AnswerFor<E>) => void
  /** Said on success instead of the server's message. */
  said?: string
  /** The sending button's word; 确定 by default. */
  go?: string
  /**
   * Reads what is being edited as it is now. Where somebody else saved first (409), the form keeps what was
   * typed, says so, and offers to load this in its place.
   */
  readPresent?: () => Promise<Values>
  /** Neither Esc nor a button closes it; `instead` may offer another way out. */
  isForced?: boolean
  instead?: ReactNode
  /** Above the fields. */
  intro?: ReactNode
  /** In pixels, where something stands beside the fields. */
  width?: number
  /** Fields: `<Field name label>` around any antd control. */
  children: ReactNode | ((form: FormInstance) => ReactNode)
}

/**
 * A form in a dialog of the one width. Rules come from the contract's schema; what the server
 * refuses goes to its fields, or to the one place for errors. What was typed survives a failed send.
 * Mount it to open it, lazily: `{isOpen && <XDialog onClose=… />}`.
 */
export function FormDialog<E extends AnyEndpoint>({
  title,
  endpoint,
  stale,
  schema = endpoint.input,
  initial = {},
  toInput = (values) => withoutEmpty(values) as InputFor<E>,
  confirm,
  onClose,
  onDone,
  said,
  go = texts.confirm,
  readPresent,
  isForced = false,
  instead,
  intro,
  width = sizes.dialog,
  children,
}: FormDialogProps<E>) {
  const [form] = Form.useForm<Values>()
  const [isOpen, setOpen] = useState(true)
  const [hasTried, setTried] = useState(false)
  const [hasConflict, setConflict] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const isNarrow = useMedia(narrowQuery)
  const submit = useRef<HTMLButtonElement>(null)

  /** Puts problems under their fields; answers whether every one found its field. */
  const showProblems = (problems: readonly { field: string; message: string }[]): boolean => {
    const fields = Object.keys(form.getFieldsValue())
    // A problem inside a list or a group is told at the list or the group.
    const shown = problems.flatMap(({ field, message }) => {
      const name = fields.find((each) => field === each || field.startsWith(`${each}.`))
      return name === undefined ? [] : [{ field: name, message }]
    })
    form.setFields(shown.map(({ field, message }) => ({ name: field, errors: [message] })))
    const first = shown[0]
    if (first) form.focusField(first.field)
    return problems.length > 0 && shown.length === problems.length
  }

  const writing = useWriting(endpoint, stale, {
    said,
    claim: (error: CallError) => {
      const isConflict = readPresent !== undefined && error.message === conflictMessage
      if (isConflict) setConflict(true)
      return isConflict || showProblems(error.problems)
    },
  })

  const loadPresent = async () => {
    if (!readPresent) return
    setLoading(true)
    try {
      const present = await readPresent()
      form.setFieldsValue(present)
      setConflict(false)
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      if (!error.isSessionEnd) notify.error(error.message)
    } finally {
      setLoading(false)
    }
  }

  const send = async () => {
    if (writing.isPending) return
    setTried(true)
    const values = form.getFieldsValue(true) as Values
    const problems = problemsOf(schema, values)
    form.setFields(Object.keys(form.getFieldsValue()).map((name) => ({ name, errors: [] })))
    if (problems.length > 0) {
      showProblems(problems)
      return
    }
    if (confirm && !(await ask(confirm(values)))) return
    writing.mutate(toInput(values), {
      onSuccess: (answer) => {
        onDone?.(answer)
        setOpen(false)
      },
    })
  }

  // A person who closes the tab by mistake with half a form is asked by the browser.
  useEffect(() => {
    const onLeave = (event: BeforeUnloadEvent) => {
      if (form.isFieldsTouched() && isOpen && !isForced) event.preventDefault()
    }
    window.addEventListener('beforeunload', onLeave)
    return () => window.removeEventListener('beforeunload', onLeave)
  }, [form, isOpen, isForced])

  return (
    <Modal
      open={isOpen}
      title={title}
      width={width}
      centered={!isNarrow}
      closable={!isForced}
      keyboard={!isForced && !writing.isPending}
      mask={{ closable: false }}
      onCancel={() => {
        if (!writing.isPending) setOpen(false)
      }}
      afterClose={onClose}
      afterOpenChange={(isShown) => isShown && focusFirst(submit.current?.form)}
      footer={
        <>
          {isForced ? instead : <Button onClick={() => setOpen(false)}>{texts.cancel}</Button>}
          <Button type="primary" loading={writing.isPending} onClick={() => void send()}>
            {go}
          </Button>
        </>
      }
    >
      {intro}
      {hasConflict && (
        <Alert
          type="warning"
          showIcon
          role="alert"
          style={{ marginBottom: 16 }}
          title={texts.conflict.title}
          description={texts.conflict.kept}
          action={
            <Button size="small" loading={isLoading} onClick={() => void loadPresent()}>
              {texts.conflict.load}
            </Button>
          }
        />
      )}
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
          initialValues={initial}
          scrollToFirstError
          onSubmitCapture={(event) => {
            event.preventDefault()
            event.stopPropagation()
            void send()
          }}
        >
          {typeof children === 'function' ? children(form) : children}
          {/* Enter in a field sends, as in any form. */}
          <button ref={submit} type="submit" className="visually-hidden" tabIndex={-1} aria-hidden="true" />
        </Form>
      </FormRules>
    </Modal>
  )
}

/** A dialog begins at its first field that can be changed, unless one of them claims the focus. */
function focusFirst(fields: HTMLFormElement | null | undefined): void {
  if (!fields || fields.contains(document.activeElement)) return
  fields.querySelector<HTMLElement>('input:enabled, textarea:enabled')?.focus()
}
