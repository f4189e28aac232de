import { Cascader } from 'antd'
import { type KeyboardEvent, useState } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { Typed } from '../typed/Typed.tsx'
import { useTyped } from '../typed/useTyped.ts'
import { firstRegion, regionPath } from './choices.trees.ts'
import { useRegions } from './choices.ts'
import { useRegionOptions } from './regionOptions.tsx'

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
  hasProblem,
  placeholder,
  isDisabled = false,
  sendsForm = false,
}: RegionCascaderProps) {
  const regions = useRegions()
  const [isOpen, setOpen] = useState(false)
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
  const { noteId, cascader } = useRegionOptions({ id, describedBy, hasProblem, regions, typed })
  return (
    <Typed of={typed} noteId={noteId} onKeyDownCapture={onKeyDown}>
      <Cascader
        {...cascader}
        value={regionPath(regions.data ?? [], value)}
        disabled={isDisabled}
        changeOnSelect
        open={isOpen}
        onOpenChange={setOpen}
        placeholder={placeholder}
        onChange={(path) => give((path as string[] | undefined)?.at(-1))}
      />
    </Typed>
  )
}
