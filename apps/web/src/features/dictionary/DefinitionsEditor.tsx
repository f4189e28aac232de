// The editor of an alarm's bits or values, with a table per family of devices. Each row shows its own problems, in the
// contract's words.
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import type { FieldProblem } from '@voltkeep/contract/endpoint'
import { Button, Form, Input } from 'antd'
import { type ChangeEvent, type Ref, use, useId, useImperativeHandle, useRef, useState } from 'react'
import { problemsOf } from '../../lib/schemaInput.ts'
import { useEnum } from '../../ui/choices/choices.ts'
import { FormRules } from '../../ui/form/Field.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import styles from './dictionary.module.css'
import { dictionaryTexts } from './dictionary.texts.ts'
import { freePosition } from './positions.ts'

const { definitions: words } = dictionaryTexts

/** A row as typed: its position is text until the contract's schema has parsed it. */
interface Draft {
  bitPosition: string | number
  equipClassify: string
  name: string
}

export function DefinitionsEditor({
  value = [],
  onChange,
  ref,
}: {
  /** Set by the form's field. */
  value?: readonly Draft[]
  onChange?: (value: readonly Draft[]) => void
  ref?: Ref<{ focus(): void }>
}) {
  const families = useEnum('EQUIP_CLASSIFY').data ?? []
  const analysisType = Form.useWatch<'BIT' | 'VALUE' | undefined>('analysisType') ?? 'BIT'
  const { errors } = Form.Item.useStatus()
  const problems = useRowProblems(value)
  const [chosen, setChosen] = useState<string>()
  const rows = useRef<HTMLDivElement>(null)
  const titleId = useId()
  // The families of the dictionary, and any others in use.
  const codes = [
    ...new Set([...families, ...value.map((row) => ({ code: row.equipClassify }))].map(({ code }) => code)),
  ]
  /** The indexes of a family's rows in the list. */
  const own = (code: string | undefined) =>
    value.flatMap((row, at) => (row.equipClassify === code ? [at] : []))
  // Before the user chooses, the first family that has rows.
  const family = chosen ?? codes.find((code) => own(code).length > 0) ?? codes[0]

  useImperativeHandle(ref, () => ({
    focus() {
      const first = Math.min(...problems.keys())
      const wrong = value[first]
      if (!wrong) return
      setChosen(wrong.equipClassify)
      setTimeout(() => rows.current?.querySelector<HTMLElement>(`[data-row="${first}"] input`)?.focus())
    },
  }))

  const change = (at: number, changed: Partial<Draft>) =>
    onChange?.(value.map((row, index) => (index === at ? { ...row, ...changed } : row)))
  const add = (equipClassify: string) => {
    const taken = own(equipClassify).map((at) => Number(value[at]?.bitPosition))
    const bitPosition = freePosition(analysisType, taken)
    onChange?.([...value, { bitPosition, equipClassify, name: '' }])
    setTimeout(() =>
      rows.current?.querySelector<HTMLElement>('[data-row]:last-of-type input[data-name]')?.focus(),
    )
  }

  return (
    <section className={styles.editor} aria-labelledby={titleId}>
      <h3 id={titleId} className={styles.editorTitle}>
        {words.titles[analysisType]}
      </h3>
      <p className={styles.quiet}>{words.hint}</p>
      <div className={styles.families}>
        <Tabs
          label={words.titles[analysisType]}
          tabs={codes.map((code) => {
            const rowsAt = own(code)
            const family = families.find((one) => one.code === code)?.name ?? code
            const name = words.ofClassify(family, rowsAt.length)
            return {
              key: code,
              title: rowsAt.some((at) => problems.has(at)) ? words.withProblems(name) : name,
            }
          })}
          active={family ?? ''}
          onChange={setChosen}
        />
      </div>
      <div ref={rows} className={styles.editorRows}>
        {/* Without this, the status of the list's field would colour the inputs of all rows. */}
        <Form.Item noStyle validateStatus="">
          {own(family).map((at, ordinal) => (
            <DefinitionRow
              key={at}
              at={at}
              row={value[at] as Draft}
              number={ordinal + 1}
              position={words.positions[analysisType]}
              problems={problems.get(at) ?? []}
              onChange={(changed) => change(at, changed)}
              onRemove={() => onChange?.(value.filter((_, index) => index !== at))}
            />
          ))}
        </Form.Item>
        {own(family).length === 0 && <p className={styles.quiet}>{words.none}</p>}
      </div>
      {/* Rows show their own problems; this is an error of the server, or of the list as a whole. */}
      {problems.size === 0 &&
        errors.map((error, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: errors have no identity of their own
          <p key={at} role="alert" className={styles.problem}>
            {error}
          </p>
        ))}
      {family !== undefined && (
        <Button type="dashed" block icon={<PlusOutlined />} onClick={() => add(family)}>
          {words.addOne}
        </Button>
      )}
    </section>
  )
}

function DefinitionRow({
  at,
  row,
  number,
  position,
  problems,
  onChange,
  onRemove,
}: {
  /** The row's index in the whole list. */
  at: number
  row: Draft
  /** The row's number within its family, from 1. */
  number: number
  /** 位 or 值. */
  position: string
  problems: readonly FieldProblem[]
  onChange: (changed: Partial<Draft>) => void
  onRemove: () => void
}) {
  const input = (field: 'bitPosition' | 'name', label: string) => {
    const isWrong = problems.some((problem) => problem.field === field)
    return {
      'aria-label': words.positionOf(label, number),
      'aria-invalid': isWrong,
      status: isWrong ? ('error' as const) : ('' as const),
      autoComplete: 'off',
      value: row[field],
      onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ [field]: event.target.value }),
    }
  }
  const removal = words.removeOne(`${position} ${row.bitPosition}`)
  return (
    <div data-row={at} className={styles.editorRow}>
      <Input {...input('bitPosition', position)} className={styles.position ?? ''} inputMode="numeric" />
      <Input {...input('name', words.name)} data-name placeholder={words.name} maxLength={100} />
      <Button type="text" icon={<DeleteOutlined />} aria-label={removal} title={removal} onClick={onRemove} />
      {problems.map(({ field, message }) => (
        <p key={field} role="alert" className={styles.problem}>
          {message}
        </p>
      ))}
    </div>
  )
}

/** Problems by row index. Empty fields are reported only after the first attempt to send. */
function useRowProblems(rows: readonly Draft[]): ReadonlyMap<number, FieldProblem[]> {
  const rules = use(FormRules)
  const form = Form.useFormInstance()
  const found = new Map<number, FieldProblem[]>()
  if (!rules) return found
  for (const { field: path, message } of problemsOf(rules.schema, {
    ...form.getFieldsValue(true),
    definitions: rows,
  })) {
    const [list, index, field] = path.split('.')
    if (list !== 'definitions' || index === undefined || field === undefined) continue
    const at = Number(index)
    const isEmpty = rows[at]?.[field as keyof Draft] === ''
    if (isEmpty && !rules.hasTried) continue
    found.set(at, [...(found.get(at) ?? []), { field, message }])
  }
  return found
}
