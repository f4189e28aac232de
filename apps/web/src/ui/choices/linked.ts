import { useHasShown } from '../../lib/firstShown.ts'
import { texts } from '../../lib/texts/index.ts'
import type { Linked } from '../list/filter/LinkedFilters.tsx'
import { useEnum } from './choices.ts'

const listed = 3

/** The filters of lists of alarms and events that only links set. `type`: ALARM or EVENT. */
export function useSemaphoreLinks(type: 'ALARM' | 'EVENT'): Linked {
  const entries = useEnum(type, useHasShown()).data
  const nameOf = (code: string) => entries?.find((entry) => entry.code === code)?.name ?? code
  return {
    semaphoreCode: {
      label: texts.fields.semaphore,
      text: (value) => {
        const codes = value as readonly string[]
        const names = codes.slice(0, listed).map(nameOf).join('、')
        return codes.length > listed ? texts.list.andMore(names, codes.length) : names
      },
    },
    equipId: { label: texts.fields.device, text: () => texts.list.chosen(1) },
    ids: chosenIds,
  }
}

/** Rows that a link names one by one. */
export const chosenIds: Linked[string] = {
  label: texts.list.rows,
  text: (value) => texts.list.chosen((value as readonly string[]).length),
}
