import { type ClipboardEvent, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { CodesChip } from '../list/CodesFilter.tsx'
import { FilterChip, useIsChip } from '../list/filter/chips.tsx'
import { codesOf } from '../list/filter/codes.ts'
import { Input, Later } from '../list/filter/Later.tsx'
import { Filter } from '../list/filters.tsx'
import type { Draft } from '../list/useDraft.ts'
import { type DeviceWords, deviceWordsOf, textOfWords } from './deviceWords.ts'

const { fields, list } = texts

/** Devices by one field: part of a code, name or address, or a pasted list of codes. */
export function DeviceSearch({ of: draft }: { of: Draft }) {
  const codes = codesOf(draft.values.code)
  const keyword = String(draft.values.keyword ?? '')
  const words: DeviceWords = {
    code: codes.length > 0 ? codes : undefined,
    keyword: keyword === '' ? undefined : keyword,
  }
  const [typed, setTyped] = useState('')
  if (useIsChip()) {
    return (
      <>
        <CodesChip of={draft} label={fields.code} />
        <FilterChip of={draft} names={['keyword']} label={fields.device}>
          {keyword}
        </FilterChip>
      </>
    )
  }
  // What is typed stays while it means the same; other values come from 重置, 'back' or a link.
  const isTyped = JSON.stringify(deviceWordsOf(typed)) === JSON.stringify(words)
  const text = isTyped ? typed : textOfWords(words)
  const change = (next: string) => {
    setTyped(next)
    draft.set({ ...deviceWordsOf(next) })
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text')
    // A field of one line would join its lines without a space.
    if (!/[\r\n]/.test(pasted.trim())) return
    event.preventDefault()
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const start = value.slice(0, selectionStart ?? value.length)
    change(start + pasted.trim().replace(/\s+/g, ' ') + value.slice(selectionEnd ?? value.length))
  }
  const problem = draft.problem('code') ?? draft.problem('keyword')
  return (
    <Filter label={fields.device} problem={problem} isWide="codes">
      {({ id, describedBy }) => (
        <Later text={text || fields.deviceHint}>
          <Input
            id={id}
            aria-describedby={describedBy}
            status={problem ? 'error' : ''}
            placeholder={fields.deviceHint}
            title={text === '' ? fields.deviceHint : undefined}
            allowClear
            suffix={codes.length > 1 && list.codes.count(codes.length)}
            value={text}
            onPaste={paste}
            onChange={(event) => change(event.target.value)}
          />
        </Later>
      )}
    </Filter>
  )
}
