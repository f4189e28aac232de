// The form that starts an extraction. The file type follows from the level.
import { useQuery } from '@tanstack/react-query'
import type { FieldProblem } from '@voltkeep/contract/endpoint'
import { listLogExtractions, listLogLevels, startLogExtraction } from '@voltkeep/contract/logExtraction'
import { Button, Form, Input, Select } from 'antd'
import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { serverNow } from '../../lib/clock.ts'
import { formatBytes } from '../../lib/format.ts'
import { parsedBy } from '../../lib/schemaInput.ts'
import { readingRarely } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { useEnum } from '../../ui/choices/choices.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field, FormRules } from '../../ui/form/Field.tsx'
import { focusField } from '../../ui/form/focusField.ts'
import { DeviceInput, useDevices } from './DeviceInput.tsx'
import { LogRangeInput } from './LogRangeInput.tsx'
import { LogRange, lastDaysOf } from './logRange.ts'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

const { fields } = logTexts
const { equipCode, equipClassify, logExtractParam } = startLogExtraction.input.shape
const { level, fileType } = logExtractParam.shape
const ExtractionInput = z.object({ equipCode, equipClassify, level, fileType, range: LogRange })
type Values = Partial<z.output<typeof ExtractionInput>>

/** Levels belong to one device class: a change of the class clears them. */
const withoutLevel = { level: undefined, fileType: undefined }

export function ExtractionForm({
  code,
  onStarted,
}: {
  /** The preset device. */
  code: string | undefined
  onStarted: (id: string) => void
}) {
  const [form] = Form.useForm()
  const [hasTried, setTried] = useState(false)
  /** A ref, because a second press may be handled before the state is rendered. */
  const isSending = useRef(false)
  const [initial] = useState<Values>(() => ({ equipCode: code, range: lastDaysOf(1, serverNow()) }))
  const typed = (Form.useWatch('equipCode', form) as string | undefined) ?? code ?? ''
  const classify = Form.useWatch('equipClassify', form) as string | undefined
  const devices = useDevices(typed)
  const { device } = devices
  const classifies = useEnum('EQUIP_CLASSIFY')
  const levels = useQuery({
    ...readingRarely(listLogLevels, { equipClassify: classify }),
    enabled: classify !== undefined,
  })
  const offered = classify === undefined ? [] : (levels.data ?? [])
  const limitBytes = offered[0]?.limitBytes

  const deviceClassify = device?.equipClassify
  useEffect(() => {
    if (deviceClassify === undefined || deviceClassify === form.getFieldValue('equipClassify')) return
    form.setFieldsValue({ equipClassify: deviceClassify, ...withoutLevel })
  }, [deviceClassify, form])
  useEffect(() => {
    if (code !== undefined) form.setFieldsValue({ equipCode: code })
  }, [code, form])

  const showProblems = (problems: readonly FieldProblem[]): boolean => {
    const names = problems.map(({ field, message }) => ({ name: fieldOf(field), message }))
    form.setFields(names.map(({ name, message }) => ({ name, errors: [message] })))
    if (names[0]) focusField(form, [names[0].name])
    return names.length > 0
  }
  const starting = useWriting(startLogExtraction, [listLogExtractions], {
    claim: (error) =>
      error.refusal === 'logDeviceOffline' || error.refusal === 'deviceNotFound'
        ? showProblems([{ field: 'equipCode', message: error.message }])
        : showProblems(error.problems),
  })

  const send = () => {
    if (isSending.current) return
    setTried(true)
    const { values, problems } = parsedBy(ExtractionInput, form.getFieldsValue(true) as object)
    form.setFields(Object.keys(ExtractionInput.shape).map((name) => ({ name, errors: [] })))
    if (problems) {
      showProblems(problems)
      return
    }
    isSending.current = true
    const { equipCode: chosen, equipClassify: family, level: kind, fileType: type, range } = values
    starting.mutate(
      {
        equipCode: chosen,
        equipClassify: family,
        logExtractParam: { level: kind, fileType: type, ...range },
      },
      {
        onSuccess: ({ id }) => onStarted(id),
        onSettled: () => {
          isSending.current = false
        },
      },
    )
  }

  return (
    <FormRules value={{ schema: ExtractionInput, hasTried }}>
      <Form
        form={form}
        layout="vertical"
        // Fields show their own messages, not the browser's.
        noValidate
        aria-label={logTexts.form}
        initialValues={initial}
        requiredMark={(label, { required }) => (
          <span className={required ? 'required' : undefined}>{label}</span>
        )}
        onFinish={send}
        onFinishFailed={send}
        onValuesChange={(changed: Values) => {
          if ('equipClassify' in changed) form.setFieldsValue(withoutLevel)
          if ('level' in changed) {
            form.setFieldsValue({ fileType: offered.find((each) => each.code === changed.level)?.fileType })
          }
        }}
      >
        <Field
          name="equipCode"
          label={fields.equipCode}
          hint={
            device?.isOnline === 0 && (
              <span className={styles.offline} role="status">
                {logTexts.offline}
              </span>
            )
          }
        >
          <DeviceInput devices={devices} />
        </Field>
        <Field name="equipClassify" label={fields.equipClassify}>
          <Select
            placeholder={logTexts.choose}
            loading={classifies.isPending}
            notFoundContent={unread(classifies)}
            options={(classifies.data ?? []).map((each) => ({ value: each.code, label: each.name }))}
          />
        </Field>
        <Field name="level" label={fields.level}>
          <Select
            placeholder={classify === undefined ? logTexts.classifyFirst : logTexts.choose}
            disabled={classify === undefined}
            loading={levels.isFetching}
            notFoundContent={levels.data ? logTexts.noLevels : unread(levels)}
            options={offered.map((each) => ({ value: each.code, label: each.name }))}
          />
        </Field>
        <Field name="fileType" label={fields.fileType}>
          <Input readOnly placeholder={logTexts.fileTypeFollows} />
        </Field>
        <Field
          name="range"
          label={fields.range}
          hint={limitBytes !== undefined && logTexts.limit(formatBytes(limitBytes))}
        >
          <LogRangeInput />
        </Field>
        <Button type="primary" htmlType="submit" block loading={starting.isPending}>
          {logTexts.start}
        </Button>
      </Form>
    </FormRules>
  )
}

/** Maps a field name of the server to the form's field. */
function fieldOf(field: string): keyof Values {
  const name = field.replace('logExtractParam.', '').split('.')[0] ?? ''
  if (name in ExtractionInput.shape) return name as keyof Values
  return 'range'
}
