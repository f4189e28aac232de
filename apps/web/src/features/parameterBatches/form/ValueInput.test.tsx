// @vitest-environment happy-dom
import { type Parameter, parameterCatalogue, parameterProblem } from '@voltkeep/contract/parameters'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import { typeInto } from '../../../../test/typing.ts'
import { firstValueOf, ValueInput } from './ValueInput.tsx'

const of = (kind: Parameter['kind']) => {
  const found = parameterCatalogue.find((parameter) => parameter.kind === kind)
  if (!found) throw new Error(`the catalogue has no ${kind}`)
  return found
}

let given = ''
function Editor({ parameter, first }: { parameter: Parameter; first: string }) {
  const [value, setValue] = useState(first)
  const change = (next: string) => {
    given = next
    setValue(next)
  }
  return <ValueInput parameter={parameter} value={value} onChange={change} hasProblem={false} />
}

const inputs = () => [...document.querySelectorAll('input')]
const type = (at: number, text: string) => {
  const input = inputs()[at]
  if (input) typeInto(input, text)
}
const edit = async (kind: Parameter['kind'], first = firstValueOf(of(kind))) => {
  given = first
  show(<Editor parameter={of(kind)} first={first} />)
  await until(() => expect(inputs().length + document.querySelectorAll('button').length).toBeGreaterThan(0))
}

test('a new contact and new lamps are valid as they are; what has to be typed is not', () => {
  const problems = parameterCatalogue.map((parameter) => [
    parameter.kind,
    parameterProblem(parameter.id, firstValueOf(parameter)) !== null,
  ])
  expect(Object.fromEntries(problems)).toEqual({ contact: false, lamps: false, number: true, address: true })
})

test('an address that is pasted whole fills host and port', async () => {
  await edit('address')
  type(0, ' 10.20.0.8:1883 ')
  await until(() => expect(inputs().map(({ value }) => value)).toEqual(['10.20.0.8', '1883']))
  expect(given).toBe('10.20.0.8:1883')
})

test('a port has digits only, and another host keeps it', async () => {
  await edit('address', '10.20.0.8:1883')
  type(1, '18a84')
  await until(() => expect(given).toBe('10.20.0.8:1884'))
  type(0, '10.20.0.9')
  await until(() => expect(given).toBe('10.20.0.9:1884'))
})

test('an address without host and port is no value', async () => {
  await edit('address', '10.20.0.8:')
  type(0, '')
  await until(() => expect(given).toBe(''))
})

test('a contact is turned from open to closed and back', async () => {
  await edit('contact')
  const turn = () => document.querySelector<HTMLButtonElement>('[role="switch"]')?.click()
  turn()
  await until(() => expect(given).toBe('1'))
  turn()
  await until(() => expect(given).toBe('0'))
})

test('a light is given to the chosen lamp alone, or to all at once', async () => {
  await edit('lamps')
  const [first, second] = inputs()
  const all = inputs()[7]
  const shines = () => inputs().filter(({ name }) => name !== first?.name)
  second?.click()
  shines()[3]?.click()
  await until(() => expect(given).toMatch(/^0[1-9]0{5}$/))
  all?.click()
  shines()[3]?.click()
  await until(() => expect(given).toMatch(/^([1-9])\1{6}$/))
})
