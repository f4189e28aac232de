// The parameters of a batch with their values: those of the catalogue are chosen, keys of charging stations are typed.
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import type { ParameterEntry } from '@voltkeep/contract/parameters'
import {
  isStationKey,
  parameterCatalogue,
  parameterOf,
  parameterProblem,
} from '@voltkeep/contract/parameters'
import { Button, Form, Input } from 'antd'
import { useEffect, useRef, useState } from 'react'
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
        const name = parameter?.name ?? entry.id
        const isWrong = parameterProblem(entry.id, entry.value) !== null
        const change = (value: string) =>
          give(entries.map((other) => (other.id === entry.id ? { ...other, value } : other)))
        return (
          <div
            key={entry.id}
            className={styles.entry}
            data-entry={entry.id}
            data-kind={parameter?.kind ?? 'key'}
            data-wrong={isWrong ? '' : undefined}
          >
            <span className={styles.name} title={name}>
              {name}
            </span>
            <span className={styles.value}>
              {parameter ? (
                <ValueInput
                  parameter={parameter}
                  value={entry.value}
                  hasProblem={status === 'error' && isWrong}
                  onChange={change}
                />
              ) : (
                <Input
                  aria-label={name}
                  status={status === 'error' && isWrong ? 'error' : ''}
                  maxLength={200}
                  autoComplete="off"
                  spellCheck={false}
                  value={entry.value}
                  onChange={({ target }) => change(target.value)}
                />
              )}
            </span>
            <Button
              type="text"
              icon={<DeleteOutlined />}
              aria-label={words.remove(name)}
              title={words.remove(name)}
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
      <KeyAdder
        isTaken={(key) => entries.some((entry) => entry.id === key)}
        onAdd={(key) => {
          added.current = key
          give([...entries, { id: key, value: '' }])
        }}
      />
    </div>
  )
}

/** Adds a key of charging stations' own configuration, which no catalogue has. */
function KeyAdder({ isTaken, onAdd }: { isTaken: (key: string) => boolean; onAdd: (key: string) => void }) {
  const [key, setKey] = useState('')
  const [isRefused, setRefused] = useState(false)
  const add = () => {
    const typed = key.trim()
    if (!isStationKey(typed) || isTaken(typed)) {
      setRefused(true)
      return
    }
    setKey('')
    onAdd(typed)
  }
  return (
    <div>
      <span className={styles.key}>
        <Input
          aria-label={words.key}
          aria-invalid={isRefused}
          status={isRefused ? 'error' : ''}
          placeholder={words.keyPlaceholder}
          maxLength={50}
          autoComplete="off"
          spellCheck={false}
          value={key}
          onChange={({ target }) => {
            setKey(target.value)
            setRefused(false)
          }}
          onPressEnter={(event) => {
            // The key is added, the form is not sent.
            event.preventDefault()
            event.stopPropagation()
            add()
          }}
        />
        <Button disabled={key.trim() === ''} onClick={add}>
          {words.addKey}
        </Button>
      </span>
      {isRefused && (
        <p className={styles.refused} role="alert">
          {words.keyRule}
        </p>
      )}
    </div>
  )
}
