// @vitest-environment happy-dom
import { type ReactNode, useEffect, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { serveAsHost } from '../../../test/host.ts'
import { field, fill, show, shown, until } from '../../../test/page.tsx'
import { SearchSelect } from '../typed/SearchSelect.tsx'
import OrganizationTree from './OrganizationTree.tsx'
import RegionCascader from './RegionCascader.tsx'
import RegionsCascader from './RegionsCascader.tsx'

const organizations = [
  { id: '1', name: '全部', code: 'ALL', children: [{ id: '2', name: '海通电力', code: 'HT', children: [] }] },
]
const regions = [
  {
    value: '86',
    label: '中国',
    parentCode: null,
    childrens: [
      {
        value: '310000',
        label: '上海市',
        parentCode: '86',
        childrens: [{ value: '310115', label: '浦东新区', parentCode: '310000', childrens: [] }],
      },
      { value: '440000', label: '广东省', parentCode: '86', childrens: [] },
    ],
  },
]

/** Releases the delayed answers. */
let answer: () => void
const serveLate = () => {
  const delayed: (() => void)[] = []
  let isDelayed = true
  answer = () => {
    isDelayed = false
    for (const each of delayed) each()
  }
  return serveAsHost((request, response) => {
    const give = () => {
      const data = request.url?.includes('/region/') ? regions : organizations
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ code: 200, message: '', data }))
    }
    if (isDelayed) delayed.push(give)
    else give()
  })
}
const given = vi.fn()
afterEach(() => given.mockClear())

/** The control with what it was given, as in a form. */
function Controlled<Value>({
  children,
}: {
  children: (value: Value | undefined, take: (value: Value | undefined) => void) => ReactNode
}) {
  const [value, setValue] = useState<Value>()
  return children(value, (next) => {
    given(next)
    setValue(() => next)
  })
}

type Come = { id: string; name: string }[]
let comeLate: (come: Come) => void

/** A control whose choices, or some more of them, come when the test says so. */
function WithLate({ children }: { children: (come: Come) => ReactNode }) {
  const [come, setCome] = useState<Come>([])
  useEffect(() => {
    comeLate = setCome
  }, [])
  return children(come)
}

const keyCodes = { Enter: 13, ArrowDown: 40, ArrowRight: 39, Tab: 9 }
const key = async (name: keyof typeof keyCodes, isComposing = false, keyCode: number = keyCodes[name]) => {
  const input = await field('choice')
  const event = new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, isComposing })
  // By which antd tells keys apart; happy-dom takes it from nobody.
  Object.defineProperty(event, 'keyCode', { value: keyCode })
  input.dispatchEvent(event)
  input.dispatchEvent(new KeyboardEvent('keyup', { key: name, bubbles: true }))
}
const note = () => document.querySelector('[data-note]')?.textContent ?? ''

const controls = {
  organization: () => (
    <Controlled<string>>
      {(value, take) => <OrganizationTree id="choice" value={value} onChange={take} />}
    </Controlled>
  ),
  region: () => (
    <Controlled<string>>
      {(value, take) => <RegionCascader id="choice" value={value} onChange={take} />}
    </Controlled>
  ),
  regions: () => (
    <Controlled<string[]>>
      {(value, take) => (
        <RegionsCascader id="choice" value={value} onChange={take} most={3} onTooMany={() => undefined} />
      )}
    </Controlled>
  ),
}

test.each([
  ['a tree', controls.organization, '海通', '2'],
  ['a cascader', controls.region, '上海', '310000'],
  ['a cascader of several', controls.regions, '上海', ['310000']],
])('Enter before the choices are read is not lost: %s', async (_what, control, text, hit) => {
  await serveLate()
  show(control())
  await fill('choice', text)
  await key('Enter')
  await until(() => expect(note()).toBe(`正在读取选项，随后选中“${text}”`))
  expect(given).not.toHaveBeenCalled()
  answer()
  await until(() => expect(given.mock.calls).toEqual([[hit]]))
  await until(() => expect(note()).toBe(''))
})

