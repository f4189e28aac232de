// @vitest-environment happy-dom
import type { CurrentUser } from '@voltkeep/contract/session'
import { beforeEach, expect, test, vi } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { show, shown, until } from '../../../test/page.tsx'
import { typeInto } from '../../../test/typing.ts'
import { currentUser } from '../../lib/session.ts'
import { SearchDialog } from './SearchDialog.tsx'
import { searchTexts } from './search.texts.ts'

const navigate = vi.hoisted(() => vi.fn())
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  useNavigate: () => navigate,
}))

const box = () => document.querySelector<HTMLInputElement>(`input[aria-label="${searchTexts.open}"]`)

beforeEach(() => currentUser.set({ id: '1', tree: [], resultVOS: [] } as unknown as CurrentUser))

const nothing = {
  devices: [],
  users: [],
  batteries: [],
  operators: [],
  regions: [],
  tasks: [],
  packages: [],
}

test('the field is there at once, and what is typed before the code of the results has come is searched', async () => {
  await serveAsHost(answering(200, { code: 200, message: '', data: nothing }))
  show(<SearchDialog onClose={vi.fn()} />)
  await until(() => expect(box()).not.toBeNull())
  const input = box() as HTMLInputElement
  typeInto(input, '首')
  await until(() => expect(document.querySelector('[role=listbox]')).not.toBeNull())
  expect(box()).toBe(input)
  expect(input.value).toBe('首')
  await until(() => expect(shown()).toContain(searchTexts.count(1)))
})

test('Enter goes to the first hit, and not while a Chinese word is composed', async () => {
  await serveAsHost(answering(200, { code: 200, message: '', data: nothing }))
  const close = vi.fn()
  show(<SearchDialog onClose={close} />)
  await until(() => expect(box()).not.toBeNull())
  const input = box() as HTMLInputElement
  typeInto(input, '首页')
  // Its number is told once the answer is there; until then Enter waits anyway.
  await until(() => expect(shown()).toContain(searchTexts.count(1)))
  const enter = (isComposing: boolean) =>
    input.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing }),
    )
  enter(true)
  await new Promise((resolve) => setTimeout(resolve))
  expect(navigate).not.toHaveBeenCalled()
  enter(false)
  await until(() => expect(navigate).toHaveBeenCalledWith({ to: '/dashboard', search: {} }))
  expect(close).toHaveBeenCalled()
})

test('Enter before the results have come leads to the first of them', async () => {
  const answer = Promise.withResolvers<void>()
  await serveAsHost((request, response) => {
    void answer.promise.then(() =>
      answering(200, { code: 200, message: '', data: nothing })(request, response),
    )
  })
  const close = vi.fn()
  navigate.mockClear()
  show(<SearchDialog onClose={close} />)
  await until(() => expect(box()).not.toBeNull())
  const input = box() as HTMLInputElement
  const enter = () =>
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
  typeInto(input, '首')
  enter()
  // Another text takes the Enter back.
  typeInto(input, '首页')
  await until(() => expect(document.querySelector('[role=option]')).not.toBeNull())
  enter()
  expect(navigate).not.toHaveBeenCalled()
  answer.resolve()
  await until(() => expect(navigate).toHaveBeenCalledWith({ to: '/dashboard', search: {} }))
  expect(navigate).toHaveBeenCalledTimes(1)
  expect(close).toHaveBeenCalledTimes(1)
})
