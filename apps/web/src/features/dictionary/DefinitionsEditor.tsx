import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form, Input } from 'antd'
import { type Ref, use, useId, useImperativeHandle, useRef, useState } from 'react'
import { problemsOf } from '../../lib/schemaInput.ts'
import { texts } from '../../lib/texts/index.ts'
import { useEnum } from '../../ui/choices/choices.ts'
import { FormRules } from '../../ui/form/Field.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import styles from './dictionary.module.css'
import { freePosition } from './positions.ts'

const { definitions: words } = texts.dictionary

/** A row as it is typed: its position is text until the contract's schema has read it. */
interface Draft {
  bitPosition: string | number
  equipClassify: string
  name: string
}

/**
 * What an alarm's bits or values mean, edited in place: a table for each family of devices. Every row says
 * what is wrong with it, in the contract's words.
 */
export function DefinitionsEditor({
  value = [],
  onChange,
  ref,
}: {
  /** These come from the field. */
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
  const codes = [
    ...families.map(({ code }) => code),
    ...value
      .map(({ equipClassify }) => equipClassify)
      .filter((code) => families.every((one) => one.code !== code)),
  ]
  // Where there is something to see, before somebody has chosen.
  const family = chosen ?? codes.find((code) => value.some((row) => row.equipClassify === code)) ?? codes[0]

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
    const taken = value.filter((row) => row.equipClassify === equipClassify)
    const bitPosition = freePosition(
      analysisType,
      taken.map((row) => Number(row.bitPosition)),
    )
    onChange?.([...value, { bitPosition, equipClassify, name: '' }])
    setTimeout(() =>
      rows.current?.querySelector<HTMLElement>('[data-row]:last-of-type input[data-name]')?.focus(),
    )
  }

  const position = words.positions[analysisType]
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
            const own = value.flatMap((row, index) => (row.equipClassify === code ? [index] : []))
            const name = words.ofClassify(families.find((one) => one.code === code)?.name ?? code, own.length)
            return {
              key: code,
              title: own.some((index) => problems.has(index)) ? words.withProblems(name) : name,
            }
          })}
          active={family ?? ''}
          onChange={setChosen}
        />
      </div>
      <div ref={rows} className={styles.editorRows}>
        {value.map((row, at) => {
          if (row.equipClassify !== family) return null
          const found = problems.get(at) ?? []
          const isWrong = (field: keyof Draft) => found.some((problem) => problem.field === field)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while it is typed
            <div key={at} data-row={at} className={styles.editorRow}>
              <Input
                className={styles.position ?? ''}
                aria-label={words.positionOf(position, at + 1)}
                aria-invalid={isWrong('bitPosition')}
                status={isWrong('bitPosition') ? 'error' : ''}
                inputMode="numeric"
                autoComplete="off"
                value={row.bitPosition}
                onChange={(event) => change(at, { bitPosition: event.target.value })}
              />
              <Input
                data-name
                aria-label={words.positionOf(words.name, at + 1)}
                aria-invalid={isWrong('name')}
                status={isWrong('name') ? 'error' : ''}
                placeholder={words.name}
                autoComplete="off"
                maxLength={100}
                value={row.name}
                onChange={(event) => change(at, { name: event.target.value })}
              />
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={words.removeOne(`${position} ${row.bitPosition}`)}
                title={words.removeOne(`${position} ${row.bitPosition}`)}
                onClick={() => onChange?.(value.filter((_, index) => index !== at))}
              />
              {found.map(({ field, message }) => (
                <p key={field} role="alert" className={styles.problem}>
                  {message}
                </p>
              ))}
            </div>
          )
        })}
        {value.every((row) => row.equipClassify !== family) && <p className={styles.quiet}>{words.none}</p>}
      </div>
      {/* Of the rows each says its own; this is what the server refused, or the list as a whole. */}
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

interface RowProblem {
  field: string
  message: string
}

/** Row index -> what is wrong there. What is still empty is not blamed before the form was sent once. */
function useRowProblems(rows: readonly Draft[]): ReadonlyMap<number, RowProblem[]> {
  const rules = use(FormRules)
  const form = Form.useFormInstance()
  const found = new Map<number, RowProblem[]>()
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
