// @vitest-environment happy-dom
import { Suspense } from 'react'
import { expect, test } from 'vitest'
import { show, shown, until } from '../../test/page.tsx'
import { late } from './late.tsx'

const Control = late(async () => ({ default: ({ name }: { name: string }) => <p>{name}</p> }))
const broken = () => Promise.reject<{ default: () => null }>(new TypeError('Failed to fetch'))
const Broken = late(broken)
const Nothing = late(broken, () => null)

test('what does not come after the first row leaves the page as it is, and offers to load it again', async () => {
  show(
    <Suspense>
      <p>列表</p>
      <Control name="控件" />
      <Broken />
      <Nothing />
    </Suspense>,
  )
  await until(() => expect(shown()).toBe('列表控件重新加载'))
})
