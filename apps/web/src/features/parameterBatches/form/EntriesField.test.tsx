// @vitest-environment happy-dom
import type { ParameterEntry } from '@voltkeep/contract/parameters'
import { Form } from 'antd'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import { typeInto } from '../../../../test/typing.ts'
import { batchTexts } from '../parameterBatches.texts.ts'
import { EntriesField } from './EntriesField.tsx'

const { key, addKey } = batchTexts.form
let given: readonly ParameterEntry[] = []
function Editor() {
  const [entries, setEntries] = useState<readonly ParameterEntry[]>([])
  const change = (next: readonly ParameterEntry[]) => {
    given = next
    setEntries(next)
  }
  return (
    <Form.Item>
      <EntriesField value={entries} onChange={change} />
    </Form.Item>
  )
}

const inputOf = (label: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`)
const add = async (text: string) => {
  await until(() => expect(inputOf(key)).not.toBeNull())
  typeInto(inputOf(key) as HTMLInputElement, text)
  const button = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent?.replace(/\s/g, '') === addKey.replace(/\s/g, ''),
  )
  await until(() => expect(button?.disabled).toBe(false))
  button?.click()
}

test('a key of charging stations is typed, once, and has a value of its own', async () => {
  given = []
  show(<Editor />)
  await add(' MeterValueSampleInterval ')
  await until(() => expect(given).toEqual([{ id: 'MeterValueSampleInterval', value: '' }]))
  typeInto(inputOf('MeterValueSampleInterval') as HTMLInputElement, '60')
  await until(() => expect(given).toEqual([{ id: 'MeterValueSampleInterval', value: '60' }]))
  await add('MeterValueSampleInterval')
  await until(() => expect(inputOf(key)?.getAttribute('aria-invalid')).toBe('true'))
  expect(given).toHaveLength(1)
})

test.each(['AuthorizationKey', '7x', 'x', 'a b'])('%s is no key', async (text) => {
  given = []
  show(<Editor />)
  await add(text)
  await until(() => expect(inputOf(key)?.getAttribute('aria-invalid')).toBe('true'))
  expect(given).toEqual([])
})
