import { Select, type SelectProps } from 'antd'
import { type ReactNode, useId } from 'react'
import { clearable } from './clearable.ts'
import { Typed } from './Typed.tsx'
import { useTyped } from './useTyped.ts'

type Options = NonNullable<SelectProps['options']>

export interface SearchSelectProps<Value> extends Omit<SelectProps<Value>, 'showSearch'> {
  'aria-describedby'?: string | undefined
  /** Called with the typed text. */
  onSearch?: (text: string) => void
  /** Of the frame around the control. */
  className?: string
}

/**
 * A Select whose choices a typed text narrows: by an option's `text`, or its label. Enter chooses the first of them.
 */
export function SearchSelect<Value = string>({
  options = [],
  value,
  mode,
  loading = false,
  status,
  onChange,
  onSearch,
  className,
  allowClear = false,
  'aria-describedby': describedBy,
  ...rest
}: SearchSelectProps<Value>) {
  const noteId = useId()
  const give = (next: unknown, of?: Options[number] | Options) => {
    typed.onChosen()
    onChange?.(next as Value, of)
  }
  const typed = useTyped({
    isReading: Boolean(loading),
    chooseFirst(text) {
      const hit = firstOf(options, text)
      if (!hit) return false
      if (mode === undefined) give(hit.value, hit)
      else give([...new Set([...((value as unknown[] | undefined) ?? []), hit.value])])
      return true
    },
  })
  return (
    <Typed
      of={typed}
      noteId={noteId}
      className={className}
      // antd takes Tab for one more press on the marked choice, which would drop what was just chosen.
      onKeyDownCapture={(event) => mode && event.key === 'Tab' && event.stopPropagation()}
    >
      <Select<Value>
        {...rest}
        {...(mode && { mode })}
        allowClear={allowClear && clearable}
        aria-describedby={typed.note ? noteId : describedBy}
        status={typed.isDropped ? 'error' : (status ?? '')}
        style={{ width: '100%' }}
        value={value as Value}
        options={options as never}
        loading={loading}
        showSearch={{
          ...(onSearch && { onSearch }),
          filterOption: (text, option) => isHit(option ?? {}, text),
        }}
        onChange={give}
      />
    </Typed>
  )
}

/** The first option, or option of a group, that a typed text finds and that can be chosen. */
function firstOf(options: Options, text: string): Options[number] | undefined {
  for (const option of options) {
    const inside = (option as { options?: Options }).options
    const hit = inside ? firstOf(inside, text) : isHit(option, text) && !option.disabled ? option : undefined
    if (hit) return hit
  }
  return undefined
}

function isHit({ text: own, label }: { text?: string; label?: ReactNode }, text: string): boolean {
  return `${own ?? label ?? ''}`.toLowerCase().includes(text.trim().toLowerCase())
}
