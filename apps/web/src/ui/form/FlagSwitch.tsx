import { Switch } from 'antd'

/** A switch whose value is 0 or 1, as the call has it: an `aria-checked` of 1 is none. */
export function FlagSwitch({
  value,
  onChange,
  ...control
}: {
  /** Set by the form's field. */
  id?: string
  value?: 0 | 1
  onChange?: (value: 0 | 1) => void
}) {
  return <Switch {...control} checked={value === 1} onChange={(isOn) => onChange?.(isOn ? 1 : 0)} />
}