test.each([
  ['a tree', controls.organization],
  ['a cascader', controls.region],
  ['a cascader of several', controls.regions],
])('Enter on a text that is nowhere says so at once: %s', async (_what, control) => {
  await serveLate()
  answer()
  show(control())
  await fill('choice', '月球')
  await key('Enter')
  await until(() => expect(note()).toBe('“月球”未选中，请从列表中选择'))
  expect(given).not.toHaveBeenCalled()
})

test('choices that come after the last letter are taken by Enter, as those that were there', async () => {
  await serveLate()
  answer()
  show(<WithLate>{(also) => <OrganizationTree id="choice" also={also} onChange={given} />}</WithLate>)
  await fill('choice', '海通')
  await until(() => expect(shown()).toContain('海通电力'))
  await fill('choice', '南山')
  comeLate([{ id: '9', name: '南山运营' }])
  await until(() => expect(shown()).toContain('南山运营'))
  await key('Enter')
  await until(() => expect(given.mock.calls).toEqual([['9']]))
})

test('a list takes what antd has marked, once; before it is read it waits', async () => {
  show(
    <WithLate>
      {(come) => (
        <SearchSelect
          id="choice"
          loading={come.length === 0}
          options={come.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(value) => given(value)}
        />
      )}
    </WithLate>,
  )
  await fill('choice', '控')
  await key('Enter')
  await until(() => expect(note()).toBe('正在读取选项，随后选中“控”'))
  comeLate([
    { id: 'a', name: '仓控' },
    { id: 'b', name: '主控' },
  ])
  await until(() => expect(given.mock.calls).toEqual([['a']]))
  await fill('choice', '主')
  await key('Enter')
  await until(() => expect(given.mock.calls).toEqual([['a'], ['b']]))
  await fill('choice', '箱')
  await key('Enter')
  await until(() => expect(note()).toBe('“箱”未选中，请从列表中选择'))
  expect(given).toHaveBeenCalledTimes(2)
})

test('Enter that ends the writing of a Chinese word chooses nothing', async () => {
  await serveLate()
  answer()
  show(controls.region())
  await fill('choice', '上海')
  await until(() => expect(shown()).toContain('中国 / 上海市'))
  await key('Enter', true)
  // As Safari tells it, where the word has ended by then.
  await key('Enter', false, 229)
  expect(note()).toBe('')
  await key('Enter')
  await until(() => expect(given.mock.calls).toEqual([['310000']]))
})

test('a typed region stands for those within it, and is no second one within another', async () => {
  await serveLate()
  answer()
  show(controls.regions())
  for (const text of ['浦东', '上海', '浦东', '广东']) {
    await fill('choice', text)
    await until(() => expect(shown()).toContain(`${text}`))
    await key('Enter')
  }
  await until(() =>
    expect(given.mock.calls.map(([codes]) => codes)).toEqual([
      ['310115'],
      ['310000'],
      ['310000'],
      ['310000', '440000'],
    ]),
  )
})

test('Tab leaves a choice of several, and does not drop the one that was just chosen', async () => {
  show(
    <Controlled<string[]>>
      {(value, take) => (
        <SearchSelect<string[]>
          id="choice"
          mode="multiple"
          value={value ?? []}
          onChange={take}
          options={[{ value: 'a', label: '仓控' }]}
        />
      )}
    </Controlled>,
  )
  await fill('choice', '仓')
  await key('Enter')
  await until(() => expect(given.mock.calls.map(([codes]) => codes)).toEqual([['a']]))
  await key('ArrowDown')
  await key('Tab')
  expect(given).toHaveBeenCalledTimes(1)
})

test('the arrow keys walk the columns, and Enter takes the region one is at', async () => {
  await serveLate()
  answer()
  show(controls.region())
  await key('Enter')
  await until(() => expect(shown()).toContain('中国'))
  await key('ArrowDown')
  await key('ArrowRight')
  await until(() => expect(shown()).toContain('上海市'))
  await key('ArrowDown')
  await key('Enter')
  await until(() => expect(given.mock.calls).toEqual([['440000']]))
  await until(() => expect(document.querySelector('button[aria-label="清除"]')).not.toBeNull())
})
