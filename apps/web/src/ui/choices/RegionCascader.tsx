import { Cascader } from 'antd'
import { type KeyboardEvent, useId, useState } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { clearable } from '../typed/clearable.ts'
import { Typed } from '../typed/Typed.tsx'
import { useTyped } from '../typed/useTyped.ts'
import { Columns } from './Columns.tsx'
import { firstRegion, regionPath } from './choices.trees.ts'
import { useRegions } from './choices.ts'
import { Owned } from './Owned.tsx'
import { unread } from './Unread.tsx'

export interface RegionCascaderProps {
  id?: string
  describedBy?: string | undefined
  value?: string | undefined
  onChange?: (code: string | undefined) => void
  hasProblem?: boolean
  placeholder?: string
  isDisabled?: boolean
  /** Enter submits the form, as in its text fields, while the list is closed; otherwise it opens the list. */
  sendsForm?: boolean
}

/** A region of any level, by its code. Lazy: it brings thousands of names and a control of its own. */
export default function RegionCascader({
  id,
  describedBy,
  value,
  onChange,
  hasProblem = false,
  placeholder,
  isDisabled = false,
  sendsForm = false,
}: RegionCascaderProps) {
  const regions = useRegions()
  const [isOpen, setOpen] = useState(false)
  const noteId = useId()
  const give = (code: string | undefined) => {
    typed.onChosen()
    onChange?.(code)
  }
  const typed = useTyped({
    isReading: regions.isPending,
    chooseFirst(text) {
      // The columns cover the next field of the form.
      setOpen(false)
      const code = firstRegion(regions.data ?? [], text)
      if (code !== undefined) give(code)
      return code !== undefined
    },
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!sendsForm || event.key !== 'Enter' || isOpen || isComposing(event.nativeEvent)) return
    event.preventDefault()
    event.stopPropagation()
    event.currentTarget.closest('form')?.requestSubmit()
  }
  const cascader = (
    <Cascader
      id={id}
      aria-describedby={typed.note ? noteId : describedBy}
      status={hasProblem || typed.isDropped ? 'error' : ''}
      style={{ width: '100%' }}
      options={regions.data ?? []}
      fieldNames={{ label: 'label', value: 'value', children: 'childrens' }}
      value={regionPath(regions.data ?? [], value)}
      disabled={isDisabled}
      changeOnSelect
      open={isOpen}
      onOpenChange={setOpen}
      showSearch
      allowClear={clearable}
      loading={regions.isPending}
      placeholder={placeholder}
      notFoundContent={unread(regions)}
      popupRender={(columns) => (
        <Owned by={id}>
          <Columns>{columns}</Columns>
        </Owned>
      )}
      displayRender={(labels) => labels.slice(-2).join(' / ')}
      onChange={(path) => give((path as string[] | undefined)?.at(-1))}
    />
  )
  return (
    <Typed of={typed} noteId={noteId} onKeyDownCapture={onKeyDown}>
      {cascader}
    </Typed>
  )
}
