import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { settings } from '../src/platform/process/config.ts'

it('docs/operating.md lists exactly the settings that exist, with their defaults', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8')
  const table = text.slice(text.indexOf('## Settings'), text.indexOf('## The machine'))
  const rows = [...table.matchAll(/^\| `(\w+)` \| (?:`([^`]*)`)? ?\|/gm)]
  expect(rows.map(([, name, defaultText]) => [name, defaultText])).toEqual(
    Object.values(settings).map(({ name, defaultText }) => [name, defaultText]),
  )
})

it.each(['README.md', 'docs/device-protocol.md', 'docs/operating.md'])(
  '%s asks `date` for nothing that GNU’s alone has',
  (page) => {
    const text = readFileSync(join(import.meta.dirname, '../../..', page), 'utf8')
    const asked = [...text.matchAll(/\bdate ([^)"`\n]*)/g)].map(([, what]) => what ?? '')
    expect(asked.filter((what) => /%\d*N|^(-d|--)/.test(what))).toEqual([])
  },
)
