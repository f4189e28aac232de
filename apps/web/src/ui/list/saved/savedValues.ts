import type { List } from '../useList.ts'

const ofThePage = new Set(['pageNum', 'pageSize', 'ids'])

/** The filters in effect, as in an address; those that 重置 sets by itself are left out. */
export function valuesToSave({
  filters,
  cleared,
}: Pick<List, 'filters' | 'cleared'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => {
      const isNone = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
      const isUsual = JSON.stringify(value) === JSON.stringify(cleared[name])
      return isNone || isUsual || ofThePage.has(name) ? [] : [[name, textOf(value)]]
    }),
  )
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value))
