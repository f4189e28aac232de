// The editor of a parameter's value, by the parameter's kind: a switch, a number with its unit, lamps, or an address
// with a port.
import { contactNames, type Parameter } from '@voltkeep/contract/parameters'
import { Input, InputNumber, Switch } from 'antd'
import { batchTexts } from '../parameterBatches.texts.ts'
import styles from './editors.module.css'
import { LampsInput } from './LampsInput.tsx'

const words = batchTexts.form

export interface ValueInputProps {
  parameter: Parameter
  value: string
  onChange: (value: string) => void
  hasProblem: boolean
}

export function ValueInput({ parameter, value, onChange, hasProblem }: ValueInputProps) {
  const { name, kind } = parameter
  const status = hasProblem ? 'error' : ''
  switch (kind) {
    case 'contact':
      return <ContactInput label={name} value={value} onChange={onChange} />
    case 'lamps':
      return <LampsInput label={name} value={value} onChange={onChange} />
    case 'address':
      return <AddressInput label={name} value={value} onChange={onChange} status={status} />
    case 'number':
      return (
        <InputNumber
          aria-label={name}
          className={styles.number ?? ''}
          status={status}
          // Values are strings, so that invalid input stays visible with its message.
          stringMode
          placeholder={`${parameter.min}–${parameter.max}`}
          suffix={parameter.unit}
          value={value}
          onChange={(next) => onChange(next ?? '')}
        />
      )
  }
}

/** The initial value of a newly added parameter. */
export function firstValueOf({ kind }: Parameter): string {
  if (kind === 'contact') return '0'
  return kind === 'lamps' ? '0000000' : ''
}

function ContactInput({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const isClosed = value === '1'
  return (
    <span className={styles.contact}>
      <span data-chosen={!isClosed || undefined}>{contactNames[0]}</span>
      <Switch
        aria-label={`${label} ${contactNames[isClosed ? 1 : 0]}`}
        className={styles.switch ?? ''}
        checked={isClosed}
        onChange={(next) => onChange(next ? '1' : '0')}
      />
      <span data-chosen={isClosed || undefined}>{contactNames[1]}</span>
    </span>
  )
}

function AddressInput({
  label,
  value,
  onChange,
  status,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  status: '' | 'error'
}) {
  const at = value.lastIndexOf(':')
  const host = at < 0 ? value : value.slice(0, at)
  const port = at < 0 ? '' : value.slice(at + 1)
  const give = (nextHost: string, nextPort: string) =>
    onChange(nextHost === '' && nextPort === '' ? '' : `${nextHost}:${nextPort}`)
  return (
    <span className={styles.address}>
      <Input
        aria-label={`${label} ${words.host}`}
        className={styles.host ?? ''}
        status={status}
        placeholder="10.20.0.8"
        spellCheck={false}
        autoComplete="off"
        value={host}
        // Pasting a whole address fills both fields.
        onChange={({ target }) => {
          const [first = '', second] = target.value.trim().split(':')
          give(first, second ?? port)
        }}
      />
      <span aria-hidden="true">:</span>
      <Input
        aria-label={`${label} ${words.port}`}
        className={styles.port ?? ''}
        status={status}
        placeholder="1883"
        inputMode="numeric"
        autoComplete="off"
        maxLength={5}
        value={port}
        onChange={({ target }) => give(host, target.value.replace(/\D/g, ''))}
      />
    </span>
  )
}
