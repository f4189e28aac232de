// @vitest-environment happy-dom
import { useState } from 'react'
import { expect, test } from 'vitest'
import { show, until } from '../../../test/page.tsx'
import { DataTable } from './DataTable.tsx'
import { sortingOf } from './Sort.tsx'

function Rows() {
  const [filters, apply] = useState<Record<string, unknown>>({ code: 'A' })
  return (
    <>
      <output>{JSON.stringify(filters)}</output>
      <DataTable
        label="rows"
        columns={[
          { key: 'code', title: '编号', render: () => 'A' },
          { key: 'level', title: '级别', sortBy: 'level', render: () => 1 },
        ]}
        rows={[{}]}
        keyOf={() => '1'}
        isNarrow={false}
        sorting={sortingOf({ filters: filters as never, apply })}
      />
    </>
  )
}

test('a title sorts downwards, upwards, and as the list stands by itself; only those that can', async () => {
  show(<Rows />)
  const heads = () => [...document.querySelectorAll('th')]
  await until(() => expect(heads().map((head) => head.getAttribute('aria-sort'))).toEqual([null, 'none']))
  expect(heads()[0]?.querySelector('button')).toBeNull()
  const press = () => heads()[1]?.querySelector('button')?.click()
  const asked = () => JSON.parse(document.querySelector('output')?.textContent ?? '') as unknown
  press()
  await until(() => expect(heads()[1]?.getAttribute('aria-sort')).toBe('descending'))
  expect(asked()).toEqual({ code: 'A', sortBy: 'level' })
  press()
  await until(() => expect(heads()[1]?.getAttribute('aria-sort')).toBe('ascending'))
  expect(asked()).toEqual({ code: 'A', sortBy: 'level', sortOrder: 'asc' })
  press()
  await until(() => expect(heads()[1]?.getAttribute('aria-sort')).toBe('none'))
  expect(asked()).toEqual({ code: 'A' })
})
