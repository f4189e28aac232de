import type { ReactNode } from 'react'
import type { List } from '../useList.ts'
import { Chip, isGiven } from './chips.tsx'

/** By field: the text of its chip. */
export type Linked = Readonly<Record<string, { label: string; text: (value: unknown) => ReactNode }>>

/** Filters that came with a link and have no control: a chip shows each, and removes it. */
export function LinkedFilters({ list, linked }: { list: List; linked: Linked }) {
  const used = Object.entries(linked).filter(([name]) => isGiven(list.filters[name]))
  return used.map(([name, { label, text }]) => (
    <Chip key={name} label={label} onDrop={() => list.apply({ ...list.filters, [name]: undefined })}>
      {text(list.filters[name])}
    </Chip>
  ))
}
