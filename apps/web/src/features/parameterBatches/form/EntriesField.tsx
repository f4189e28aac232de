import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import type { ParameterEntry } from '@voltkeep/contract/parameters'
import { parameterCatalogue, parameterOf, parameterProblem } from '@voltkeep/contract/parameters'
import { Button, Form } from 'antd'
import { useEffect, useRef } from 'react'
import { MenuButton } from '../../../ui/buttons/MenuButton.tsx'
import { batchTexts } from '../parameterBatches.texts.ts'
import styles from './editors.module.css'
import { firstValueOf, ValueInput } from './ValueInput.tsx'

const words = batchTexts.form

export interface EntriesFieldProps {
  id?: string
  value?: readonly ParameterEntry[] | undefined
  onChange?: (entries: readonly ParameterEntry[]) => void
}

/** The parameters to set, each at most once, each with the editor of its kind. A form control. */
export function EntriesField({ id, value: entries = [], onChange }: EntriesFieldProps) {
  const { status } = Form.Item.useStatus()
  const free = parameterCatalogue.filter((parameter) => !entries.some((entry) => entry.id === parameter.id))
  const give = (next: readonly ParameterEntry[]) => onChange?.(next)
  const whole = useRef<HTMLDivElement>(null)
  // What is typed after a parameter was chosen is its value.
  const added = useRef<string>(undefined)
  useEffect(() => {
    const row = added.current && whole.current?.querySelector(`[data-entry="${CSS.escape(added.current)}"]`)
    if (!row) return
    added.current = undefined
    row.querySelector<HTMLElement>('input, button')?.focus()
  })
  return (
    <div ref={whole} id={id} className={styles.entries}>
      {entries.map((entry) => {
        const parameter = parameterOf(entry.id)
        if (!parameter) return null
        const isWrong = parameterProblem(entry.id, entry.value) !== null
        return (
          <div
            key={entry.id}
            className={styles.entry}
            data-entry={entry.id}
            data-kind={parameter.kind}
            data-wrong={isWrong ? '' : undefined}
          >
            <span className={styles.name}>{parameter.name}</span>
            <span className={styles.value}>
              <ValueInput
                parameter={parameter}
                value={entry.value}
                hasProblem={status === 'error' && isWrong}
                onChange={(value) =>
                  give(entries.map((other) => (other.id === entry.id ? { ...other, value } : other)))
                }
              />
            </span>
            <Button
              type="text"
              icon={<DeleteOutlined />}
              aria-label={words.remove(parameter.name)}
              title={words.remove(parameter.name)}
              onClick={() => give(entries.filter((other) => other.id !== entry.id))}
            />
          </div>
        )
      })}
      {free.length > 0 && (
        <MenuButton
          isFloating
          label={words.add}
          className={`button ${styles.adder}`}
          choices={free.map((parameter) => ({
            key: parameter.id,
            label: parameter.name,
            onSelect: () => {
              added.current = parameter.id
              give([...entries, { id: parameter.id, value: firstValueOf(parameter) }])
            },
          }))}
        >
          <PlusOutlined /> {words.add}
        </MenuButton>
      )}
    </div>
  )
}
