// @vitest-environment happy-dom
import { useState } from 'react'
import { expect, test } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import { DataTable } from '../DataTable.tsx'
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
          { key: 'name', title: '名称', sortBy: 'name', sortFirst: 'asc', render: () => 'A' },
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

test('a title sorts downwards, upwards, and as the list stands by itself, names upwards first; only those that can', async () => {
  show(<Rows />)
  const heads = () => [...document.querySelectorAll('th')]
  await until(() =>
    expect(heads().map((head) => head.getAttribute('aria-sort'))).toEqual([null, 'none', 'none']),
  )
  expect(heads()[0]?.querySelector('button')).toBeNull()
  const press = () => heads()[2]?.querySelector('button')?.click()
  const asked = () => JSON.parse(document.querySelector('output')?.textContent ?? '') as unknown
  press()
  await until(() => expect(heads()[2]?.getAttribute('aria-sort')).toBe('descending'))
  expect(asked()).toEqual({ code: 'A', sortBy: 'level' })
  press()
  await until(() => expect(heads()[2]?.getAttribute('aria-sort')).toBe('ascending'))
  expect(asked()).toEqual({ code: 'A', sortBy: 'level', sortOrder: 'asc' })
  press()
  await until(() => expect(heads()[2]?.getAttribute('aria-sort')).toBe('none'))
  expect(asked()).toEqual({ code: 'A' })
  heads()[1]?.querySelector('button')?.click()
  await until(() => expect(heads()[1]?.getAttribute('aria-sort')).toBe('ascending'))
  heads()[1]?.querySelector('button')?.click()
  await until(() => expect(heads()[1]?.getAttribute('aria-sort')).toBe('descending'))
  heads()[1]?.querySelector('button')?.click()
  await until(() => expect(asked()).toEqual({ code: 'A' }))
})
